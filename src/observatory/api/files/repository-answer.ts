import { basename, isAbsolute, relative, sep } from "node:path";
import { repositoryPath } from "../../../domain/why/known-edits.ts";
import { readOwnFirst } from "../../../operations/pipeline/context.ts";
import type { Actions } from "../../../ports/actions.ts";
import type { LedgerStore } from "../../../ports/ledger-store.ts";
import type { Repository } from "../../../ports/repository.ts";
import type { Mask } from "../../session/to-wire.ts";
import type { FileEntry, RepositoryAnswer } from "../../wire-files.ts";
import type { Query } from "../answer.ts";

export type RepositorySource = {
  /** The repository that the server was started in. */
  openRepository(): Promise<Repository | undefined>;
  actions: Pick<Actions, "findChanges">;
  ledger: Pick<LedgerStore, "readSession" | "listSessions">;
  /** The server's own project, and the only one that a locked server shows. */
  ownProject: string;
  onlyProject: string | undefined;
  mask: Mask;
};

/** How many of the newest changes to read in order to mark the files that sessions changed. */
const mostChanges = 1_000;
const mostEntries = 500;
const mostRecent = 40;
/** The maximum number of new files, which git does not list yet. */
const mostNew = 50;

/** Returns the content of one folder, and which of its files sessions changed. */
export async function answerRepository(source: RepositorySource, query: Query): Promise<RepositoryAnswer> {
  const folder = (query.text("folder") ?? "").replace(/^\/+|\/+$/g, "");
  const repository = await source.openRepository();
  if (!repository) return { folder, entries: [], recent: [] };
  const listed = await repository.listFiles();
  const changed = await readChanged(source, repository, new Set(listed));
  const entries = entriesOf(folder, [...listed, ...changed.keys()], new Set(changed.keys()));
  const { name, ...rest } = await describe(repository);
  return {
    repository: { name: source.mask(name), ...rest },
    folder,
    entries: entries.slice(0, mostEntries),
    ...(entries.length > mostEntries && { more: entries.length - mostEntries }),
    recent: folder === "" ? await readRecent(source, changed) : [],
    ...(await readBeginning(source)),
  };
}

async function describe(repository: Repository): Promise<NonNullable<RepositoryAnswer["repository"]>> {
  const { root, head } = repository;
  const branch = await repository.readBranch();
  const range = await findRange(repository, branch ?? "HEAD");
  return {
    name: basename(root) || root,
    ...(head !== undefined && { head }),
    ...(branch !== undefined && { branch }),
    ...(range !== undefined && { range }),
  };
}

/** Returns the commits since the branch left the main branch, or on the main branch, the latest commits. */
async function findRange(repository: Repository, here: string): Promise<string | undefined> {
  for (const main of ["main", "master", "trunk", "develop"]) {
    const commit = main === here ? undefined : await repository.resolve(main);
    if (commit !== undefined && commit !== repository.head) return `${main}...${here}`;
    if (main === here || commit !== undefined) break;
  }
  for (const back of [10, 3, 1])
    if ((await repository.resolve(`HEAD~${back}`)) !== undefined) return `HEAD~${back}...${here}`;
  return undefined;
}

type Changed = ReadonlyMap<string, { at: string; sessionId: string }>;

/**
 * Lists files that sessions changed, most recent first. Uses changes from other projects only if this project
 * changed no file here.
 */
const readChanged = (
  source: RepositorySource,
  repository: Repository,
  listed: ReadonlySet<string>,
): Promise<Changed> =>
  readOwnFirst(
    projectsOf(source),
    (project) => readChangedIn(project, source, repository, listed),
    ({ size }) => size === 0,
  );

const projectsOf = ({ ownProject: own, onlyProject: only }: RepositorySource) => ({ own, only });

async function readChangedIn(
  project: string | undefined,
  { actions }: RepositorySource,
  repository: Repository,
  listed: ReadonlySet<string>,
): Promise<Changed> {
  const changes = await actions.findChanges(project, { from: "0000", to: "9999", limit: mostChanges });
  const found = new Map<string, { at: string; sessionId: string }>();
  let looked = 0;
  for (const { sessionId, action } of changes) {
    if (action.type !== "edit") continue;
    const path = repositoryPath(action.path, (end) => listed.has(end)) ?? (await findNew(action.path));
    if (path !== undefined && !found.has(path)) found.set(path, { at: action.at, sessionId });
  }
  return found;

  async function findNew(written: string): Promise<string | undefined> {
    if (!isAbsolute(written) || looked >= mostNew) return undefined;
    const path = relative(repository.root, written).split(sep).join("/");
    if (path.startsWith("../") || isAbsolute(path)) return undefined;
    looked += 1;
    return (await repository.findKind(path)) === "file" ? path : undefined;
  }
}

function entriesOf(folder: string, files: readonly string[], changed: ReadonlySet<string>): FileEntry[] {
  const start = folder === "" ? "" : `${folder}/`;
  const found = new Map<string, FileEntry>();
  for (const file of new Set(files)) {
    if (!file.startsWith(start)) continue;
    const rest = file.slice(start.length);
    const end = rest.indexOf("/");
    const name = end === -1 ? rest : rest.slice(0, end);
    const entry = found.get(name) ?? { name, isFolder: end !== -1, changed: [] };
    if (changed.has(file)) entry.changed.push(file);
    found.set(name, entry);
  }
  return [...found.values()].sort(
    (a, b) => Number(b.isFolder) - Number(a.isFolder) || (a.name < b.name ? -1 : 1),
  );
}

async function readRecent(
  { ledger, mask }: RepositorySource,
  changed: Changed,
): Promise<RepositoryAnswer["recent"]> {
  const recent: RepositoryAnswer["recent"] = [];
  for (const [path, { at, sessionId }] of [...changed].slice(0, mostRecent)) {
    const title = (await ledger.readSession(sessionId))?.session.title;
    recent.push({ path, at, sessionId, ...(title !== undefined && { title: mask(title) }) });
  }
  return recent;
}

async function readBeginning(source: RepositorySource): Promise<Pick<RepositoryAnswer, "began">> {
  const order = { sortBy: "createdAt", sortOrder: "asc", tagMode: "all", limit: 1, offset: 0 } as const;
  const first = await readOwnFirst(
    projectsOf(source),
    async (project) => (await source.ledger.listSessions({ project, ...order })).sessions[0],
    (found) => found === undefined,
  );
  return first ? { began: first.createdAt } : {};
}

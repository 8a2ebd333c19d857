import { type Action, bareLine, hashBareLine, splitText } from "../../../domain/actions/action.ts";
import type { KeptAction } from "../../../domain/actions/kept-action.ts";
import { mapLines } from "../../../domain/actions/line-diff.ts";
import {
  type Attribution,
  type BlamedFile,
  type CommitTimes,
  countWriters,
  isLate,
  isSettled,
  matchLines,
  settleLines,
  writtenWithin,
} from "../../../domain/why/attribute-lines.ts";
import {
  fileName,
  gatherEdits,
  indexShown,
  indexWritten,
  type KnownEdit,
  pathEnds,
  repositoryPath,
  type SessionEdit,
} from "../../../domain/why/known-edits.ts";
import type { StoredAction } from "../../../ports/actions.ts";
import type { BlameLine, Commit, Repository } from "../../../ports/repository.ts";
import { type BaseContext, onlyProject, ownProject, readOwnFirst } from "../../pipeline/context.ts";

export const uncommitted = "";

export type SourceLine = Omit<BlameLine, "line">;

/** Creates a line that was not read through git blame. */
export function toSourceLine(text: string, commit: string, path: string): SourceLine {
  const bare = bareLine(text);
  return { text, commit, path, hash: hashBareLine(bare), chars: bare.length };
}

/** Reads the file on disk or in commit `at`. Returns `undefined` if there is no such text file. */
export async function readLines(
  repository: Repository,
  path: string,
  at?: string,
): Promise<readonly SourceLine[] | undefined> {
  if (at !== undefined) return repository.blame(path, at);
  const [blamed, working] = await Promise.all([repository.blame(path), repository.readWorkingFile(path)]);
  if (working === undefined) return blamed;
  const now = splitText(working);
  const before = blamed ?? [];
  const map = mapLines(
    before.map(({ text }) => text),
    now,
  );
  return now.map((text, at) => before[map[at] ?? -1] ?? toSourceLine(text, uncommitted, path));
}

/** Reads a file like `readLines`, but without asking git who wrote the lines. */
export async function readText(
  repository: Repository,
  path: string,
  at?: string,
): Promise<readonly SourceLine[] | undefined> {
  const working = at === undefined ? await repository.readWorkingFile(path) : undefined;
  const isUnreadable =
    at === undefined && working === undefined && (await repository.findKind(path)) !== undefined;
  if (isUnreadable) return undefined;
  const name = `${at ?? repository.head}:${path}`;
  const text = working ?? (await repository.readTexts([name])).get(name);
  return text === undefined || text.slice(0, 8_000).includes("\0")
    ? undefined
    : splitText(text).map((line) => toSourceLine(line, uncommitted, path));
}

export type Attributed = {
  lines: readonly SourceLine[];
  found: readonly (Attribution | undefined)[];
  commits: ReadonlyMap<string, Commit>;
  /** Includes edits under earlier names of the file. */
  inFile: readonly KnownEdit[];
  refusals: readonly (StoredAction & { action: Extract<KeptAction, { type: "refusal" }> })[];
};

const mostChanges = 20_000;
const mostWindows = 20;
const changesOfWindow = 2_000;

/** `changes` is set if the changes have already been read. */
export type Lined = { path: string; lines: readonly SourceLine[]; changes?: Changes };

/** Attributes lines to edits. `wanted` contains the indexes of the requested lines. */
export async function attribute(
  context: BaseContext,
  repository: Repository,
  { path, lines, changes: before }: Lined,
  wanted: readonly number[],
): Promise<Attributed> {
  const names = new Set([path, ...lines.map((line) => line.path)]);
  const [{ commits, times }, { project, here, isHere }] = await Promise.all([
    readTimes(context, repository, lines),
    readChangesOf(context, repository, names, before),
  ]);
  const edits = here.flatMap(toEdit);
  const known = gatherEdits(edits);
  const inFile = known.filter(({ edit }) => isHere(edit));
  const refusals = here.flatMap((stored) => (isRefusal(stored) ? [stored] : []));
  const isWanted = new Set(wanted);
  const only = new Set(wanted.flatMap((at) => lines[at]?.hash ?? []));
  const wantedTimes = [...new Set(wanted.map((at) => lines[at]?.commit ?? uncommitted))].flatMap(
    (commit) => times.get(commit) ?? [],
  );
  const own = {
    lines,
    commits: times,
    here: indexWritten(inFile, { only }),
    anywhere: new Map(),
    startOf: await readStarts(context, inFile, wantedTimes),
  };
  const quick = matchLines(own, (at) => isWanted.has(at));
  if (wanted.every((at) => !lines[at] || isSettled(quick[at])))
    return { lines, commits, inFile, found: quick, refusals };
  return { ...(await settle()), lines, commits, refusals };

  /**
   * Attributes uncertain lines, using the rest of their commits, and edits to other files around the same
   * time.
   */
  async function settle() {
    const asked = new Set(wanted.map((at) => lines[at]?.commit ?? uncommitted));
    const first = await match(known, []);
    const open = wanted.filter((at) => !first.found[at] && lines[at]);
    const windows = [...new Set(open.map((at) => lines[at]?.commit ?? uncommitted))].slice(0, mostWindows);
    const elsewhere = await readWindows(
      context,
      project,
      windows.flatMap((commit) => times.get(commit) ?? []),
    );
    const { file, found, inFile } =
      elsewhere.length === 0 ? first : await match(gatherEdits([...edits, ...elsewhere]), elsewhere);
    return { inFile, found: settleLines(file, found, countWriters(lines, found), (at) => isWanted.has(at)) };

    async function match(all: readonly KnownEdit[], others: readonly SessionEdit[]) {
      const inFile = all.filter(({ edit }) => isHere(edit));
      const anywhere = others.length === 0 ? new Map() : indexWritten(all, { longOnly: true });
      const startOf = await readStarts(context, others.length === 0 ? inFile : all, wantedTimes);
      const [here, shown] = [indexWritten(inFile), indexShown(inFile)];
      const file: BlamedFile = { lines, commits: times, here, anywhere, shown, startOf };
      return { file, inFile, found: matchLines(file, (at) => asked.has(lines[at]?.commit ?? "")) };
    }
  }
}

/** Returns the starts of the sessions that have edits between a commit's author and committer times. */
async function readStarts(
  { ledger }: BaseContext,
  known: readonly KnownEdit[],
  times: readonly CommitTimes[],
): Promise<(sessionId: string) => number | undefined> {
  const rebased = times.filter(({ authored, committed }) => committed > authored);
  const late =
    rebased.length === 0 ? [] : known.filter(({ time }) => rebased.some((one) => isLate(time, one)));
  const sessions = new Set(late.flatMap(({ places }) => places.map(({ sessionId }) => sessionId)));
  const starts = new Map<string, number>();
  for (const id of sessions) {
    const record = await ledger.readSession(id);
    if (record) starts.set(id, Date.parse(record.session.createdAt));
  }
  return (sessionId) => starts.get(sessionId);
}

const isRefusal = (stored: StoredAction): stored is Attributed["refusals"][number] =>
  stored.action.type === "refusal";

const toEdit = ({ sessionId, action }: StoredAction): SessionEdit[] =>
  action.type === "edit" ? [{ ...action, sessionId }] : [];

/**
 * Reads the changes in the caller's project to this file. If there are none, reads all projects, unless the
 * server is locked to one.
 */
async function readChangesOf(
  { settings, caller, actions }: BaseContext,
  repository: Repository,
  names: ReadonlySet<string>,
  before: Changes | undefined,
) {
  const files = [...new Set([...names].map(fileName))];
  const isRead = before !== undefined && files.every((file) => before.files.includes(file));
  const own = ownProject(caller, settings);
  return readOwnFirst(
    { own, only: onlyProject(settings) },
    async (project) => {
      const changes =
        isRead && project === own
          ? before.changes
          : await actions.findChanges(project, { files, limit: mostChanges });
      const isHere = await pathFilter(repository, names, changes);
      return { project, isHere, here: changes.filter(({ action }) => isHere(action)) };
    },
    ({ here }) => here.length === 0,
  );
}

/** Changes to all files with these names, in any folder, in the caller's own project. */
export type Changes = { files: readonly string[]; changes: readonly StoredAction[] };

export async function readChanges(
  { settings, caller, actions }: BaseContext,
  files: readonly string[],
): Promise<Changes> {
  const changes = await actions.findChanges(ownProject(caller, settings), { files, limit: mostChanges });
  return { files, changes };
}

/**
 * Returns a filter for recorded paths. A path's longest suffix that exists in the repository identifies the file.
 */
async function pathFilter(
  repository: Repository,
  names: ReadonlySet<string>,
  changes: readonly StoredAction[],
): Promise<(action: Action) => boolean> {
  const written = new Set(changes.flatMap(({ action }) => pathsOf(action)));
  const longer = [...written].flatMap((path) => {
    const ends = pathEnds(path);
    const at = ends.findIndex((end) => names.has(end));
    return at === -1 ? [] : ends.slice(0, at);
  });
  const known = await repository.findPaths(longer);
  const isKnown = (path: string) => names.has(path) || known.has(path);
  const here = new Set([...written].filter((path) => names.has(repositoryPath(path, isKnown) ?? "")));
  return (action) => pathsOf(action).some((path) => here.has(path));
}

function pathsOf(action: Action): string[] {
  const changed = action.type === "edit" ? action : action.type === "refusal" ? action.change : undefined;
  return [changed?.path, changed?.from].flatMap((path) => (path === undefined ? [] : [path]));
}

async function readTimes({ clock }: BaseContext, repository: Repository, lines: readonly SourceLine[]) {
  const ids = [...new Set(lines.map(({ commit }) => commit))];
  const asked = [...ids, ...(repository.head ? [repository.head] : [])];
  const commits = await repository.readCommits(asked, { firstParents: true });
  const times = new Map<string, CommitTimes>();
  for (const {
    id,
    authored,
    committed,
    parents: [parent],
  } of commits.values())
    times.set(id, { parentAuthored: commits.get(parent ?? "")?.authored, authored, committed });
  const now = clock().getTime();
  const head = commits.get(repository.head ?? "");
  times.set(uncommitted, { parentAuthored: head?.authored, authored: now, committed: now });
  return { commits, times };
}

async function readWindows(
  { actions }: BaseContext,
  project: string | undefined,
  times: readonly CommitTimes[],
) {
  const found: SessionEdit[] = [];
  for (const window of times.map(writtenWithin)) {
    const [from, to] = [window.from, window.to].map((time) => new Date(time).toISOString());
    if (from === undefined || to === undefined) continue;
    const changes = await actions.findChanges(project, { from, to, limit: changesOfWindow });
    found.push(...changes.flatMap(toEdit));
  }
  return found;
}

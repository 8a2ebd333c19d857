import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { splitText } from "../../../domain/actions/action.ts";
import type { KeptAction } from "../../../domain/actions/kept-action.ts";
import { type Decision, decisionIdForm, readDecision } from "../../../domain/memory/decisions/decision.ts";
import { fileName, pathEnds, repositoryPath } from "../../../domain/why/known-edits.ts";
import type { Recovery } from "../../../kernel/errors.ts";
import { nearest } from "../../../kernel/nearest.ts";
import { quote } from "../../../kernel/text.ts";
import type { AddedLine, Repository } from "../../../ports/repository.ts";
import type { BaseContext, MemoryContext } from "../../pipeline/context.ts";
import { readSession } from "../../pipeline/find-session.ts";
import { checkoutOrDefault } from "../scope.ts";
import {
  type Attributed,
  type Lined,
  readChanges,
  readLines,
  readText,
  toSourceLine,
} from "./blamed-file.ts";

type Part = Lined & {
  /** Indexes of lines. Omit to use all lines in the requested range. */
  only?: readonly number[];
  /** Decides whether a line is kept. Called once the line's author is known. */
  keep(attributed: Attributed, number: number): boolean;
};

export type OpenedFile = {
  repository: Repository;
  parts: readonly Part[];
  commits?: readonly string[];
  /** Files without lines from the range of commits, because the range deleted them or only deleted lines. */
  shortened?: readonly string[];
  deletedBy?: string;
  note?: string;
};

type Context = BaseContext<"INVALID_PAYLOAD" | "UNKNOWN_ID">;

const withHelp = (hint: string): Recovery => ({
  hint: `${hint} See the fields of why and an example.`,
  operation: "help",
  args: { topic: "why" },
});

/**
 * Local callers may request any of their files. Callers over HTTP reach only the repository the server was started in,
 * and only if they have no bound root or their bound root is that repository.
 */
async function findRepository(context: BaseContext, directory: string): Promise<Repository | undefined> {
  const { repositories, caller, workingDirectory, signal } = context;
  const repository = await repositories.open(directory, signal);
  if (caller.transport !== "http") return repository;
  const own = await repositories.open(workingDirectory, signal);
  return own?.root === repository?.root ? repository : undefined;
}

export const findOwnRepository = (context: BaseContext): Promise<Repository | undefined> =>
  findRepository(context, baseOf(context));

const openRepository = async (context: Context, directory: string): Promise<Repository> =>
  (await findRepository(context, directory)) ?? refusePlace(context, directory);

function refusePlace({ fail }: Context, directory: string): never {
  return fail(
    "INVALID_PAYLOAD",
    `${quote(directory)} is not in a git repository that this server can read.`,
    {
      recovery: withHelp("Pass a file inside a git repository."),
    },
  );
}

const baseOf = ({ caller, workingDirectory }: BaseContext): string => {
  const root = caller.binding?.boundRoot;
  return root?.startsWith("file:///") ? fileURLToPath(root) : workingDirectory;
};

type OpenOptions = {
  /** If true, a deleted file is returned without lines. */
  orDeleted?: boolean;
  /** If false, git is not asked who wrote the lines. */
  isBlamed?: boolean;
  /** Opens the file as it was in this commit. */
  at?: string | undefined;
};

export async function openFile(
  context: Context,
  file: string,
  { orDeleted = false, isBlamed = true, at }: OpenOptions = {},
): Promise<OpenedFile> {
  const base = baseOf(context);
  const absolute = await context.repositories.follow(isAbsolute(file) ? join(file) : join(base, file));
  const { repository, path } =
    (await locate(context, dirname(absolute), absolute)) ??
    (await locate(context, base, absolute)) ??
    (await refuseOutside(context, file, dirname(absolute)));
  const commit = at === undefined ? undefined : await resolve(context, repository, at);
  // Reads the store while git is running.
  const [lines, changes] = await Promise.all([
    isBlamed ? readLines(repository, path, commit) : readText(repository, path, commit),
    isBlamed ? readChanges(context, [fileName(path)]) : undefined,
  ]);
  const rest = { ...(changes && { changes }), keep: () => true };
  if (lines) return { repository, parts: [{ path, lines, ...rest }] };
  const isThere = path === "" || (await repository.findKind(path)) !== undefined;
  const deletedBy =
    orDeleted && !isThere && commit === undefined ? await repository.findDeletion(path) : undefined;
  if (commit !== undefined) return refusePast(context, file, commit);
  if (deletedBy === undefined) return refuseFile(context, file, repository, path);
  return { repository, parts: [{ path, lines: [], ...rest }], deletedBy };
}

const refusePast = ({ fail }: Context, file: string, commit: string): never =>
  fail("UNKNOWN_ID", `${quote(file)} was not a text file in commit ${commit.slice(0, 12)}.`, {
    recovery: { hint: "Ask about the current version of the file.", args: { file }, patch: true },
  });

type Located = { repository: Repository; path: string };

/** Finds a file in its repository. Returns `undefined` if the file is outside the repository. */
async function locate(context: Context, directory: string, absolute: string): Promise<Located | undefined> {
  const repository = await findRepository(context, directory);
  if (!repository) return undefined;
  const path = relative(repository.root, absolute).split(sep).join("/");
  return path.split("/")[0] === ".." || isAbsolute(path) ? undefined : { repository, path };
}

async function refuseOutside(context: Context, file: string, directory: string): Promise<never> {
  const repository = await findOwnRepository(context);
  if (!repository) return refusePlace(context, directory);
  const where = `is outside the repository ${quote(repository.root)} and is not in any other git repository that this server can read`;
  return context.fail("INVALID_PAYLOAD", `${quote(file)} ${where}.`, {
    recovery: withHelp("Pass a file inside a git repository."),
  });
}

async function refuseFile(
  context: Context,
  file: string,
  repository: Repository,
  path: string,
): Promise<never> {
  const kind = path === "" ? "folder" : await repository.findKind(path);
  const refuse = (message: string, hint: string, meant?: string): never =>
    context.fail("UNKNOWN_ID", message, {
      ...(kind !== undefined && { details: { kind: kind === "file" ? "binary" : kind } }),
      recovery: meant === undefined ? withHelp(hint) : { hint, args: { file: meant }, patch: true },
    });
  const asTyped = (found: string): string => {
    const whole = join(repository.root, found);
    return isAbsolute(file) ? whole : relative(baseOf(context), whole).split(sep).join("/");
  };
  if (kind === "link")
    return refuse(`${quote(file)} is a symbolic link.`, "Pass the file that it points to.");
  if (kind === "large" || kind === "file")
    return refuse(
      `${quote(file)} is ${kind === "large" ? "too large" : "not a text file"}, so Thoughtbox cannot explain its lines.`,
      kind === "large" ? "Pass a smaller file." : "Pass a text file.",
    );
  const files = await repository.listFiles();
  if (kind === "folder") {
    const inside = files.find((one) => path === "" || one.startsWith(`${path}/`));
    if (inside === undefined) return refuse(`${quote(file)} is a folder.`, "Pass a file in it.");
    const meant = asTyped(inside);
    return refuse(`${quote(file)} is a folder.`, `Pass a file in it, such as ${quote(meant)}.`, meant);
  }
  const near = findNear(path, files);
  const missing = `The repository ${quote(repository.root)} has no file ${quote(path)}.`;
  if (near === undefined) return refuse(missing, "Pass the path as git lists it.");
  return refuse(missing, `Did you mean ${quote(asTyped(near))}?`, asTyped(near));
}

function findNear(path: string, files: readonly string[]): string | undefined {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const siblings = files.flatMap((file) => {
    const name = file.startsWith(folder) ? file.slice(folder.length) : "/";
    return name.includes("/") ? [] : [name];
  });
  const sibling = nearest(fileName(path), siblings);
  if (sibling !== undefined) return `${folder}${sibling}`;
  return files.find((file) => fileName(file) === fileName(path));
}

export const mostFiles = 50;
const longestFile = 200_000;

/** Opens the lines that a commit added. For a range, opens only lines that still exist. */
export async function openCommit(context: Context, commit: string): Promise<OpenedFile> {
  const repository = await openRepository(context, baseOf(context));
  const [from, to] = commit.split(/\.{2,3}/);
  if (to !== undefined) return openRange(context, repository, from || "HEAD", to || "HEAD");
  const id = await resolve(context, repository, commit);
  const parts = await partsOfCommit(repository, id);
  return { repository, parts: parts.slice(0, mostFiles), commits: [id], ...noteOf(parts.length) };
}

export async function partsOfCommit(repository: Repository, id: string): Promise<Part[]> {
  const added = new Map<string, AddedLine[]>();
  for (const line of await repository.readAdded(id)) {
    const lines = added.get(line.path);
    if (lines) lines.push(line);
    else added.set(line.path, [line]);
  }
  return [...added].map(([path, lines]) => toPart(id, path, lines));
}

async function resolve(context: Context, repository: Repository, name: string): Promise<string> {
  const id = await repository.resolve(name);
  if (id !== undefined) return id;
  return context.fail("UNKNOWN_ID", `There is no commit ${quote(name)}.`, {
    recovery: withHelp("Pass a commit in this repository."),
  });
}

export async function readBefore(
  context: Context,
  repository: Repository,
  range: string,
  path: string,
): Promise<readonly string[]> {
  const [from, to] = range.split(/\.{2,3}/);
  const start = await resolve(context, repository, from || "HEAD");
  const end = await resolve(context, repository, to || "HEAD");
  const base = (await repository.findBase(start, end)) ?? start;
  const name = `${base}:${path}`;
  return splitText((await repository.readTexts([name])).get(name) ?? "");
}

async function openRange(
  context: Context,
  repository: Repository,
  from: string,
  to: string,
): Promise<OpenedFile> {
  const [start, end] = [await resolve(context, repository, from), await resolve(context, repository, to)];
  const { commits, paths } = await repository.readRange(start, end);
  const wanted = new Set(commits);
  const parts: Part[] = [];
  const shortened: string[] = [];
  for (const path of paths.slice(0, mostFiles)) {
    const lines = await readLines(repository, path);
    const only = lines?.flatMap(({ commit }, at) => (wanted.has(commit) ? [at] : [])) ?? [];
    if (lines && only.length > 0) parts.push({ path, lines, only, keep: () => true });
    else shortened.push(path);
  }
  return { repository, parts, shortened, ...noteOf(paths.length) };
}

const noteOf = (files: number) =>
  files > mostFiles ? { note: `Only ${mostFiles} of ${files} files were searched.` } : {};

/** Returns a file with only the added lines. Lines between them are blank and have no author. */
function toPart(commit: string, path: string, added: readonly AddedLine[]): Part {
  const near = added.filter(({ line }) => line <= longestFile);
  const lines = Array.from({ length: near.at(-1)?.line ?? 0 }, () => toSourceLine("", "between", path));
  for (const { line, text } of near) lines[line - 1] = toSourceLine(text, commit, path);
  return { path, lines, only: near.map(({ line }) => line - 1), keep: () => true };
}

/** `session:number` or `session:branch:number`. */
const thoughtId = /^([0-9a-f-]{8,36}):(?:([a-z0-9-]{1,64}):)?(\d{1,7})$/;
const editsAtOnce = 500;

/**
 * Opens what a decision or thought refers to. A decision's files take precedence over the lines of its
 * commit, and those over the lines of the thought that records it.
 */
export async function openRecord(context: MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID">, id: string) {
  if (!decisionIdForm.test(id)) return openThought(context, id);
  const decision = await readDecisionCard(context, id);
  if (!decision) return refuseDecision(context, id);
  const { files, commit, thought } = decision;
  if (files.length === 0 && commit !== undefined) return openCommit(context, commit);
  if (files.length === 0 && thought !== undefined) return openThought(context, thought);
  const repository = await openRepository(context, baseOf(context));
  const parts: Part[] = [];
  for (const { path, lines: range } of files.slice(0, mostFiles)) {
    const lines = await readLines(repository, path);
    const [from = 1, to = from] = range?.split("-").map(Number) ?? [1, lines?.length ?? 1];
    const only = lines?.flatMap((_, at) => (at + 1 >= from && at + 1 <= to ? [at] : [])) ?? [];
    if (lines) parts.push({ path, lines, only, keep: () => true });
  }
  const note = parts.length === 0 ? "None of the decision's files is in this repository." : undefined;
  return { repository, parts, ...(note !== undefined && { note }) };
}

async function readDecisionCard(context: MemoryContext, id: string): Promise<Decision | undefined> {
  if (!context.state) return undefined;
  const found = await context.memory.findNode(context.workspace, checkoutOrDefault(context), id, 0);
  return found?.node.kind === "node" && found.node.type === "decision" ? readDecision(found.node) : undefined;
}

const refuseDecision = ({ fail }: Context, id: string): never =>
  fail("UNKNOWN_ID", `This workspace has no decision ${quote(id)}.`, {
    recovery: { hint: "List the decisions.", operation: "decisions", args: {} },
  });

/**
 * Opens the files that were edited right after a thought. Keeps only lines that those edits wrote and that still exist.
 */
async function openThought(context: Context, id: string): Promise<OpenedFile> {
  const [, sessionId = "", branchId, number] = thoughtId.exec(id) ?? [];
  const record = await readSession(context.ledger, context.settings, sessionId);
  if (!record)
    return context.fail("UNKNOWN_ID", `There is no thought ${quote(id)}. Write it as session:number.`, {
      recovery: { hint: "List the sessions.", operation: "session.list", args: {} },
    });
  const repository = await openRepository(context, baseOf(context));
  const edits = (await readEdits(context, sessionId)).filter(
    ({ after }) => after?.thoughtNumber === Number(number) && after.branchId === branchId,
  );
  const calls = new Set(edits.map(({ call }) => call));
  const paths = await findPaths(
    repository,
    edits.map(({ path }) => path),
  );
  const parts: Part[] = [];
  for (const path of paths.slice(0, mostFiles)) {
    const lines = await readLines(repository, path);
    const keep: Part["keep"] = ({ found }, at) => calls.has(found[at - 1]?.known.edit.call ?? "");
    if (lines) parts.push({ path, lines, keep });
  }
  const note = calls.size === 0 ? "No recorded edit directly follows this thought." : undefined;
  return { repository, parts, ...(note !== undefined && { note }) };
}

type KeptEdit = Extract<KeptAction, { type: "edit" }>;

export async function readEdits({ actions }: BaseContext, sessionId: string): Promise<KeptEdit[]> {
  const edits: KeptEdit[] = [];
  for (let after = 0; ; ) {
    const page = await actions.readOfSession(sessionId, { after, limit: editsAtOnce, type: "edit" });
    edits.push(...page.flatMap(({ action }) => (action.type === "edit" ? [action] : [])));
    after = page.at(-1)?.order ?? after;
    if (page.length < editsAtOnce) return edits;
  }
}

/** Finds the recorded paths in the repository. Returns each file once. */
export async function findPaths(repository: Repository, written: readonly string[]): Promise<string[]> {
  const known = await repository.findPaths([...new Set(written)].flatMap(pathEnds));
  return [...new Set(written.flatMap((path) => repositoryPath(path, (end) => known.has(end)) ?? []))];
}

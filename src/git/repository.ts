import { createHash } from "node:crypto";
import { lstat, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, sep } from "node:path";
import { openToRead } from "../disk/open-without-following.ts";
import type { ComparedPin } from "../domain/memory/ground.ts";
import type { BlameLine, Commit, Repositories, Repository } from "../ports/repository.ts";
import { comparePins, textsIn } from "./compare-pins.ts";
import {
  commitId,
  findRoot,
  followLinks,
  type HeadSeal,
  headSince,
  isRootOf,
  sealHead,
} from "./find-head.ts";
import {
  type GitObject,
  keepCopies,
  parseAdded,
  parseBlame,
  parseChecked,
  parseCommits,
  parseObjects,
} from "./parse-git.ts";
import { createGit, type Git, isFailure } from "./run-git.ts";

export const gitLimits = {
  timeoutMs: 20_000,
  maxBytes: 128 * 1024 * 1024,
  fileBytes: 8 * 1024 * 1024,
  /** The maximum number of entries in each cache, for all repositories together. */
  blames: 100,
  keptCommits: 20_000,
  keptPaths: 20_000,
  keptPins: 20_000,
  path: 1_024,
  openedFolders: 500,
  commits: 20_000,
} as const;

const revision = /^[\w][\w./@{}^~+-]{0,199}$/;

/** Git objects never change, so they are cached. While HEAD stays the same, a hover does not start git. */
export function createRepositories(environment: Readonly<Record<string, string>>): Repositories {
  const runGit = createGit({ environment, timeoutMs: gitLimits.timeoutMs, maxBytes: gitLimits.maxBytes });
  const kept: Kept = {
    blames: createCache(gitLimits.blames),
    commits: createCache(gitLimits.keptCommits),
    paths: createCache(gitLimits.keptPaths),
    pins: createCache(gitLimits.keptPins),
  };
  const opened = createCache<{ root: string; head: string; seal: HeadSeal }>(gitLimits.openedFolders);
  return {
    follow: followLinks,
    async open(directory, signal) {
      const git: Git = (at, words, input) => runGit(at, words, input, signal);
      if (!isAbsolute(directory) || directory.includes("\0")) return undefined;
      const before = opened.get(directory);
      if (before) {
        const head = headSince(before, sealHead(before.root));
        if (head !== undefined && (await isRootOf(before.root, directory)))
          return createRepository(git, before.root, head, kept);
      }
      const seal = sealHead(await findRoot(directory));
      const both = await git(directory, ["rev-parse", "--show-toplevel", "HEAD^{commit}"]);
      // A repository without commits has no HEAD.
      const found = isFailure(both) ? await git(directory, ["rev-parse", "--show-toplevel"]) : both;
      if (isFailure(found)) return undefined;
      const printed = found.toString("utf8").replace(/\r?\n$/, "");
      const at = isFailure(both) ? printed.length : printed.lastIndexOf("\n");
      const root = printed.slice(0, at).replace(/\r$/, "");
      if (!(await isRootOf(root, directory))) return undefined;
      const head = isFailure(both) ? undefined : printed.slice(at + 1);
      if (head !== undefined && seal !== undefined) opened.set(directory, { root, head, seal });
      return createRepository(git, root, head, kept);
    },
  };
}

type Cache<Value> = {
  get(key: string): Value | undefined;
  has(key: string): boolean;
  set(key: string, value: Value): void;
};

type Kept = {
  blames: Cache<readonly BlameLine[] | undefined>;
  commits: Cache<Commit>;
  /** The blob of a file, or the tree of a folder. A folder's path ends with a slash. `undefined` if there is none. */
  paths: Cache<string | undefined>;
  pins: Cache<ComparedPin>;
};

/** Evicts the oldest entry first. */
function createCache<Value>(limit: number): Cache<Value> {
  const entries = new Map<string, Value>();
  return {
    get: (key) => entries.get(key),
    has: (key) => entries.has(key),
    set(key, value) {
      entries.set(key, value);
      const [oldest] = entries.keys();
      if (entries.size > limit && oldest !== undefined) entries.delete(oldest);
    },
  };
}

/** True if a path is normalised, inside the repository, and not one of git's own files. */
export function isRepositoryPath(path: string): boolean {
  const names = path.split("/");
  return (
    path.length <= gitLimits.path &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: line breaks would end a line of git's input
    !/[\u0000-\u001f\u007f]/.test(path) &&
    names.every((name) => name !== "" && name !== "." && name !== "..") &&
    names[0]?.toLowerCase() !== ".git"
  );
}

/** Excludes stashes, notes and the branches where agents store checkpoints. Those contain no work. */
const everyReference = [
  "--exclude=refs/stash",
  "--exclude=refs/notes/*",
  "--exclude=refs/heads/entire/*",
  "--exclude=refs/remotes/*/entire/*",
  "--all",
];

/** Returns the first folder of a path, or the path itself if it has no folder. */
const topOf = (path: string): string => path.slice(0, path.indexOf("/") + 1) || path;

const isText = (text: string | undefined): text is string => text !== undefined;

const linesIn = (printed: Buffer): string[] => printed.toString("utf8").split("\n").filter(Boolean);

function createRepository(
  git: Git,
  root: string,
  head: string | undefined,
  { blames, commits, paths, pins }: Kept,
): Repository {
  async function blame(path: string, commit = head): Promise<readonly BlameLine[] | undefined> {
    if (commit === undefined || !commitId.test(commit) || !isRepositoryPath(path)) return undefined;
    const key = `${root}\n${commit}\n${path}`;
    if (blames.has(key)) return blames.get(key);
    const words = ["--porcelain", "--no-textconv", commit, "--", path];
    // Both commands run at the same time, which takes barely longer than running one.
    const [moved, plain] = await Promise.all([
      git(root, ["blame", "-w", "-M", ...words]),
      git(root, ["blame", "-w", ...words]),
    ]);
    for (const printed of [moved, plain])
      if (isFailure(printed) && printed.failed !== "status") throw new Error(printed.message);
    if (isFailure(moved) || isFailure(plain)) return undefined;
    const isText = !moved.subarray(0, 8_000).includes(0);
    const [followed, own] = [moved, plain].map((printed) =>
      parseBlame(isText ? printed.toString("utf8") : ""),
    );
    const lines = isText && followed && own ? keepCopies(followed, own) : undefined;
    blames.set(key, lines);
    return lines;
  }

  /** Reads a file in the work tree. Follows no links, so nothing outside the repository is read. */
  async function readWorkingBytes(path: string): Promise<Buffer | undefined> {
    if (!isRepositoryPath(path)) return undefined;
    const file = join(root, ...path.split("/"));
    const [real, base] = await Promise.all([realpath(file).catch(() => undefined), realpath(root)]);
    if (
      real !==
      join(base, ...path.split("/"))
        .split("/")
        .join(sep)
    )
      return undefined;
    const handle = await openToRead(file).catch(() => undefined);
    if (!handle) return undefined;
    try {
      const stat = await handle.stat();
      if (!stat.isFile() || stat.size > gitLimits.fileBytes) return undefined;
      const bytes = await handle.readFile();
      return bytes.subarray(0, 8_000).includes(0) ? undefined : bytes;
    } finally {
      await handle.close();
    }
  }

  const readWorkingFile = async (path: string): Promise<string | undefined> =>
    (await readWorkingBytes(path))?.toString("utf8");

  /** Reads all commits with one git process. `<id>^1` names a first parent whose ID is not known yet. */
  async function readCommits(
    ids: readonly string[],
    { firstParents = false } = {},
  ): Promise<ReadonlyMap<string, Commit>> {
    const asked = [...new Set(ids)].filter((id) => commitId.test(id)).slice(0, gitLimits.commits);
    const keyOf = (id: string) => `${root}\n${id}`;
    const parentOf = (id: string) => (firstParents ? commits.get(keyOf(id))?.parents[0] : undefined);
    const missing = asked.flatMap((id) => {
      if (!commits.has(keyOf(id))) return firstParents ? [id, `${id}^1`] : [id];
      const parent = parentOf(id);
      return parent === undefined || commits.has(keyOf(parent)) ? [] : [parent];
    });
    const printed =
      missing.length === 0
        ? undefined
        : await git(root, ["cat-file", "--batch"], `${[...new Set(missing)].join("\n")}\n`);
    const read = !printed || isFailure(printed) ? new Map<string, Commit>() : parseCommits(printed);
    for (const [id, commit] of read) commits.set(keyOf(id), commit);
    const wanted = asked.flatMap((id) => [id, ...[parentOf(id) ?? read.get(id)?.parents[0]].filter(isText)]);
    return new Map(
      (firstParents ? wanted : asked).flatMap((id) => {
        const commit = read.get(id) ?? commits.get(keyOf(id));
        return commit ? [[id, commit] as const] : [];
      }),
    );
  }

  async function readAdded(commit: string) {
    if (!commitId.test(commit)) return [];
    const words = [
      "log",
      "-1",
      "-p",
      "-U0",
      "-w",
      "-M",
      "--format=",
      "--no-color",
      "--first-parent",
      "-m",
      "--root",
    ];
    const safe = ["--no-ext-diff", "--no-textconv", "--no-show-signature", "--ignore-submodules=all"];
    const printed = await git(root, [...words, ...safe, "--end-of-options", commit]);
    return isFailure(printed) ? [] : parseAdded(printed.toString("utf8"));
  }

  /** Finds each path's blob at `head`, or `undefined` for a missing file. Omits paths git cannot look up. */
  async function lookUp(asked: readonly string[]): Promise<ReadonlyMap<string, string | undefined>> {
    const known = [...new Set(asked)].filter(isRepositoryPath);
    if (head === undefined || known.length === 0) return new Map();
    const keyOf = (path: string) => `${root}\n${head}\n${path}`;
    const found = new Map<string, string | undefined>();
    // Most requested paths are outside the repository. If the first folder does not exist, neither does the file.
    const isAbsent = (folder: string) => paths.has(keyOf(folder)) && paths.get(keyOf(folder)) === undefined;
    for (const path of known)
      if (paths.has(keyOf(path)) || isAbsent(topOf(path))) found.set(path, paths.get(keyOf(path)));
    const missing = known.filter((path) => !found.has(path));
    if (missing.length === 0) return found;
    const names = [...new Set(missing.flatMap((path) => [topOf(path), path]))];
    const input = names.map((name) => `${head}:${name}\n`).join("");
    const printed = await git(root, ["cat-file", "--batch-check=%(objecttype) %(objectname)"], input);
    if (isFailure(printed)) return found;
    const objects = parseChecked(printed.toString("utf8"));
    for (const [index, name] of names.entries()) {
      const { type, id } = objects[index] ?? {};
      const isFolder = name.endsWith("/");
      const object = type === (isFolder ? "tree" : "blob") ? id : undefined;
      paths.set(keyOf(name), object);
      if (!isFolder) found.set(name, object);
    }
    return found;
  }

  const findBlobs = async (asked: readonly string[]): Promise<ReadonlyMap<string, string>> =>
    new Map([...(await lookUp(asked))].flatMap(([path, blob]) => (blob === undefined ? [] : [[path, blob]])));

  const findPaths = async (asked: readonly string[]): Promise<ReadonlySet<string>> =>
    new Set((await findBlobs(asked)).keys());

  async function hashWorkingFile(path: string): Promise<string | undefined> {
    const bytes = await readWorkingBytes(path);
    if (bytes === undefined) return undefined;
    const kind = head !== undefined && head.length > 40 ? "sha256" : "sha1";
    return createHash(kind).update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
  }

  async function findKind(path: string) {
    if (!isRepositoryPath(path)) return undefined;
    const file = join(root, ...path.split("/"));
    const folder = await realpath(dirname(file)).catch(() => undefined);
    if (folder !== dirname(join(await realpath(root), ...path.split("/")))) return undefined;
    const stat = await lstat(file).catch(() => undefined);
    if (!stat || stat.isDirectory()) return stat && "folder";
    return stat.isSymbolicLink() ? "link" : stat.size > gitLimits.fileBytes ? "large" : "file";
  }

  async function listFiles(): Promise<readonly string[]> {
    if (head === undefined) return [];
    const printed = await git(root, ["ls-tree", "-r", "-z", "--name-only", "--full-tree", head]);
    return isFailure(printed) ? [] : printed.toString("utf8").split("\0").filter(isRepositoryPath);
  }

  async function listCommits(limit: number): Promise<readonly string[]> {
    if (head === undefined) return [];
    const words = ["log", "--no-merges", "--format=%H", `--max-count=${limit}`, "--no-show-signature"];
    const printed = await git(root, [...words, ...everyReference, head]);
    return isFailure(printed) ? [] : linesIn(printed).filter((id) => commitId.test(id));
  }

  async function listReachable() {
    if (head === undefined) return { ids: new Set<string>(), roots: [] };
    const printed = await git(root, [
      "log",
      "--format=%H %P",
      "--no-show-signature",
      ...everyReference,
      head,
    ]);
    if (isFailure(printed)) return undefined;
    const rows = linesIn(printed).map((line) => line.trim().split(" "));
    const ids = new Set(rows.flatMap(([id]) => id ?? []));
    return { ids, roots: rows.flatMap(([id, ...parents]) => (id && parents.length === 0 ? [id] : [])) };
  }

  async function readObjects(names: readonly string[]): Promise<ReadonlyMap<string, GitObject> | undefined> {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: line breaks would end a line of git's input
    const asked = [...new Set(names)].filter((name) => !/[\u0000-\u001f\u007f]/.test(name));
    if (asked.length === 0) return new Map();
    const printed = await git(root, ["cat-file", "--batch"], `${asked.join("\n")}\n`);
    if (isFailure(printed)) return undefined;
    const objects = parseObjects(printed);
    return new Map(asked.flatMap((name, at) => (objects[at] ? [[name, objects[at]] as const] : [])));
  }

  const readTexts = async (names: readonly string[]): Promise<ReadonlyMap<string, string>> =>
    textsIn((await readObjects(names)) ?? new Map());

  async function resolveCommit(name: string): Promise<string | undefined> {
    if (!revision.test(name)) return undefined;
    const words = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
    const found = await git(root, words);
    return isFailure(found) ? undefined : found.toString("utf8").trim().split("\n").at(-1);
  }

  async function readBranch(): Promise<string | undefined> {
    const found = await git(root, ["symbolic-ref", "--quiet", "--short", "HEAD"]);
    return isFailure(found) ? undefined : found.toString("utf8").trim() || undefined;
  }

  async function findBase(one: string, other: string): Promise<string | undefined> {
    if (!commitId.test(one) || !commitId.test(other)) return undefined;
    const found = await git(root, ["merge-base", one, other]);
    return isFailure(found) ? undefined : found.toString("utf8").trim();
  }

  async function findDeletion(path: string): Promise<string | undefined> {
    if (head === undefined || !isRepositoryPath(path)) return undefined;
    const words = ["log", "-1", "--format=%H", "--diff-filter=D", "--no-show-signature"];
    const found = await git(root, [...words, "--end-of-options", head, "--", path]);
    const id = isFailure(found) ? "" : found.toString("utf8").trim();
    return commitId.test(id) ? id : undefined;
  }

  async function readRange(from: string, to: string) {
    const nothing = { commits: [], paths: [] };
    if (!commitId.test(from) || !commitId.test(to)) return nothing;
    const safe = ["--no-ext-diff", "--no-textconv", "--no-show-signature", "--ignore-submodules=all"];
    const words = ["log", "--format=%x00%H", "--name-only", "-z", "--no-color", ...safe];
    const printed = await git(root, [...words, "--end-of-options", `${from}..${to}`]);
    if (isFailure(printed)) return nothing;
    const texts = printed
      .toString("utf8")
      .split(/\0+\n?|\n/)
      .filter((text) => text !== "");
    return {
      commits: texts.filter((text) => commitId.test(text)),
      paths: [...new Set(texts.filter((text) => !commitId.test(text)))],
    };
  }

  async function countAdded(from: string, to: string): Promise<ReadonlyMap<string, number>> {
    if (!commitId.test(from) || !commitId.test(to)) return new Map();
    const safe = ["--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=all"];
    const words = ["diff", "--numstat", "-z", "--no-color", ...safe, "--end-of-options", `${from}...${to}`];
    const printed = await git(root, words);
    if (isFailure(printed)) return new Map();
    const rows = printed.toString("utf8").split("\0");
    return new Map(
      rows.flatMap((row) => {
        const [, added, path] = /^(\d+)\t\d+\t([\s\S]+)$/.exec(row) ?? [];
        return path === undefined ? [] : [[path, Number(added)] as const];
      }),
    );
  }

  return {
    root,
    head,
    blame,
    readWorkingFile,
    readCommits,
    readBranch,
    resolve: resolveCommit,
    findBase,
    readAdded,
    findPaths,
    findBlobs,
    comparePins: (asked) =>
      comparePins(asked, { root, head, paths, isRepositoryPath, lookUp, readObjects, kept: pins }),
    hashWorkingFile,
    findKind,
    listFiles,
    listCommits,
    listReachable,
    readTexts,
    findDeletion,
    readRange,
    countAdded,
  };
}

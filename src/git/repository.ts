import { realpath } from "node:fs/promises";
import { isAbsolute, join, sep } from "node:path";
import { openToRead } from "../disk/open-without-following.ts";
import type { BlameLine, Commit, Repositories, Repository } from "../ports/repository.ts";
import { parseAdded, parseBlame, parseCommits, parseTypes } from "./parse-git.ts";
import { createGit, type Git, isFailure } from "./run-git.ts";

export const gitLimits = {
  timeoutMs: 20_000,
  maxBytes: 128 * 1024 * 1024,
  fileBytes: 8 * 1024 * 1024,
  /** Blamed files that are kept, over all repositories. */
  blames: 100,
  path: 1_024,
  commits: 20_000,
} as const;

const commitId = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const revision = /^[\w][\w./@{}^~+-]{0,199}$/;

/** Blames are kept by commit and path, so that a hover is answered without git. */
export function createRepositories(environment: Readonly<Record<string, string>>): Repositories {
  const git = createGit({ environment, timeoutMs: gitLimits.timeoutMs, maxBytes: gitLimits.maxBytes });
  const blames = new Map<string, readonly BlameLine[] | undefined>();
  return {
    async open(directory) {
      if (!isAbsolute(directory)) return undefined;
      const found = await git(directory, ["rev-parse", "--show-toplevel"]);
      if (isFailure(found)) return undefined;
      const root = found.toString("utf8").replace(/\r?\n$/, "");
      const head = await git(root, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
      return createRepository(git, root, isFailure(head) ? undefined : head.toString("utf8").trim(), blames);
    },
  };
}

/** Inside the repository, by the shortest spelling; git's own files are none of it. */
export function isRepositoryPath(path: string): boolean {
  const names = path.split("/");
  return (
    path.length <= gitLimits.path &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: line breaks would end a line of what git is asked
    !/[\u0000-\u001f\u007f]/.test(path) &&
    names.every((name) => name !== "" && name !== "." && name !== "..") &&
    names[0]?.toLowerCase() !== ".git"
  );
}

function createRepository(
  git: Git,
  root: string,
  head: string | undefined,
  blames: Map<string, readonly BlameLine[] | undefined>,
): Repository {
  async function blame(path: string): Promise<readonly BlameLine[] | undefined> {
    if (head === undefined || !isRepositoryPath(path)) return undefined;
    const key = `${root}\n${head}\n${path}`;
    if (blames.has(key)) return blames.get(key);
    const words = ["blame", "-w", "-M", "--porcelain", "--no-textconv", head, "--", path];
    const printed = await git(root, words);
    if (isFailure(printed)) {
      if (printed.failed === "status") return undefined;
      throw new Error(printed.message);
    }
    const lines = printed.subarray(0, 8_000).includes(0) ? undefined : parseBlame(printed.toString("utf8"));
    blames.set(key, lines);
    const [oldest] = blames.keys();
    if (blames.size > gitLimits.blames && oldest !== undefined) blames.delete(oldest);
    return lines;
  }

  /** No link may lead outside the repository, and none is followed. */
  async function readWorkingFile(path: string): Promise<string | undefined> {
    if (!isRepositoryPath(path)) return undefined;
    const file = join(root, ...path.split("/"));
    const real = await realpath(file).catch(() => undefined);
    if (
      real !==
      join(await realpath(root), ...path.split("/"))
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
      return bytes.subarray(0, 8_000).includes(0) ? undefined : bytes.toString("utf8");
    } finally {
      await handle.close();
    }
  }

  async function readCommits(ids: readonly string[]): Promise<ReadonlyMap<string, Commit>> {
    const asked = [...new Set(ids)].filter((id) => commitId.test(id)).slice(0, gitLimits.commits);
    if (asked.length === 0) return new Map();
    const printed = await git(root, ["cat-file", "--batch"], `${asked.join("\n")}\n`);
    return isFailure(printed) ? new Map() : parseCommits(printed);
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

  async function findPaths(paths: readonly string[]): Promise<ReadonlySet<string>> {
    const asked = [...new Set(paths)].filter(isRepositoryPath);
    if (head === undefined || asked.length === 0) return new Set();
    const input = asked.map((path) => `${head}:${path}\n`).join("");
    const printed = await git(root, ["cat-file", "--batch-check=%(objecttype)"], input);
    if (isFailure(printed)) return new Set();
    const types = parseTypes(printed.toString("utf8"));
    return new Set(asked.filter((_, index) => types[index] === "blob"));
  }

  async function resolveCommit(name: string): Promise<string | undefined> {
    if (!revision.test(name)) return undefined;
    const words = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
    const found = await git(root, words);
    return isFailure(found) ? undefined : found.toString("utf8").trim().split("\n").at(-1);
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

  return {
    root,
    head,
    blame,
    readWorkingFile,
    readCommits,
    resolve: resolveCommit,
    readAdded,
    findPaths,
    readRange,
  };
}

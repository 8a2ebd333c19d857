import { type ChildProcess, execFile, spawn } from "node:child_process";
import { promisify } from "node:util";
import { keepCopies, parseBlame } from "../../src/git/parse-git.ts";
import type { BlameLine } from "../../src/ports/repository.ts";

const run = promisify(execFile);

export type GitReader = ReturnType<typeof createGitReader>;

/** Creates a reader that may list trees, unlike the product's, because the user chose the repository. */
export function createGitReader(repository: string) {
  const env = {
    ...process.env,
    ...{ GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none", GIT_OPTIONAL_LOCKS: "0" },
  };
  const words = (...asked: string[]) => [
    "-C",
    repository,
    "-c",
    "core.quotePath=false",
    "--no-pager",
    ...asked,
  ];
  const read = async (...asked: string[]): Promise<string> =>
    (await run("git", words(...asked), { env, maxBuffer: 1024 * 1024 * 1024 })).stdout;
  const objects = createObjectReader(() =>
    spawn("git", words("cat-file", "--batch"), { env, stdio: ["pipe", "pipe", "ignore"] }),
  );
  return {
    resolve: async (name: string) => (await read("rev-parse", "--verify", `${name}^{commit}`)).trim(),
    exists: (name: string) =>
      read("rev-parse", "--verify", "--quiet", `${name}^{commit}`).then(
        () => true,
        () => false,
      ),
    async listFiles(ref: string): Promise<{ path: string; id: string }[]> {
      const rows = (await read("ls-tree", "-r", "-z", ref)).split("\0");
      return rows.flatMap((row) => {
        const [, type, id, path] = /^\d+ (\w+) ([0-9a-f]+)\t(.*)$/s.exec(row) ?? [];
        return type === "blob" && id !== undefined && path !== undefined ? [{ path, id }] : [];
      });
    },
    /** Reads every path that any commit has changed. */
    readPaths: async () =>
      (await read("log", "--all", "--format=", "--name-only", "-z")).split("\0").map((path) => path.trim()),
    /** Returns `undefined` for files that are not text. */
    async blame(head: string, path: string): Promise<BlameLine[] | undefined> {
      const words = ["--porcelain", "--no-textconv", head, "--", path];
      const [moved = "", plain = ""] = await Promise.all(
        [["-M"], []].map((follow) => read("blame", "-w", ...follow, ...words).catch(() => "\0")),
      );
      return moved.includes("\0") ? undefined : keepCopies(parseBlame(moved), parseBlame(plain));
    },
    readObject: objects.read,
    async readTrailers(key: string): Promise<{ commit: string; trailer: string }[]> {
      const format = `--format=%H%x00%(trailers:key=${key},valueonly,separator=%x00)`;
      return (await read("log", "--all", format)).split("\n").flatMap((row) => {
        const [commit = "", ...values] = row.split("\0");
        return values.flatMap((value) => (value.trim() === "" ? [] : [{ commit, trailer: value.trim() }]));
      });
    },
    close: objects.close,
  };
}

/** Reads all objects with one process, one after the other. Returns `undefined` for objects that the copy lacks. */
function createObjectReader(start: () => ChildProcess) {
  let child: ChildProcess | undefined;
  let pieces: Buffer[] = [];
  let wake = () => {};
  const held = () => {
    const all = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
    pieces = [all];
    return all;
  };
  const more = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  return {
    async read(id: string): Promise<Buffer | undefined> {
      if (id === "") return undefined;
      if (!child) {
        child = start();
        child.stdout?.on("data", (piece: Buffer) => {
          pieces.push(piece);
          wake();
        });
      }
      child.stdin?.write(`${id}\n`);
      while (!held().includes(10)) await more();
      const end = held().indexOf(10);
      const size = /^[0-9a-f]+ \w+ (\d+)$/.exec(held().toString("latin1", 0, end))?.[1];
      const last = size === undefined ? end : end + 1 + Number(size);
      while (pieces.reduce((sum, { length }) => sum + length, 0) <= last) await more();
      const all = held();
      pieces = [all.subarray(last + 1)];
      return size === undefined ? undefined : Buffer.from(all.subarray(end + 1, last));
    },
    close: () => child?.stdin?.end(),
  };
}

import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The benchmark reads repositories that the person who runs it chose, so it may list trees as well. */
export type GitReader = ReturnType<typeof createGitReader>;

export function createGitReader(repository: string) {
  const env = { ...process.env, GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none", GIT_OPTIONAL_LOCKS: "0" };
  const words = (...asked: string[]) => ["-C", repository, "-c", "core.quotePath=false", "-c", "safe.directory=*", ...asked];
  async function read(...asked: string[]): Promise<string> {
    return (await run("git", words(...asked), { env, maxBuffer: 1024 * 1024 * 1024 })).stdout;
  }
  const batch = createBatch(() => spawn("git", words("cat-file", "--batch"), { env, stdio: ["pipe", "pipe", "ignore"] }));
  return {
    read,
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
    readBlob: batch.read,
    async readTrailers(key: string): Promise<{ commit: string; trailer: string }[]> {
      const format = `--format=%H%x00%(trailers:key=${key},valueonly,separator=%x00)`;
      const rows = (await read("log", "--all", format)).split("\n");
      return rows.flatMap((row) => {
        const [commit = "", ...values] = row.split("\0");
        return values.flatMap((value) => (value.trim() === "" ? [] : [{ commit, trailer: value.trim() }]));
      });
    },
    close: batch.close,
  };
}

/** One process reads all objects. `undefined` for what the copy lacks. */
function createBatch(start: () => ReturnType<typeof spawn>) {
  let child: ReturnType<typeof spawn> | undefined;
  let held = Buffer.alloc(0);
  let wake: (() => void) | undefined;
  async function until(ready: () => boolean): Promise<void> {
    while (!ready()) await new Promise<void>((resolve) => (wake = resolve));
  }
  return {
    async read(id: string): Promise<Buffer | undefined> {
      if (!child) {
        child = start();
        child.stdout?.on("data", (piece: Buffer) => {
          held = held.length === 0 ? piece : Buffer.concat([held, piece]);
          wake?.();
        });
      }
      child.stdin?.write(`${id}\n`);
      await until(() => held.includes(10));
      const end = held.indexOf(10);
      const size = /^[0-9a-f]+ \w+ (\d+)$/.exec(held.toString("latin1", 0, end))?.[1];
      if (size === undefined) {
        held = held.subarray(end + 1);
        return undefined;
      }
      const last = end + 1 + Number(size);
      await until(() => held.length > last);
      const body = Buffer.from(held.subarray(end + 1, last));
      held = held.subarray(last + 1);
      return body;
    },
    close: () => child?.stdin?.end(),
  };
}

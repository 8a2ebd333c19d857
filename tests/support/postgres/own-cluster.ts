import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
// @ts-expect-error: a script of plain JavaScript.
import { startPostgres, stopPostgres } from "../../../scripts/postgres-server.mjs";

const script = join(import.meta.dirname, "..", "..", "..", "scripts", "postgres-server.mjs");
const run = promisify(execFile);

/** In another process, so that this one goes on meanwhile. */
const command = (...args: string[]) => run(process.execPath, [script, ...args]);

export type Cluster = ReturnType<typeof clusterIn>;

function clusterIn(directory: string) {
  const port = (): number => JSON.parse(readFileSync(join(directory, "options.json"), "utf8")).port;
  const url = (database = "postgres") =>
    `postgres://thoughtbox@/${database}?host=${directory}&port=${port()}`;
  return {
    directory,
    url,
    /** As several hosts are written in an address. */
    place: () => `127.0.0.1:${port()}`,
    crash: () => command("crash", directory),
    promote: () => command("promote", directory),
    /** The processes of the crashed one may take a moment to notice. */
    async resume(): Promise<void> {
      for (let tries = 0; ; tries += 1)
        try {
          await command("resume", directory);
          return;
        } catch (thrown) {
          if (tries > 40) throw thrown;
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
    },
  };
}

function scratch(): string {
  const directory = `/tmp/thoughtbox-pg-${process.pid}-${randomUUID().slice(0, 8)}`;
  onTestFinished(() => {
    try {
      stopPostgres(directory);
    } catch {
      // It is down already.
    }
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

/** A server of the test's own, which it may do anything to. Over the loopback it asks for no password. */
export async function startCluster(more: readonly (readonly [string, string])[] = []): Promise<Cluster> {
  const directory = scratch();
  await startPostgres(directory, { more, trusts: true });
  return clusterIn(directory);
}

export async function startStandbyOf(primary: Cluster): Promise<Cluster> {
  const directory = scratch();
  await command("standby", directory, primary.directory);
  return clusterIn(directory);
}

import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
// @ts-expect-error: a plain JavaScript file.
import { startPostgres, stopPostgres } from "../../../scripts/postgres-server.mjs";

const script = join(import.meta.dirname, "..", "..", "..", "scripts", "postgres-server.mjs");
const run = promisify(execFile);

/** Runs in another process, so that this one can continue. */
const command = (...args: string[]) => run(process.execPath, [script, ...args]);

export type Cluster = ReturnType<typeof clusterIn>;

function clusterIn(directory: string) {
  const port = (): number => JSON.parse(readFileSync(join(directory, "options.json"), "utf8")).port;
  const url = (database = "postgres") =>
    `postgres://thoughtbox@/${database}?host=${directory}&port=${port()}`;
  return {
    directory,
    url,
    /** Returns the host and port, as written in an address with several hosts. */
    place: () => `127.0.0.1:${port()}`,
    crash: () => command("crash", directory),
    promote: () => command("promote", directory),
    /** Tries several times, because the crashed processes may take a moment to exit. */
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
      // The server is already down.
    }
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

/**
 * Starts a separate server with which the test may do anything. Over loopback, the server requires no
 * password.
 */
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

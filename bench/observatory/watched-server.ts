import { readFileSync } from "node:fs";
import { join } from "node:path";
import { candidates, root } from "../servers/candidates.ts";
import { startChild } from "../servers/child.ts";
import { connectModern } from "../servers/http-client.ts";
import { residentMemory } from "../servers/resident-memory.ts";

const loopDelay = join(root, "bench", "observatory", "loop-delay.mjs");

export type WatchedServer = Awaited<ReturnType<typeof startWatchedServer>>;

/** Starts `thoughtbox serve` with its Observatory, both on free ports. */
export async function startWatchedServer(dataDir: string, more: Record<string, string> = {}) {
  const { args, env } = candidates.thoughtboxHttp(dataDir);
  const delays = join(dataDir, "loop-delays");
  const { child, exited, stop } = startChild(
    {
      args: ["--import", loopDelay, ...args],
      env: {
        ...env,
        THOUGHTBOX_OBSERVATORY_PORT: "0",
        THOUGHTBOX_DISCLOSURE: "open",
        BENCH_LOOP_DELAYS: delays,
        ...more,
      },
    },
    ["ignore", "ignore", "pipe"],
  );
  let said = "";
  const [mcp, observatory] = await new Promise<[string, string]>((resolve, reject) => {
    child.stderr?.on("data", (chunk) => {
      said = (said + chunk).slice(-4_000);
      const found = [/serves MCP at (\S+)/, /Observatory: (\S+)\//].map((line) => line.exec(said)?.[1]);
      if (found[0] && found[1]) resolve([found[0], found[1]]);
    });
    void exited.then(() => reject(new Error(`the server ended: ${said}`)));
  });
  const client = connectModern(new URL(mcp));
  return {
    /** The address of the Observatory's page, without a trailing slash. */
    url: observatory,
    client,
    memory: () => residentMemory(child.pid ?? 0),
    /** Returns how late the server's timers were, in milliseconds. A call would have waited as long. */
    loopDelays: () => readFileSync(delays, "utf8").split("\n").filter(Boolean).map(Number),
    async stop(): Promise<void> {
      client.close();
      await stop();
    },
  };
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sessionFolder, thoughtFileName } from "../../src/domain/ledger/tree/layout.ts";
import { toolName } from "../../src/operations/pipeline/normalise.ts";
import { someThought } from "../stores/some-thought.ts";
import type { Params, Result } from "./messages.ts";

type Calls = { call(name: string, args?: Params): Promise<Result> };

const projectionPatienceMs = 60_000;

/** Calls an operation over any transport and returns its answer. */
export const callOperation = async ({ call }: Calls, operation: string, args: Params = {}): Promise<Result> =>
  (await call(toolName(operation), args)).structuredContent;

export const think = (client: Calls, sessionId: string): Promise<Result> =>
  callOperation(client, "thought", { sessionId, thought: someThought(), nextThoughtNeeded: true });

/** Starts a Thoughtbox session that is ready for thoughts. */
export async function startThinking(client: Calls, dataDir: string) {
  const { sessionId, session } = await callOperation(client, "start_new", { sessionTitle: "bench" });
  await callOperation(client, "cipher", { sessionId });
  const folder = join(dataDir, ...sessionFolder(session));
  let highest = 0;

  /** Polls for the files, because a watcher cannot watch folders that do not exist yet. */
  async function whenProjected(): Promise<void> {
    const file = join(folder, thoughtFileName(highest));
    const deadline = performance.now() + projectionPatienceMs;
    while (highest > 0 && !existsSync(file)) {
      if (performance.now() > deadline) throw new Error(`${file} was not written`);
      await sleep(1);
    }
  }

  return {
    sessionId: sessionId as string,
    async think(): Promise<void> {
      const { thoughtNumber } = await think(client, sessionId);
      highest = Math.max(highest, thoughtNumber);
    },
    /**
     * Resolves once the last thought's file exists. Until that file exists, the server is busy in the
     * background.
     */
    whenProjected,
  };
}

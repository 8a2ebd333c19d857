import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import type { Reply } from "../../src/kernel/reply.ts";
import type { Caller } from "../../src/operations/pipeline/context.ts";
import type { Call } from "../../src/operations/pipeline/perform.ts";
import { repositoryOf } from "./git/repository.ts";
import { type StoreName, storageSettings } from "./stores/stores.ts";
import { tempDir } from "./temp-dir.ts";
import type { createTestApp, TestClient } from "./test-app.ts";
import { clientHomes } from "./transcripts.ts";

type BareApp = Pick<ReturnType<typeof createTestApp>, "modern" | "dataDir">;

/** Creates the whole program in process, for measuring. The answers are not checked. */
export function createBareApp(storage: StoreName = "memory", dataDir = join(tempDir(), "data")): BareApp {
  const { modern, close } = openBareApp(storage, dataDir);
  onTestFinished(close);
  return { modern, dataDir };
}

/** Like `createBareApp`, but the caller closes the program. */
export function openBareApp(storage: StoreName, dataDir: string, settings: Record<string, string> = {}) {
  const env = {
    ...clientHomes(dataDir),
    ...settings,
    ...storageSettings(storage, dataDir),
  };
  const contentDir = join(import.meta.dirname, "..", "..", "content");
  // A situation may create a repository here.
  const workingDirectory = repositoryOf({ dataDir });
  mkdirSync(workingDirectory, { recursive: true });
  const config = readConfig({ env });
  const app = createApp({ config, version: "0.0.0-test", contentDir, log: () => {}, workingDirectory });
  const modern = (more: Partial<Caller> = {}) => createBareClient(app.perform, more);
  return { modern, client: modern(), close: () => app.close() };
}

function createBareClient(
  perform: ReturnType<typeof createApp>["perform"],
  more: Partial<Caller>,
): TestClient {
  const caller: Caller = {
    era: "modern",
    transport: "stdio",
    can: { roots: false, sampling: false },
    ...more,
  };
  const reply = (name: string, args: unknown = {}, call: Partial<Call> = {}): Promise<Reply> =>
    perform(name, args, { caller, ...call });
  const expectKind = async (kind: Reply["kind"], name: string, args: unknown) => {
    const given = await reply(name, args);
    if (given.kind !== kind) throw new Error(`${name} answered ${JSON.stringify(given).slice(0, 500)}`);
    return given;
  };
  return {
    caller,
    reply,
    call: async (name, args) => ((await expectKind("result", name, args)) as { result: unknown }).result,
    refusal: async (name, args) =>
      ((await expectKind("error", name, args)) as Extract<Reply, { kind: "error" }>).error,
  };
}

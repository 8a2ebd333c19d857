import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import type { Clock } from "../../src/kernel/clock.ts";
import type { ErrorReply, Reply } from "../../src/kernel/reply.ts";
import { catalogue } from "../../src/operations/catalogue.ts";
import {
  type Caller,
  type Conversation,
  createBinding,
  type Root,
} from "../../src/operations/pipeline/context.ts";
import { createNormaliser } from "../../src/operations/pipeline/normalise.ts";
import type { Call } from "../../src/operations/pipeline/perform.ts";
import { startedIn } from "./git/repository.ts";
import {
  type Era,
  openHttpDoor,
  openPipeDoor,
  openStdioDoor,
  type RealConnection,
  type RealDoor,
} from "./real-door.ts";
import { checkReply } from "./replies/check-reply.ts";
import { createAdviceFollower } from "./replies/follow-advice.ts";
import { hasPostgres } from "./stores/postgres-server.ts";
import { lastingStores, type StoreName, storageSettings, storeNames } from "./stores/stores.ts";
import { clientHomes } from "./transcripts.ts";

/** Every kind of store that can be had on this machine. */
export const backends = storeNames;
export type Backend = StoreName;
export type Door = Backend | "stdio" | "http" | "binary";

/** Ways to the same behaviour: in process on each backend, and through real clients on each transport. */
export const doors: readonly Door[] = [...backends, "stdio", "http"];
/** And through the built binary, each client with a process of its own. */
export const everyDoor: readonly Door[] = [...doors, "binary"];

const onPostgres = (era: Era): (readonly [Era, Door])[] => (hasPostgres ? [[era, "postgres"]] : []);

export const eras = ["legacy", "modern"] as const;

/** For what depends on the door: stages, bindings, questions to the client, errors. */
export const ways: readonly (readonly [Era, Door])[] = [
  ...eras.flatMap((era) => (["memory", "fs", "stdio", "http"] as const).map((door) => [era, door] as const)),
  ...onPostgres("legacy"),
];

/** For what rules and stores decide: every door once, and each era in process and served. */
export const fewWays: readonly (readonly [Era, Door])[] = [
  ["modern", "memory"],
  ["legacy", "fs"],
  ["legacy", "stdio"],
  ["modern", "http"],
  ...onPostgres("modern"),
];

/** For what no door can change, and for what makes thousands of calls. */
export const inProcess: readonly (readonly [Era, Door])[] = [
  ["modern", "memory"],
  ["legacy", "fs"],
  ...onPostgres("modern"),
];

/** Those whose store outlives the program. */
export const lastingDoors: readonly Door[] = [...lastingStores, "binary", "http"];
export const lastingWays: readonly (readonly [Era, Door])[] = [
  ["modern", "fs"],
  ["legacy", "binary"],
  ["modern", "http"],
  ...onPostgres("legacy"),
];

export type TestAppOptions = {
  backend?: Door;
  dataDir?: string;
  env?: Record<string, string>;
  /** In process only. */
  clock?: Clock;
  /** Lines that would go to stderr; in process only. */
  log?: (line: string) => void;
};

type Reach = (name: string, args: unknown, call: Partial<Call>) => Promise<Reply>;

export type TestApp = ReturnType<typeof openTestApp>;

/** The whole program on a store of its own, for one test; its answers are held against their schemas. */
export function createTestApp(options: TestAppOptions = {}): TestApp {
  return openTestApp(options, onTestFinished);
}

/**
 * One program for all tests of the block it is made in. A new store and a new client cost some
 * 0.1 s of work, and a process 0.6 s; a block of fifty tests pays that once instead of fifty times, and so can take
 * all its inputs through every door. The price: tests meet the sessions of those before them, and a legacy client the session it
 * had last. So here a test begins by starting a session (or takes one that is only read, by `once`) and counts at most
 * what is in a project of its own; a test of an empty store, of the first stage, of the server's project or of a
 * setting has an app of its own.
 */
export function shareTestApp(options: Omit<TestAppOptions, "dataDir"> = {}): TestApp {
  return openTestApp(options, afterAll);
}

function openTestApp(
  { backend = "memory", dataDir, env, ...others }: TestAppOptions,
  until: (end: () => Promise<void>) => void,
) {
  const directory = dataDir ?? join(tmpdir(), `thoughtbox-test-${randomUUID()}`, "data");
  const options = { ...others, env: { ...clientHomes(directory), ...env } };
  const { reach, close } = isInProcess(backend)
    ? openInProcess(backend, directory, options)
    : openServed(backend, directory, options);
  const advice = backend === "memory" ? createAdviceFollower() : undefined;
  const finish = async () => {
    await advice?.finish();
    await close();
  };
  until(async () => {
    await finish();
    if (dataDir === undefined) rmSync(dirname(directory), { recursive: true, force: true });
  });
  const caller = (era: Era, more: Partial<Caller>): Caller => ({
    era,
    transport: backend === "http" ? "http" : "stdio",
    can: { roots: false, sampling: false },
    ...(era === "legacy" && { binding: createBinding() }),
    ...more,
  });
  return {
    dataDir: directory,
    close: finish,
    /** Calls that answers of the memory advised and that were made; in memory only. */
    followed: advice?.followed ?? [],
    modern: (more: Partial<Caller> = {}) => createTestClient(reach, caller("modern", more), advice),
    legacy: (more: Partial<Caller> = {}) => createTestClient(reach, caller("legacy", more), advice),
  };
}

/** Whether a test reaches the program without a transport. */
export const isInProcess = (door: Door): door is Backend => backends.includes(door as Backend);

/** Whether people find the sessions as files below the data directory. */
export const keepsFiles = (door: Door): boolean => door !== "memory" && door !== "postgres";

type Opened = { reach: (caller: Caller) => Reach; close(): Promise<void> };

/** Opens the store at the first call: a block whose tests are not run leaves no trace. */
function openInProcess(
  backend: Backend,
  dataDir: string,
  { env = {}, clock, log = () => {} }: TestAppOptions,
): Opened {
  let app: ReturnType<typeof createApp> | undefined;
  const openApp = () => {
    const config = readConfig({ env: { ...storageSettings(backend, dataDir), ...env } });
    const contentDir = join(import.meta.dirname, "..", "..", "content");
    const workingDirectory = startedIn(dataDir) ?? process.cwd();
    return createApp({
      config,
      version: "0.0.0-test",
      contentDir,
      log,
      workingDirectory,
      ...(clock && { clock }),
    });
  };
  return {
    reach: (caller) => async (name, args, call) => {
      app ??= openApp();
      return app.perform(name, args, { caller, ...call });
    },
    close: async () => app?.close(),
  };
}

const servedDoors = { stdio: openPipeDoor, http: openHttpDoor, binary: openStdioDoor };

/** Connects at a client's first call; the roots it has are those that its calls name as answers. */
function openServed(backend: Door, dataDir: string, { env = {}, clock, log }: TestAppOptions): Opened {
  if (clock || log) throw new Error(`no test can reach the clock or the log of a server behind ${backend}`);
  let door: Promise<RealDoor> | undefined;
  const openDoor = () => {
    door ??= Promise.resolve(servedDoors[backend as keyof typeof servedDoors](dataDir, env));
    return door;
  };
  return {
    close: async () => (await door)?.close(),
    reach: ({ era, can, client, conversation, toolUse }) => {
      const meta = conversation && metaOf(conversation, toolUse);
      let connection: Promise<RealConnection> | undefined;
      let roots: readonly Root[] = [];
      return async (name, args, { answers }) => {
        if (answers?.roots && !("failed" in answers.roots)) roots = answers.roots;
        connection ??= openDoor().then((opened) =>
          opened.connect(era, can.roots ? () => roots : undefined, client),
        );
        return (await connection).call(name, args, meta);
      };
    },
  };
}

/** As Codex names the conversation, the sub-agent and the call. */
const metaOf = ({ id, agent }: Conversation, toolUse: string | undefined) => ({
  "x-codex-turn-metadata": { session_id: id, thread_id: agent ?? id },
  ...(toolUse !== undefined && { callId: toolUse }),
});

export type TestClient = ReturnType<typeof createTestClient>;

/** Whatever an answer of the memory advises is tried, as it stands. */
function createTestClient(
  reach: (caller: Caller) => Reach,
  caller: Caller,
  advice: ReturnType<typeof createAdviceFollower> | undefined,
) {
  const send = reach(caller);
  async function reply(name: string, args: unknown = {}, call: Partial<Call> = {}): Promise<Reply> {
    const given = await send(name, args, call);
    checkReply(name, args, given);
    if (familyOf(name, args) === "memory")
      await advice?.take(given, (operation, advised) => send(operation, advised, {}), name);
    return given;
  }
  return {
    caller,
    reply,
    /** The result; a failure fails the test with its error. */
    async call(name: string, args: unknown = {}): Promise<any> {
      const given = await reply(name, args);
      if (given.kind !== "result") throw new Error(`${name} answered ${JSON.stringify(given)}`);
      return given.result;
    },
    /** The error; a success fails the test with its result. */
    async refusal(name: string, args: unknown = {}): Promise<ErrorReply> {
      const given = await reply(name, args);
      if (given.kind !== "error") throw new Error(`${name} answered ${JSON.stringify(given)}`);
      return given.error;
    },
  };
}

/** The same client, making its calls through the gateway: there operations open in stages. */
export function throughGateway(client: TestClient): TestClient {
  const spell = (operation: string, args: unknown = {}) => ({ operation, args });
  const gateway = "thoughtbox_gateway";
  return {
    caller: client.caller,
    reply: (name, args, call) => client.reply(gateway, spell(name, args), call),
    call: (name, args) => client.call(gateway, spell(name, args)),
    refusal: (name, args) => client.refusal(gateway, spell(name, args)),
  };
}

const normalise = createNormaliser(catalogue);

function familyOf(name: string, args: unknown): string | undefined {
  try {
    return normalise(name, args).operation.family;
  } catch {
    // Nothing has this name.
    return undefined;
  }
}

/** A session at stage 2, ready for thoughts. */
export async function startThinking(client: TestClient, args: Record<string, unknown> = {}): Promise<string> {
  const { sessionId } = await client.call("start_new", args);
  await client.call("cipher", { sessionId });
  return sessionId as string;
}

/** Goes on with a session at stage 2, be it another client's. */
export async function resumeThinking(client: TestClient, sessionId: string): Promise<void> {
  await client.call("load_context", { sessionId });
  await client.call("cipher", { sessionId });
}

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

/** Every kind of store available on this machine. */
export const backends = storeNames;
export type Backend = StoreName;
export type Door = Backend | "stdio" | "http" | "binary";

/** All ways to call the program: in process with each backend, and with real clients over each transport. */
export const doors: readonly Door[] = [...backends, "stdio", "http"];
/** All ways to call the program, including the built binary with a process for each client. */
export const everyDoor: readonly Door[] = [...doors, "binary"];

const onPostgres = (era: Era): (readonly [Era, Door])[] => (hasPostgres ? [[era, "postgres"]] : []);

export const eras = ["legacy", "modern"] as const;

/**
 * For behaviour that depends on how the program is called: stages, bindings, questions to the client, errors.
 */
export const ways: readonly (readonly [Era, Door])[] = [
  ...eras.flatMap((era) => (["memory", "fs", "stdio", "http"] as const).map((door) => [era, door] as const)),
  ...onPostgres("legacy"),
];

/**
 * For behaviour that depends on rules and stores: every way to call the program once, and each era both in
 * process and served.
 */
export const fewWays: readonly (readonly [Era, Door])[] = [
  ["modern", "memory"],
  ["legacy", "fs"],
  ["legacy", "stdio"],
  ["modern", "http"],
  ...onPostgres("modern"),
];

/** For behaviour that is the same however the program is called, and for tests with thousands of calls. */
export const inProcess: readonly (readonly [Era, Door])[] = [
  ["modern", "memory"],
  ["legacy", "fs"],
  ...onPostgres("modern"),
];

/** Ways to call the program with a store that outlives it. */
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
  /** Receives lines that would go to stderr. In process only. */
  log?: (line: string) => void;
};

type Reach = (name: string, args: unknown, call: Partial<Call>) => Promise<Reply>;

export type TestApp = ReturnType<typeof openTestApp>;

/** Creates the whole program on its own store for one test. Checks its answers against their schemas. */
export function createTestApp(options: TestAppOptions = {}): TestApp {
  return openTestApp(options, onTestFinished);
}

/**
 * Shares one program for all tests in a block. A new store and client cost about 0.1 s of work, and a process
 * 0.6 s. A block of fifty tests pays that once instead of fifty times, so it can try all its inputs in every
 * way. The drawback is that tests see the sessions of earlier tests, and a legacy client still has its last
 * session. So each test first starts a session (or uses a read-only one from `once`), and counts only items
 * in its own project. Tests of an empty store, the first stage, the server's project or a setting need their
 * own app.
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
    /** The calls that memory answers advised and that were made. No calls unless the backend is `memory`. */
    followed: advice?.followed ?? [],
    modern: (more: Partial<Caller> = {}) => createTestClient(reach, caller("modern", more), advice),
    legacy: (more: Partial<Caller> = {}) => createTestClient(reach, caller("legacy", more), advice),
  };
}

/** Returns whether a test reaches the program without a transport. */
export const isInProcess = (door: Door): door is Backend => backends.includes(door as Backend);

/** Returns whether sessions are stored as files below the data directory. */
export const keepsFiles = (door: Door): boolean => door !== "memory" && door !== "postgres";

type Opened = { reach: (caller: Caller) => Reach; close(): Promise<void> };

/** Opens the store at the first call, so that a block whose tests do not run leaves no trace. */
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

/** Connects at a client's first call. A client's roots are set by the `answers` of its calls. */
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

/** Returns the conversation, sub-agent and call, as Codex names them. */
const metaOf = ({ id, agent }: Conversation, toolUse: string | undefined) => ({
  "x-codex-turn-metadata": { session_id: id, thread_id: agent ?? id },
  ...(toolUse !== undefined && { callId: toolUse }),
});

export type TestClient = ReturnType<typeof createTestClient>;

/** Tries every call that a memory answer advises, unchanged. */
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
    /** Returns the result. A failure fails the test with its error. */
    async call(name: string, args: unknown = {}): Promise<any> {
      const given = await reply(name, args);
      if (given.kind !== "result") throw new Error(`${name} answered ${JSON.stringify(given)}`);
      return given.result;
    },
    /** Returns the error. A success fails the test with its result. */
    async refusal(name: string, args: unknown = {}): Promise<ErrorReply> {
      const given = await reply(name, args);
      if (given.kind !== "error") throw new Error(`${name} answered ${JSON.stringify(given)}`);
      return given.error;
    },
  };
}

/** Returns the same client, but it calls through the gateway, where operations unlock in stages. */
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
    // No operation has this name.
    return undefined;
  }
}

/** Starts a session at stage 2, ready for thoughts. */
export async function startThinking(client: TestClient, args: Record<string, unknown> = {}): Promise<string> {
  const { sessionId } = await client.call("start_new", args);
  await client.call("cipher", { sessionId });
  return sessionId as string;
}

/** Continues a session at stage 2, possibly another client's. */
export async function resumeThinking(client: TestClient, sessionId: string): Promise<void> {
  await client.call("load_context", { sessionId });
  await client.call("cipher", { sessionId });
}

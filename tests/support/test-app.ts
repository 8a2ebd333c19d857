import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import type { Clock } from "../../src/kernel/clock.ts";
import type { ErrorReply, Reply } from "../../src/kernel/reply.ts";
import { type Caller, createBinding } from "../../src/operations/caller.ts";
import type { Call } from "../../src/operations/perform.ts";
import { checkReply } from "./check-reply.ts";
import { openHttpDoor, openStdioDoor, type RealConnection, type RealDoor } from "./real-door.ts";
import { tempDir } from "./temp-dir.ts";

export const backends = ["memory", "fs"] as const;
export type Backend = (typeof backends)[number];

/** Ways to the same behaviour: in process on each backend, and through real clients on each transport. */
export const doors = [...backends, "stdio", "http"] as const;
export type Door = (typeof doors)[number];

type TestAppOptions = {
  backend?: Door;
  dataDir?: string;
  env?: Record<string, string>;
  /** In process only. */
  clock?: Clock;
  /** Lines that would go to stderr; in process only. */
  log?: (line: string) => void;
};

type Reach = (name: string, args: unknown, call: Partial<Call>) => Promise<Reply>;

/** The whole program, with its answers held against their schemas. */
export function createTestApp({
  backend = "memory",
  dataDir = join(tempDir(), "data"),
  ...options
}: TestAppOptions = {}) {
  const open = backend === "stdio" || backend === "http" ? openServed : openInProcess;
  const { reach, close } = open(backend, dataDir, options);
  const caller = (era: "legacy" | "modern", more: Partial<Caller>): Caller => ({
    era,
    transport: backend === "http" ? "http" : "stdio",
    can: { roots: false, sampling: false },
    ...(era === "legacy" && { binding: createBinding() }),
    ...more,
  });
  return {
    dataDir,
    close,
    modern: (more: Partial<Caller> = {}) => createTestClient(reach, caller("modern", more)),
    legacy: (more: Partial<Caller> = {}) => createTestClient(reach, caller("legacy", more)),
  };
}

type Opened = { reach: (caller: Caller) => Reach; close(): Promise<void> };

function openInProcess(
  backend: Door,
  dataDir: string,
  { env = {}, clock, log = () => {} }: TestAppOptions,
): Opened {
  const config = readConfig({ env: { ...env, THOUGHTBOX_STORAGE: backend, THOUGHTBOX_DATA_DIR: dataDir } });
  const contentDir = join(import.meta.dirname, "..", "..", "content");
  const app = createApp({ config, version: "0.0.0-test", contentDir, log, ...(clock && { clock }) });
  onTestFinished(() => app.close());
  return {
    reach: (caller) => (name, args, call) => app.perform(name, args, { caller, ...call }),
    close: app.close,
  };
}

/** Connects at a client's first call, with the roots that the call's answers name. */
function openServed(backend: Door, dataDir: string, { env = {} }: TestAppOptions): Opened {
  let door: Promise<RealDoor> | undefined;
  const close = async () => (await door)?.close();
  onTestFinished(close);
  const openDoor = () => {
    door ??= backend === "http" ? openHttpDoor(dataDir, env) : Promise.resolve(openStdioDoor(dataDir, env));
    return door;
  };
  return {
    close,
    reach: ({ era, can }) => {
      let connection: Promise<RealConnection> | undefined;
      return async (name, args, { answers }) => {
        const roots = can.roots ? (answers?.roots ?? []) : undefined;
        connection ??= openDoor().then((opened) => opened.connect(era, roots));
        return (await connection).call(name, args);
      };
    },
  };
}

export type TestClient = ReturnType<typeof createTestClient>;

function createTestClient(reach: (caller: Caller) => Reach, caller: Caller) {
  const send = reach(caller);
  async function reply(name: string, args: unknown = {}, call: Partial<Call> = {}): Promise<Reply> {
    const given = await send(name, args, call);
    checkReply(name, args, given);
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

/** A session at stage 2, ready for thoughts. */
export async function startThinking(client: TestClient, args: Record<string, unknown> = {}): Promise<string> {
  const { sessionId } = await client.call("start_new", args);
  await client.call("cipher", { sessionId });
  return sessionId as string;
}

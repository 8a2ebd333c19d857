import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import * as z from "zod";
import { type App, createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import type { Clock } from "../../src/kernel/clock.ts";
import type { ErrorReply, Reply } from "../../src/kernel/reply.ts";
import { type Caller, createBinding } from "../../src/operations/caller.ts";
import { catalogue } from "../../src/operations/catalogue.ts";
import { normaliseCall } from "../../src/operations/normalise.ts";
import type { Call } from "../../src/operations/perform.ts";
import { tempDir } from "./temp-dir.ts";

export const backends = ["memory", "fs"] as const;
export type Backend = (typeof backends)[number];

type TestAppOptions = {
  backend?: Backend;
  dataDir?: string;
  env?: Record<string, string>;
  clock?: Clock;
  /** Lines that would go to stderr. */
  log?: (line: string) => void;
};

/** The whole program in process, with its outputs held against their schemas. */
export function createTestApp({
  backend = "memory",
  dataDir,
  env = {},
  clock,
  log = () => {},
}: TestAppOptions = {}) {
  const directory = dataDir ?? join(tempDir(), "data");
  const config = readConfig({ env: { ...env, THOUGHTBOX_STORAGE: backend, THOUGHTBOX_DATA_DIR: directory } });
  const contentDir = join(import.meta.dirname, "..", "..", "content");
  const app = createApp({ config, version: "0.0.0-test", contentDir, log, ...(clock && { clock }) });
  onTestFinished(() => app.close());
  return {
    dataDir: directory,
    close: app.close,
    modern: (more: Partial<Caller> = {}) =>
      client(app, { era: "modern", transport: "stdio", can: none, ...more }),
    legacy: (more: Partial<Caller> = {}) =>
      client(app, { era: "legacy", transport: "stdio", can: none, binding: createBinding(), ...more }),
  };
}

export type TestClient = ReturnType<typeof client>;

const none = { roots: false, sampling: false };

function client(app: App, caller: Caller) {
  async function reply(name: string, args: unknown = {}, call: Partial<Call> = {}): Promise<Reply> {
    const given = await app.perform(name, args, { caller, ...call });
    if (given.kind === "result") checkResult(name, args, given.result);
    if (given.kind === "error") checkError(name, args, given.error);
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

/** What `perform` itself adds to every answer. */
const additions = ["sessionId", "warnings", "next", "truncated", "hasMore"];

function checkResult(name: string, args: unknown, result: Record<string, unknown>): void {
  const { operation } = normaliseCall(catalogue, name, args);
  z.object(operation.output.shape).parse(result);
  const known = [...Object.keys(operation.output.shape), ...additions];
  expect(
    Object.keys(result).filter((key) => !known.includes(key)),
    `${operation.name} answers undeclared fields`,
  ).toEqual([]);
}

/** Codes that routing raises for any operation. */
const routing = [
  "INVALID_PAYLOAD",
  "INVALID_OPERATION",
  "STAGE_REQUIREMENT_NOT_MET",
  "SESSION_NOT_FOUND",
  "STORAGE_ERROR",
];

function checkError(name: string, args: unknown, error: ErrorReply): void {
  if (error.code === "INVALID_OPERATION" || routing.includes(error.code)) return;
  const { operation } = normaliseCall(catalogue, name, args);
  expect(operation.errors, `${operation.name} fails with a code it does not declare`).toContain(error.code);
}

/** A modern session at stage 2, ready for thoughts. */
export async function startThinking(client: TestClient, args: Record<string, unknown> = {}): Promise<string> {
  const { sessionId } = await client.call("start_new", args);
  await client.call("cipher", { sessionId });
  return sessionId as string;
}

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ErrorCode } from "../../src/kernel/errors.ts";
import type { ErrorReply } from "../../src/kernel/reply.ts";
import { catalogue } from "../../src/operations/catalogue.ts";
import { situations } from "../support/situations.ts";
import { missingDatabase } from "../support/stores/postgres-server.ts";
import { tempDir } from "../support/temp-dir.ts";
import { type Backend, createTestApp, startThinking, type TestClient } from "../support/test-app.ts";

type Failure = { error: ErrorReply; client: TestClient; args: Record<string, unknown> };
export type Provoke = (name: string, backend: Backend) => Promise<Failure>;
export type Provocations = Record<string, Partial<Record<ErrorCode, Provoke>>>;

export const nobody = "00000000-0000-4000-8000-000000000000";

export async function refused(
  client: TestClient,
  name: string,
  args: Record<string, unknown>,
): Promise<Failure> {
  return { error: await client.refusal(name, args), client, args };
}

/** Calls the operation with a new session at stage 2. */
export const onSession =
  (args: Record<string, unknown>): Provoke =>
  async (name, backend) => {
    const client = createTestApp({ backend }).modern();
    return refused(client, name, { sessionId: await startThinking(client), ...args });
  };

export const atOnce =
  (args: Record<string, unknown>, env: Record<string, string> = {}): Provoke =>
  (name, backend) =>
    refused(createTestApp({ backend, env }).modern(), name, args);

/** Calls the operation with a regular file as the data directory, or without the database. */
export const brokenStore: Provoke = async (name, backend) => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "");
  const client = createTestApp(
    backend === "postgres"
      ? { backend, env: { DATABASE_URL: missingDatabase() } }
      : { backend: "fs", dataDir: join(file, "data") },
  ).modern();
  const operation = catalogue.find((candidate) => candidate.name === name);
  const example: Record<string, unknown> = { ...operation?.examples[0]?.input };
  if ("conflict_id" in example) example["conflict_id"] = noConflict;
  if ("sessionId" in example) example["sessionId"] = nobody;
  return refused(
    client,
    name,
    operation?.family === "memory" ? { ...example } : { ...example, sessionId: nobody },
  );
};

export const locked = { THOUGHTBOX_PROJECT: "mine", THOUGHTBOX_PROJECT_LOCK: "true" };
export const noConflict = `CONFLICT-${"0".repeat(32)}`;
export const twoPlaces = { target: "TASK-001", branch: "main" };
export const nowhere = { branch: "nowhere" };
export const wrongDoc = { ref: "plan@2" };

export const unknownSession: Provoke = async (name, backend) => {
  const example = catalogue.find((operation) => operation.name === name)?.examples[0]?.input;
  return refused(createTestApp({ backend }).modern(), name, { ...example, sessionId: nobody });
};

/** Runs the same example twice on the same session. */
export const twice: Provoke = async (name, backend) => {
  const client = createTestApp({ backend }).modern();
  const example = catalogue.find((operation) => operation.name === name)?.examples[0]?.input;
  const args = { ...example, sessionId: await startThinking(client) };
  await client.call(name, args);
  return refused(client, name, args);
};

/** Calls the operation in one of the prepared situations. */
export const given =
  (situation: string, args: Record<string, unknown>): Provoke =>
  async (name, backend) => {
    const prepare = situations[situation];
    if (!prepare) throw new Error(`there is no situation ${situation}`);
    const { client, conflict, sessionId } = await prepare(createTestApp({ backend }));
    return refused(client, name, {
      ...args,
      ...(args["conflict_id"] === "$conflict" && { conflict_id: conflict }),
      ...(args["sessionId"] === "$session" && { sessionId }),
    });
  };

export const onBranch = (args: Record<string, unknown>) => given("a workspace with a branch", args);
export const onCommits = (args: Record<string, unknown>) => given("a workspace with commits", args);
export const onGraph = (args: Record<string, unknown>) => given("a workspace with a graph", args);

export const onCards = (args: Record<string, unknown>) => given("a workspace with cards", args);
export const onTask = (args: Record<string, unknown>) => given("a task in focus", args);

/** Provokes the errors of every tool that reads cards by `ref`. */
export const byRef = (args: Record<string, unknown> = {}): Partial<Record<ErrorCode, Provoke>> => ({
  INVALID_PAYLOAD: onCards({ ...args, target: "TASK-001", ref: "main" }),
  UNKNOWN_ID: onCards({ ...args, ref: "nowhere" }),
  STORAGE_ERROR: brokenStore,
});

/** Provokes the errors of every tool that changes cards by `ref`. */
export const changesByRef = (args: Record<string, unknown>): Partial<Record<ErrorCode, Provoke>> => ({
  ...byRef(args),
  NO_CHECKOUT: atOnce(args),
});

/** `make` returns the arguments for a branch that is a session. */
export const onLedger =
  (make: (branch: string) => Record<string, unknown>): Provoke =>
  async (name, backend) => {
    const client = createTestApp({ backend }).modern();
    return refused(client, name, make(`session/${await startThinking(client)}`));
  };

/** Calls the operation after another call, in the situation with a task. */
export const after =
  (before: string, beforeArgs: Record<string, unknown>, args: Record<string, unknown>): Provoke =>
  async (name, backend) => {
    const prepare = situations["a task in focus"];
    if (!prepare) throw new Error("there is no such situation");
    const { client } = await prepare(createTestApp({ backend }));
    await client.call(before, beforeArgs);
    return refused(client, name, args);
  };

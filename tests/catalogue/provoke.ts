import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ErrorCode } from "../../src/kernel/errors.ts";
import type { ErrorReply } from "../../src/kernel/reply.ts";
import { catalogue } from "../../src/operations/catalogue.ts";
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

/** With a new session at stage 2. */
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

/** A regular file stands where the data directory should be made. */
export const brokenStore: Provoke = async (name) => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "");
  const client = createTestApp({ backend: "fs", dataDir: join(file, "data") }).modern();
  const operation = catalogue.find((candidate) => candidate.name === name);
  const example = operation?.examples[0]?.input;
  return refused(
    client,
    name,
    operation?.family === "memory" ? { ...example } : { ...example, sessionId: nobody },
  );
};

import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { errorCatalogue } from "../../src/kernel/errors.ts";
import { tempDir } from "../support/temp-dir.ts";
import { createTestApp, startThinking, ways } from "../support/test-app.ts";

/** The codes in the contract's ErrorPayload, with their HTTP-like numbers. */
const contract = {
  SESSION_NOT_FOUND: 404,
  THOUGHT_NOT_FOUND: 404,
  INVALID_OPERATION: 400,
  STAGE_REQUIREMENT_NOT_MET: 403,
  INTERNAL_ERROR: 500,
  INVALID_PAYLOAD: 400,
  STORAGE_ERROR: 500,
  SAMPLING_NOT_SUPPORTED: 501,
};

test("the error catalogue contains every code of the contract with its number", () => {
  const known = Object.entries(errorCatalogue).map(([code, { status }]) => [code, status]);
  expect(Object.fromEntries(known)).toMatchObject(contract);
});

describe.each(ways)("a %s client on %s", (era, backend) => {
  test("meets every code that a caller can cause, with a message and a recovery", async () => {
    const client = createTestApp({ backend })[era]();
    const nobody = "00000000-0000-4000-8000-000000000000";
    const tooEarly = await client.refusal("thoughtbox_gateway", { operation: "thought", thought: "x" });
    const sessionId = await startThinking(client);
    const gateway = (args: object) => client.refusal("thoughtbox_gateway", { sessionId, ...args });
    const met = [
      tooEarly,
      await client.refusal("thoughtbox_gateway", { operation: "load_context", sessionId: nobody }),
      await gateway({ operation: "read_thoughts", thoughtNumber: 7 }),
      await gateway({ operation: "thougt", thought: "x" }),
      await gateway({ operation: "thought" }),
    ];
    expect(met.map(({ code }) => code)).toEqual([
      "STAGE_REQUIREMENT_NOT_MET",
      "SESSION_NOT_FOUND",
      "THOUGHT_NOT_FOUND",
      "INVALID_OPERATION",
      "INVALID_PAYLOAD",
    ]);
    for (const { message } of met) expect(message).toMatch(/\S[.?]$/);
    for (const { recovery } of met.slice(0, 4)) expect(recovery?.operation).toBeDefined();
    const { warnings } = await client.call("thought", { sessionId, thought: "x", critique: true });
    expect(warnings).toMatchObject([{ code: "SAMPLING_NOT_SUPPORTED" }]);
  });
});

test("a store that cannot be opened is reported as STORAGE_ERROR", async () => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "");
  const client = createTestApp({ backend: "fs", dataDir: join(file, "data") }).modern();
  expect(await client.refusal("start_new")).toMatchObject({ code: "STORAGE_ERROR" });
});

test("an internal fault is reported as INTERNAL_ERROR, and its details appear only in the log", async () => {
  const lines: string[] = [];
  const config = readConfig({ env: { THOUGHTBOX_STORAGE: "memory", THOUGHTBOX_DATA_DIR: tempDir() } });
  const contentDir = join(tmpdir(), randomUUID());
  const app = createApp({ config, version: "0.0.0-test", contentDir, log: (line) => lines.push(line) });
  onTestFinished(() => app.close());
  const caller = { era: "modern", transport: "stdio", can: { roots: false, sampling: false } } as const;
  const started = await app.perform("start_new", {}, { caller });
  if (started.kind !== "result") throw new Error("no session");
  const reply = await app.perform("cipher", { sessionId: started.result["sessionId"] }, { caller });
  expect(reply).toMatchObject({ kind: "error", error: { code: "INTERNAL_ERROR" } });
  expect(JSON.stringify(reply)).not.toContain(contentDir);
  expect(lines.join("")).toContain(contentDir);
});

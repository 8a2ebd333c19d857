import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { catalogue } from "../../src/operations/catalogue.ts";
import { executeRecovery } from "../support/execute-recovery.ts";
import { tempDir } from "../support/temp-dir.ts";
import { backends, createTestApp, startThinking } from "../support/test-app.ts";
import { memoryProvocations } from "./memory-provocations.ts";
import {
  atOnce,
  brokenStore,
  nobody,
  onSession,
  type Provocations,
  type Provoke,
  refused,
} from "./provoke.ts";

const locked = { THOUGHTBOX_PROJECT: "mine", THOUGHTBOX_PROJECT_LOCK: "true" };

const unknownSession: Provoke = async (name, backend) => {
  const example = catalogue.find((operation) => operation.name === name)?.examples[0]?.input;
  return refused(createTestApp({ backend }).modern(), name, { ...example, sessionId: nobody });
};

/** The same example on the same session once more. */
const twice: Provoke = async (name, backend) => {
  const client = createTestApp({ backend }).modern();
  const example = catalogue.find((operation) => operation.name === name)?.examples[0]?.input;
  const args = { ...example, sessionId: await startThinking(client) };
  await client.call(name, args);
  return refused(client, name, args);
};

/** An export of a session that went on differently since. */
const importChanged: Provoke = async (name, backend) => {
  const source = createTestApp({ backend }).modern();
  const sessionId = await startThinking(source);
  await source.call("thought", { sessionId, thought: "one way" });
  const content = JSON.stringify((await source.call("session.export", { sessionId })).export);
  const client = createTestApp({ backend }).modern();
  const other = content.replace('"one way"', '"another"');
  await client.call(name, { content: withoutSeals(other) });
  return refused(client, name, { content: withoutSeals(content) });
};

/** Without its seals an export is taken at its word. */
function withoutSeals(content: string): string {
  const parsed = JSON.parse(content);
  return JSON.stringify({ ...parsed, nodes: parsed.nodes.map(({ chain: _chain, ...node }: any) => node) });
}

const brokenImport: Provoke = async (name) => {
  const source = createTestApp({ backend: "memory" }).modern();
  const sessionId = await startThinking(source);
  const content = JSON.stringify((await source.call("session.export", { sessionId })).export);
  const file = join(tempDir(), "file");
  writeFileSync(file, "");
  return refused(createTestApp({ backend: "fs", dataDir: join(file, "data") }).modern(), name, { content });
};

/** How each declared code of each operation comes about. */
const provocations: Provocations = {
  get_state: {},
  start_new: { INVALID_PAYLOAD: atOnce({ project: "other" }, locked), STORAGE_ERROR: brokenStore },
  load_context: {
    SESSION_NOT_FOUND: atOnce({ latest: true }),
    INVALID_PAYLOAD: atOnce({}),
    STORAGE_ERROR: brokenStore,
  },
  list_sessions: { STORAGE_ERROR: brokenStore },
  navigate: { INVALID_PAYLOAD: atOnce({ project: "other" }, locked), STORAGE_ERROR: brokenStore },
  list_roots: {},
  bind_root: { INVALID_PAYLOAD: atOnce({ rootUri: "file:///nowhere" }), STORAGE_ERROR: brokenStore },
  cipher: { SESSION_NOT_FOUND: unknownSession, STORAGE_ERROR: brokenStore },
  thought: {
    SESSION_NOT_FOUND: unknownSession,
    THOUGHT_NOT_FOUND: onSession({ thought: "a correction", revisesThought: 4 }),
    INVALID_PAYLOAD: onSession({ thought: "a correction", isRevision: true }),
    STORAGE_ERROR: brokenStore,
  },
  read_thoughts: {
    SESSION_NOT_FOUND: unknownSession,
    THOUGHT_NOT_FOUND: onSession({ thoughtNumber: 9 }),
    INVALID_PAYLOAD: onSession({ last: 2, thoughtNumber: 1 }),
    STORAGE_ERROR: brokenStore,
  },
  get_structure: { SESSION_NOT_FOUND: unknownSession, STORAGE_ERROR: brokenStore },
  "session.search": { INVALID_PAYLOAD: onSession({ query: "…!?" }), STORAGE_ERROR: brokenStore },
  "session.export": {
    SESSION_NOT_FOUND: unknownSession,
    INVALID_PAYLOAD: onSession({ destination: "../elsewhere" }),
    STORAGE_ERROR: brokenStore,
  },
  "session.verify": { SESSION_NOT_FOUND: unknownSession, STORAGE_ERROR: brokenStore },
  "session.import": {
    INVALID_PAYLOAD: onSession({ content: "{}" }),
    CONFLICT: importChanged,
    STORAGE_ERROR: brokenImport,
  },
  "session.list": { STORAGE_ERROR: brokenStore },
  "session.get": { SESSION_NOT_FOUND: unknownSession, STORAGE_ERROR: brokenStore },
  "session.resume": { SESSION_NOT_FOUND: unknownSession, STORAGE_ERROR: brokenStore },
  "session.analyze": { SESSION_NOT_FOUND: unknownSession, STORAGE_ERROR: brokenStore },
  "session.extract_learnings": { SESSION_NOT_FOUND: unknownSession, STORAGE_ERROR: brokenStore },
  "session.discovery": {
    INVALID_PAYLOAD: onSession({ action: "hide", toolName: "thougt" }),
    STORAGE_ERROR: brokenStore,
  },
  "session.update": {
    SESSION_NOT_FOUND: unknownSession,
    INVALID_PAYLOAD: onSession({}),
    STORAGE_ERROR: brokenStore,
  },
  "session.delete": {
    SESSION_NOT_FOUND: unknownSession,
    INVALID_PAYLOAD: onSession({}),
    STORAGE_ERROR: brokenStore,
  },
  "session.restore": { SESSION_NOT_FOUND: unknownSession, STORAGE_ERROR: brokenStore },
  deep_analysis: { SESSION_NOT_FOUND: unknownSession, STORAGE_ERROR: brokenStore },
  "mental_models.get_model": { INVALID_PAYLOAD: onSession({ modelId: "six-whys" }) },
  "mental_models.list_models": {},
  "mental_models.list_tags": {},
  "knowledge.create_pattern": { CONFLICT: twice, STORAGE_ERROR: brokenStore },
  "knowledge.get_pattern": { UNKNOWN_ID: onSession({ id: "nothing" }), STORAGE_ERROR: brokenStore },
  "knowledge.update_pattern": {
    UNKNOWN_ID: onSession({ id: "nothing", title: "New" }),
    INVALID_PAYLOAD: onSession({ id: "nothing" }),
    STORAGE_ERROR: brokenStore,
  },
  "knowledge.delete_pattern": { UNKNOWN_ID: onSession({ id: "nothing" }), STORAGE_ERROR: brokenStore },
  "knowledge.list_patterns": { STORAGE_ERROR: brokenStore },
  "knowledge.list_tags": { STORAGE_ERROR: brokenStore },
  "knowledge.write_scratchpad": { STORAGE_ERROR: brokenStore },
  "knowledge.read_scratchpad": { UNKNOWN_ID: onSession({ topic: "nothing" }), STORAGE_ERROR: brokenStore },
  "knowledge.list_scratchpad": { STORAGE_ERROR: brokenStore },
  "knowledge.delete_scratchpad": { UNKNOWN_ID: onSession({ id: "nothing" }), STORAGE_ERROR: brokenStore },
  help: { INVALID_PAYLOAD: atOnce({ topic: "brunches" }) },
  ...memoryProvocations,
};

const declared = catalogue.flatMap(({ name, errors }) => errors.map((code) => [name, code] as const));

test("every declared code of every operation is provoked here, and no other", () => {
  const provoked = Object.entries(provocations).flatMap(([name, codes]) =>
    Object.keys(codes).map((code) => `${name} ${code}`),
  );
  expect(provoked.length).toBeGreaterThan(20);
  expect(provoked.sort()).toEqual(declared.map((pair) => pair.join(" ")).sort());
});

describe.each(backends)("on %s", (backend) => {
  test.each(declared)("%s fails with %s, and its recovery works", async (name, code) => {
    const provoke = provocations[name]?.[code];
    if (!provoke) throw new Error(`nothing provokes ${code} in ${name}`);
    const { error, client, args } = await provoke(name, backend);
    expect(error).toMatchObject({ code, message: expect.stringMatching(/\S[.?]$/) });
    if (error.recovery?.operation !== undefined) await executeRecovery(client, args, error);
  });
});

test("a data directory that is a regular file is a STORAGE_ERROR, not a bug", async () => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "");
  const client = createTestApp({ backend: "fs", dataDir: file }).modern();
  expect(await client.refusal("start_new")).toMatchObject({ code: "STORAGE_ERROR" });
});

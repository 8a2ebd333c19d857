import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  brokenStore,
  onSession,
  type Provocations,
  type Provoke,
  refused,
  unknownSession,
} from "../../../../tests/catalogue/provoke.ts";
import { tempDir } from "../../../../tests/support/temp-dir.ts";
import { createTestApp, startThinking } from "../../../../tests/support/test-app.ts";

/** Imports an export of a session that has since continued differently. */
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

/** Removes the hashes, so that the export cannot be checked. */
function withoutSeals(content: string): string {
  const parsed = JSON.parse(content) as { nodes: { chain?: unknown }[] };
  return JSON.stringify({ ...parsed, nodes: parsed.nodes.map(({ chain: _chain, ...node }) => node) });
}

const brokenImport: Provoke = async (name) => {
  const source = createTestApp({ backend: "memory" }).modern();
  const sessionId = await startThinking(source);
  const content = JSON.stringify((await source.call("session.export", { sessionId })).export);
  const file = join(tempDir(), "file");
  writeFileSync(file, "");
  return refused(createTestApp({ backend: "fs", dataDir: join(file, "data") }).modern(), name, { content });
};

export const provocations: Provocations = {
  "session.list": { STORAGE_ERROR: brokenStore },
  "session.get": { SESSION_NOT_FOUND: unknownSession, STORAGE_ERROR: brokenStore },
  "session.search": { INVALID_PAYLOAD: onSession({ query: "…!?" }), STORAGE_ERROR: brokenStore },
  "session.resume": { SESSION_NOT_FOUND: unknownSession, STORAGE_ERROR: brokenStore },
  "session.export": {
    SESSION_NOT_FOUND: unknownSession,
    INVALID_PAYLOAD: onSession({ destination: "../elsewhere" }),
    STORAGE_ERROR: brokenStore,
  },
  "session.import": {
    INVALID_PAYLOAD: onSession({ content: "{}" }),
    CONFLICT: importChanged,
    STORAGE_ERROR: brokenImport,
  },
  "session.analyze": { SESSION_NOT_FOUND: unknownSession, STORAGE_ERROR: brokenStore },
  "session.extract_learnings": {
    SESSION_NOT_FOUND: unknownSession,
    THOUGHT_NOT_FOUND: onSession({ keyMoments: [{ thoughtNumber: 7, type: "insight" }] }),
    STORAGE_ERROR: brokenStore,
  },
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
  "session.verify": { SESSION_NOT_FOUND: unknownSession, STORAGE_ERROR: brokenStore },
  deep_analysis: { SESSION_NOT_FOUND: unknownSession, STORAGE_ERROR: brokenStore },
};

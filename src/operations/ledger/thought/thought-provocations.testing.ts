import {
  brokenStore,
  given,
  onSession,
  type Provocations,
  type Provoke,
  refused,
  unknownSession,
} from "../../../../tests/catalogue/provoke.ts";
import { situations } from "../../../../tests/support/situations.ts";
import { createTestApp } from "../../../../tests/support/test-app.ts";

export const provocations: Provocations = {
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
  read_actions: { SESSION_NOT_FOUND: unknownSession, STORAGE_ERROR: brokenStore },
  remark: {
    SESSION_NOT_FOUND: unknownSession,
    THOUGHT_NOT_FOUND: onSession({ thoughtNumber: 9, star: true }),
    UNKNOWN_ID: given("a session with thoughts", {
      sessionId: "$session",
      thoughtNumber: 1,
      withdraw: "none",
    }),
    INVALID_PAYLOAD: onSession({ thoughtNumber: 1 }),
    STORAGE_ERROR: brokenStore,
  },
  branch_close: {
    SESSION_NOT_FOUND: unknownSession,
    THOUGHT_NOT_FOUND: onSession({ branchId: "none", outcome: "merged", lesson: "Nothing." }),
    INVALID_PAYLOAD: onSession({ branchId: "alt", outcome: "merged" }),
    CONFLICT: closedBefore,
    STORAGE_ERROR: brokenStore,
  },
  get_structure: { SESSION_NOT_FOUND: unknownSession, STORAGE_ERROR: brokenStore },
};

/** Calls the operation on a branch that was closed with another outcome. */
async function closedBefore(name: string, backend: Parameters<Provoke>[1]) {
  const prepare = situations["a session with a branch"];
  if (!prepare) throw new Error("there is no such situation");
  const { client, sessionId } = await prepare(createTestApp({ backend }));
  const closing = { sessionId, branchId: "alt", lesson: "It was the proxy." };
  await client.call(name, { ...closing, outcome: "merged" });
  return refused(client, name, { ...closing, outcome: "abandoned" });
}

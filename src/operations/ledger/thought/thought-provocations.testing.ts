import {
  brokenStore,
  given,
  onSession,
  type Provocations,
  unknownSession,
} from "../../../../tests/catalogue/provoke.ts";

/** How each declared code comes about. */
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
  get_structure: { SESSION_NOT_FOUND: unknownSession, STORAGE_ERROR: brokenStore },
};

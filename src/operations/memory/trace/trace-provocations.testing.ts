import { atOnce, brokenStore, byRef, type Provocations } from "../../../../tests/catalogue/provoke.ts";

const numbered = { thought: "x", thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false };

export const provocations: Provocations = {
  trace_step: {
    INVALID_PAYLOAD: atOnce({ step: "x", target: "TASK-001", doc: "trace" }),
    UNKNOWN_ID: atOnce({ step: "x", target: "TASK-001" }),
    STORAGE_ERROR: brokenStore,
  },
  trace_sequential_step: {
    INVALID_PAYLOAD: atOnce({ ...numbered, thoughtNumber: 0 }),
    UNKNOWN_ID: atOnce({ ...numbered, target: "TASK-001" }),
    STORAGE_ERROR: brokenStore,
  },
  trace_hydrate: byRef(),
  trace_validate: byRef(),
};

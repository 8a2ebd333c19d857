import { atOnce, brokenStore, type Provocations } from "../../../../tests/catalogue/provoke.ts";

export const provocations: Provocations = {
  init: { STORAGE_ERROR: brokenStore },
  status: { STORAGE_ERROR: brokenStore },
  changes: { INVALID_PAYLOAD: atOnce({ since: "yesterday" }), STORAGE_ERROR: brokenStore },
  diagnostics: { UNKNOWN_ID: atOnce({ target: "TASK-001" }), STORAGE_ERROR: brokenStore },
};

import { brokenStore, onSession, type Provocations, twice } from "../../../../tests/catalogue/provoke.ts";

/** How each declared code comes about. */
export const provocations: Provocations = {
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
  "knowledge.restore": { UNKNOWN_ID: onSession({ id: "nothing" }), STORAGE_ERROR: brokenStore },
};

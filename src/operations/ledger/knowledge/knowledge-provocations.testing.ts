import {
  brokenStore,
  onSession,
  type Provocations,
  type Provoke,
  refused,
  twice,
} from "../../../../tests/catalogue/provoke.ts";
import { withKnowledge as prepare } from "../../../../tests/support/situations.ts";
import { createTestApp } from "../../../../tests/support/test-app.ts";

const onKnowledge =
  (args: Record<string, unknown>): Provoke =>
  async (name, backend) => {
    const { client, sessionId } = await prepare(createTestApp({ backend }));
    return refused(client, name, { sessionId, ...args });
  };

export const provocations: Provocations = {
  "knowledge.create_pattern": { CONFLICT: twice, STORAGE_ERROR: brokenStore },
  "knowledge.get_pattern": { UNKNOWN_ID: onSession({ id: "nothing" }), STORAGE_ERROR: brokenStore },
  "knowledge.update_pattern": {
    UNKNOWN_ID: onSession({ id: "nothing", title: "New" }),
    INVALID_PAYLOAD: onKnowledge({ id: "check-the-pool" }),
    REVISION_MISMATCH: onKnowledge({ id: "check-the-pool", title: "New", expectedRevision: "000000000000" }),
    STORAGE_ERROR: brokenStore,
  },
  "knowledge.delete_pattern": { UNKNOWN_ID: onSession({ id: "nothing" }), STORAGE_ERROR: brokenStore },
  "knowledge.list_patterns": { STORAGE_ERROR: brokenStore },
  "knowledge.list_tags": { STORAGE_ERROR: brokenStore },
  "knowledge.write_scratchpad": {
    REVISION_MISMATCH: onKnowledge({
      topic: "Handover",
      content: "Next: the proxy.",
      expectedRevision: "000000000000",
    }),
    STORAGE_ERROR: brokenStore,
  },
  "knowledge.read_scratchpad": { UNKNOWN_ID: onSession({ topic: "nothing" }), STORAGE_ERROR: brokenStore },
  "knowledge.list_scratchpad": { STORAGE_ERROR: brokenStore },
  "knowledge.delete_scratchpad": { UNKNOWN_ID: onSession({ id: "nothing" }), STORAGE_ERROR: brokenStore },
  "knowledge.restore": { UNKNOWN_ID: onSession({ id: "nothing" }), STORAGE_ERROR: brokenStore },
};

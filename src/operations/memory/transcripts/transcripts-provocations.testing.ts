import {
  atOnce,
  brokenStore,
  given,
  type Provocations,
  type Provoke,
  refused,
} from "../../../../tests/catalogue/provoke.ts";
import { createTestApp } from "../../../../tests/support/test-app.ts";
import { codexPath, writeTranscripts } from "../../../../tests/support/transcripts.ts";

const outside = { root_dir: "/etc" };
const ref = { path: codexPath };

/** The session imported from the transcript is in the trash. */
const inTrash: Provoke = async (name, backend) => {
  const app = createTestApp({ backend });
  writeTranscripts(app);
  const client = app.modern();
  const { sessionId } = await client.call("transcripts_import", { ref });
  await client.call("session.delete", { sessionId, confirm: true });
  return refused(client, name, { ref });
};

export const provocations: Provocations = {
  transcripts_search: {
    INVALID_PAYLOAD: atOnce({ query: "pool", ...outside }),
    STORAGE_ERROR: brokenStore,
  },
  transcripts_open: {
    INVALID_PAYLOAD: given("transcripts", { ref: { path: ref.path } }),
    UNKNOWN_ID: given("transcripts", { ref: { path: "2026/nothing.jsonl", line: 1 } }),
    STORAGE_ERROR: brokenStore,
  },
  transcripts_digest: { INVALID_PAYLOAD: atOnce(outside), STORAGE_ERROR: brokenStore },
  transcripts_import: {
    INVALID_PAYLOAD: atOnce({ ref: { path: "../../etc/passwd.jsonl" } }),
    UNKNOWN_ID: atOnce({ ref: { path: "nothing.jsonl" } }),
    CONFLICT: inTrash,
    STORAGE_ERROR: brokenStore,
  },
};

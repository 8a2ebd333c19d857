import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openRecorded, rootOf } from "../../support/recorded/recorded-sessions.ts";
import { binary, cleanEnv } from "../../support/server-process.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { clientHomes } from "../../support/transcripts.ts";

const endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)";

/** Captures in a separate process with a timeout, because an endless statement would block the test. */
function capture(dataDir: string) {
  const env = {
    ...cleanEnv(),
    ...clientHomes(dataDir),
    THOUGHTBOX_DATA_DIR: dataDir,
    THOUGHTBOX_CAPTURE: "on",
  };
  const done = spawnSync(process.execPath, [binary, "capture", "--once"], {
    env,
    timeout: 30_000,
    killSignal: "SIGKILL",
    encoding: "utf8",
  });
  return { status: done.status, out: done.stdout + done.stderr };
}

test.each([
  [
    "an endless view",
    `DROP TABLE part; CREATE VIEW part AS ${endless}
    SELECT x AS id, 's' AS session_id, 'm' AS message_id, x AS time_created, x AS time_updated, '{}' AS data FROM c`,
  ],
  [
    "an endless view instead of the session table",
    `DROP TABLE session; CREATE VIEW session AS ${endless}
    SELECT x AS id, null AS parent_id, '/' AS directory, 1 AS time_created FROM c`,
  ],
  [
    "a generated column",
    "DROP TABLE message; CREATE TABLE message (id, time_created, data AS (hex(zeroblob(400000000))))",
  ],
  [
    "a virtual table",
    "DROP TABLE part; CREATE VIRTUAL TABLE part USING fts5(id, session_id, message_id, time_created, time_updated, data)",
  ],
  ["a missing table", "DROP TABLE message"],
  ["triggers", "CREATE TRIGGER t AFTER INSERT ON part BEGIN DELETE FROM session; END"],
  ["blobs of 100 MB", "UPDATE part SET data = zeroblob(100000000) WHERE rowid = 1"],
  [
    "blobs instead of text",
    "UPDATE part SET data = x'ff00ff'; UPDATE session SET directory = x'00', time_created = 'x'",
  ],
])("capturing an opencode database with %s finishes in time and adds no files", (_, statements) => {
  const dataDir = join(tempDir(), "data");
  const db = openRecorded(dataDir);
  db.exec(statements);
  db.close();
  const { status, out } = capture(dataDir);
  expect(status, out).toBe(0);
  expect(readdirSync(rootOf("opencode", dataDir))).toEqual(["opencode.db"]);
});

import { statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { tempDir } from "../../../../tests/support/temp-dir.ts";
import { openDatabase } from "./open-database.ts";
import { createCheckpoints } from "./sqlite-engine.ts";

test("a constantly growing log is checkpointed after a commit, never inside one", async () => {
  const path = join(tempDir(), "data");
  const connection = openDatabase({ kind: "directory", path });
  const checkpoints = createCheckpoints(() => connection);
  const written = () => statSync(join(path, "thoughtbox.db")).size;
  connection.db.exec("PRAGMA wal_checkpoint(TRUNCATE); CREATE TABLE pile (text TEXT)");
  const before = written();
  const commit = () => {
    connection.db.exec(`INSERT INTO pile VALUES ('${"x".repeat(3_000)}')`);
    checkpoints.later(1);
  };
  for (let n = 0; n < 300; n += 1) commit();
  expect(written()).toBe(before);
  await turn();
  expect(written()).toBeGreaterThan(before);
  checkpoints.stop();
  connection.db.close();
});

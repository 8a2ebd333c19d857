import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { migrate } from "../../../src/storage/sqlite/connection/migrate.ts";
import { migrations } from "../../../src/storage/sqlite/connection/migrations/migrations.ts";
import { openRaw } from "../../support/disk/raw-database.ts";
import { findWords, openLedger, startSession, think, verifyChain } from "../../support/ledger.ts";
import { tempDir } from "../../support/temp-dir.ts";

const sessions = `INSERT INTO sessions (id, project, title, tags, status, created_at, updated_at, last_accessed_at, stage,
    navigation, chain_head, thought_count, chain_length, highest)
  VALUES ('00000000-0000-4000-8000-000000000001', 'p', 'older', '[]', 'active', '2026-11-14T09:00:00.000Z',
    '2026-11-14T09:00:00.000Z', '2026-11-14T09:00:00.000Z', 2, '{}', 'x', 1, 1, 1),
  ('00000000-0000-4000-8000-000000000002', 'p', 'newer', '[]', 'active', '2026-11-14T09:00:00.000Z',
    '2026-11-14T09:00:01.000Z', '2026-11-14T09:00:01.000Z', 2, '{}', 'x', 0, 0, 0);
  INSERT INTO thoughts (seq, sid, position, branch_id, number, thought, total, next_needed, timestamp, needs_more,
    cipher_types, salt, prev_hash, hash)
  VALUES (3, 1, 1, '', 1, 'needle', 1, 1, '2026-11-14T09:00:00.000Z', 0, 'H', '', '', 'x');
  UPDATE counters SET value = 3 WHERE name = 'seq';`;

/** Before thoughts carried the last number themselves. */
const versionBefore = 15;

test.each([0, 3])(
  "a store of format 15, indexed up to %i, goes on: listed, found and counted",
  async (indexed) => {
    const directory = join(tempDir(), "data");
    mkdirSync(directory, { recursive: true });
    const old = openRaw(directory);
    migrate(old, { onNewStore: () => {}, beforeRewrite: () => {} }, migrations.slice(0, versionBefore));
    old.exec(sessions);
    if (indexed > 0)
      old.exec(`INSERT INTO text_words (rowid, place, text) VALUES (3, 's1', 'needle');
      UPDATE counters SET value = ${indexed} WHERE name = 'indexed_seq'`);
    old.close();

    const store = openLedger("fs", { directory });
    const page = await store.listSessions({
      ...{ project: "p", tagMode: "all", limit: 5, offset: 0, sortBy: "updatedAt", sortOrder: "desc" },
    });
    expect(page.sessions.map(({ title }) => title)).toEqual(["newer", "older"]);
    const typed = () =>
      store.search({
        ...{ type: "H", project: "p", order: "newest", limit: 5, offset: 0 },
        hideSecrets: (text) => text,
      });
    expect((await typed()).hits).toHaveLength(1);
    expect((await findWords(store, "needle", { project: "p" })).hits).toHaveLength(1);

    const id = await startSession(store, { project: "p" });
    expect((await think(store, id, { thought: "another needle" })).entry.seq).toBe(5);
    expect((await findWords(store, "needle", { project: "p" })).hits).toHaveLength(2);
    expect(await verifyChain(store, id)).toBe(1);
    const totals = openRaw(directory).prepare("SELECT sessions, thoughts FROM project_totals").all();
    expect(totals).toEqual([{ sessions: 3, thoughts: 2 }]);
  },
);

import { cpSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { importTree } from "../../src/storage/tree/import/import-tree.ts";
import { startSession, think, verifyChain } from "../support/ledger.ts";
import { enoughTime, reportSoak, times } from "../support/run/soak.ts";
import { openStore } from "../support/stores/stores.ts";
import { tempDir } from "../support/temp-dir.ts";
import { ledgerContents, openTree, readJson } from "../support/views/tree.ts";

const nothingWrong = { refused: [], badFiles: [], warnings: [] };
const manySessions = times("projected sessions", 400);

test("hundreds of sessions are written as files and imported again, with progress", {
  timeout: enoughTime(manySessions, 50),
}, async () => {
  const original = openTree();
  await Promise.all(
    Array.from({ length: manySessions }, async (_, n) => {
      const session = await startSession(original.store.ledger, {
        title: `session ${n}`,
        partitionPath: `2026-${String(1 + (n % 12)).padStart(2, "0")}`,
      });
      await Promise.all(Array.from({ length: 1 + (n % 3) }, () => think(original.store.ledger, session)));
    }),
  );
  original.tree.start();
  await original.tree.flush();
  const store = openStore("memory");
  const progress: number[] = [];
  const report = await importTree(store.imports, original.directory, {
    onProgress: ({ sessions }) => progress.push(sessions),
  });
  expect(report).toMatchObject({ sessions: manySessions, imported: manySessions, ...nothingWrong });
  reportSoak("sessions projected and imported again", `${manySessions} sessions`);
  expect(progress.at(-1)).toBe(manySessions);
  expect(progress.length).toBeGreaterThan(manySessions / 20);
  expect(await ledgerContents(store.ledger)).toEqual(await ledgerContents(original.store.ledger));
});

test("a session of several thousand thoughts is imported completely", async () => {
  const original = openTree();
  const session = await startSession(original.store.ledger);
  await Promise.all(Array.from({ length: 4_500 }, () => think(original.store.ledger, session)));
  await original.tree.flush();
  const copy = join(tempDir(), "tree");
  cpSync(join(original.directory, "projects"), copy, { recursive: true });
  renameSync(copy, join(dirname(copy), "projects"));
  const store = openTree().store;
  expect(await importTree(store.imports, dirname(copy))).toMatchObject({
    imported: 1,
    thoughts: 4_500,
    ...nothingWrong,
  });
  expect(await verifyChain(store.ledger, session)).toBe(4_500);
  expect(
    readJson(join(dirname(copy), "projects", "_default", "sessions", session, "4500.json")).chain.position,
  ).toBe(4_500);

  // If the store has another session with this ID, nothing is imported.
  const other = openTree().store;
  await startSession(other.ledger, { id: session });
  await think(other.ledger, session, { thought: "another beginning" });
  const before = await ledgerContents(other.ledger);
  expect(await importTree(other.imports, dirname(copy))).toMatchObject({
    thoughts: 0,
    refused: [{ sessionId: session, refusal: { why: "other_thought", position: 1 } }],
  });
  expect(await ledgerContents(other.ledger)).toEqual(before);
});

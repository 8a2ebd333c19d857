import { describe, expect, onTestFinished, test } from "vitest";
import type { Remark } from "../../../src/domain/ledger/remark.ts";
import type { Store } from "../../../src/ports/store.ts";
import { startSession, think } from "../../support/ledger.ts";
import { noon, storeKind, storeNames } from "../../support/stores/stores.ts";
import { tempDir } from "../../support/temp-dir.ts";

const clock = () => new Date(noon);
const all = { after: 0, limit: 100 };

const star: Remark = { id: "r1", kind: "star", thoughtNumber: 1, at: noon };
const comment: Remark = { id: "r2", kind: "comment", thoughtNumber: 1, text: "Ask first.", at: noon };
const elsewhere: Remark = { ...comment, id: "r3", branchId: "alt", thoughtNumber: 2 };

describe.each(storeNames)("remarks in %s", (backend) => {
  const open = (): Store => {
    const store = storeKind(backend).open(tempDir(), clock);
    onTestFinished(() => store.close());
    return store;
  };
  const withRemarks = async () => {
    const store = open();
    const sessionId = await startSession(store.ledger);
    await think(store.ledger, sessionId);
    await store.remarks.record(sessionId, [star, comment]);
    return { store, sessionId };
  };

  test("are kept in order, each once, and do not change the chain", async () => {
    const { store, sessionId } = await withRemarks();
    const head = await store.ledger.readHead(sessionId);
    expect(await store.remarks.record(sessionId, [comment, elsewhere])).toBe(1);
    const stored = await store.remarks.readOfSession(sessionId, all);
    expect(stored.map(({ remark }) => remark)).toEqual([star, comment, elsewhere]);
    const after = stored[0]?.seq ?? 0;
    expect((await store.remarks.readOfSession(sessionId, { after, limit: 1 }))[0]?.remark).toEqual(comment);
    expect(await store.ledger.readHead(sessionId)).toEqual(head);
    expect(await store.remarks.record("00000000-0000-4000-8000-000000000000", [star])).toBe(0);
  });

  test("appear in the feed as changes of their session", async () => {
    const { store, sessionId } = await withRemarks();
    const stored = await store.remarks.readOfSession(sessionId, all);
    const entries = await store.feed.readFeed(0, 100);
    expect(entries.filter((entry) => entry.kind === "session" && entry.change === "remarked")).toMatchObject(
      stored.map(({ seq }) => ({ seq, sessionId })),
    );
    await think(store.ledger, sessionId);
    expect(await store.feed.lastSeq()).toBeGreaterThan(stored.at(-1)?.seq ?? 0);
  });

  test("stay with a session in the trash, and are erased with it", async () => {
    const { store, sessionId } = await withRemarks();
    await store.ledger.deleteSession(sessionId, noon);
    expect(await store.remarks.readOfSession(sessionId, all)).toHaveLength(2);
    await store.trash.emptyTrash();
    expect(await store.remarks.readOfSession(sessionId, all)).toEqual([]);
    const other = await startSession(store.ledger);
    expect(await store.remarks.record(other, [star])).toBe(1);
  });
});

import { describe, expect, test } from "vitest";
import type { MemoryStep } from "../../../src/domain/memory/steps/step.ts";
import {
  allEntries,
  refusalOf,
  sessionDraft,
  startSession,
  think,
  verifyChain,
} from "../../support/ledger.ts";
import { noon, openStore, storeNames } from "../../support/stores/stores.ts";

const workspace = "acme/repo";
const at = new Date(noon);
const request = (sessionId: string, more: object = {}) => ({
  draft: { sessionId, thought: "Decided.", nextThoughtNeeded: true },
  timestamp: noon,
  salt: "00".repeat(16),
  ...more,
});
const note = (content: string, branch = "main"): MemoryStep => ({
  ...{ do: "append", branch, doc: "notes", entry: { kind: "note", content } },
});

describe.each(storeNames)("a thought with memory steps, on %s", (backend) => {
  const notesOf = async ({ memory }: ReturnType<typeof openStore>) =>
    (await memory.readEntries(workspace, { branch: "main", doc: "notes", limit: 20 })).entries;

  test("stores both, and the steps know the number of the thought", async () => {
    const store = openStore(backend);
    const id = await startSession(store.ledger);
    const first = await think(store.ledger, id);
    const { receipt, outcomes } = await store.memory.commitWith(
      request(id),
      workspace,
      ({ entry }) => [note(`of thought ${entry.data.thoughtNumber}`)],
      { at },
    );
    expect(receipt).toMatchObject({
      replayed: false,
      thoughtCount: 2,
      entry: { data: { thoughtNumber: 2 } },
    });
    const [written] = await notesOf(store);
    expect(written).toMatchObject({ content: "of thought 2", seq: (outcomes[0] as { seq: number }).seq });
    const after = await think(store.ledger, id);
    const seqs = [first.entry.seq, receipt.entry.seq, written?.seq ?? 0, after.entry.seq];
    expect(seqs).toEqual([...new Set(seqs)].sort((one, other) => one - other));
    expect(await verifyChain(store.ledger, id)).toBe(3);
  });

  test("stores neither if one is refused, alone or among concurrent calls", async () => {
    const store = openStore(backend);
    const id = await startSession(store.ledger);
    await store.memory.commit(workspace, [note("before")], { at });
    const fails = () =>
      store.memory.commitWith(request(id), workspace, () => [note("lost"), note("lost", "nowhere")], { at });
    expect(await refusalOf(fails())).toMatchObject({ code: "UNKNOWN_ID" });
    const beside = think(store.ledger, id);
    const refused = refusalOf(fails());
    const more = store.memory.commit(workspace, [note("beside")], { at });
    const last = think(store.ledger, id);
    expect(await refused).toMatchObject({ code: "UNKNOWN_ID" });
    await Promise.all([beside, more, last]);
    const missing = sessionDraft().id;
    const gone = store.memory.commitWith(request(missing), workspace, () => [note("lost")], { at });
    expect(await refusalOf(gone)).toMatchObject({ code: "SESSION_NOT_FOUND" });
    expect((await allEntries(store.ledger, id)).map(({ data }) => data.thoughtNumber)).toEqual([1, 2]);
    expect((await notesOf(store)).map(({ content }) => content)).toEqual(["before", "beside"]);
    expect(await verifyChain(store.ledger, id)).toBe(2);
  });

  test("keeps another session's time of access if it is refused", async () => {
    const { ledger, memory } = openStore(backend);
    const [id, looked] = [await startSession(ledger), await startSession(ledger)];
    const later = "2026-11-16T12:00:00.000Z";
    ledger.touch(looked, later);
    const refused = refusalOf(
      memory.commitWith(request(id), workspace, () => [note("x", "nowhere")], { at }),
    );
    const beside = memory.commit(workspace, [note("beside")], { at });
    expect(await refused).toMatchObject({ code: "UNKNOWN_ID" });
    await beside;
    expect((await ledger.readSession(looked))?.session.lastAccessedAt).toBe(later);
  });

  test("is stored once if it is sent again with its key", async () => {
    const store = openStore(backend);
    const id = await startSession(store.ledger);
    const once = { key: "k", fingerprint: "f" };
    const send = () =>
      store.memory.commitWith(request(id, { once }), workspace, () => [note("once")], { at, once });
    const first = await send();
    const again = await send();
    expect(again).toMatchObject({ receipt: { replayed: true, entry: { seq: first.receipt.entry.seq } } });
    expect(again.outcomes).toEqual(first.outcomes);
    expect(await notesOf(store)).toHaveLength(1);
    expect(await allEntries(store.ledger, id)).toHaveLength(1);
  });

  test("creates the session that the thought opens only if both are stored", async () => {
    const store = openStore(backend);
    const session = sessionDraft();
    const opening = request(session.id, { opens: { session } });
    await refusalOf(store.memory.commitWith(opening, workspace, () => [note("x", "nowhere")], { at }));
    expect(await store.ledger.readSession(session.id)).toBeUndefined();
    await store.memory.commitWith(opening, workspace, () => [note("x")], { at });
    expect(await store.ledger.readSession(session.id)).toMatchObject({ session: { thoughtCount: 1 } });
  });
});

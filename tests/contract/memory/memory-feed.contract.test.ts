import { describe, expect, test } from "vitest";
import { putAnchor } from "../../../src/domain/memory/meaning-map/change-anchors.ts";
import type { MemoryEventType } from "../../../src/domain/memory/steps/changes.ts";
import type { MemoryStep } from "../../../src/domain/memory/steps/step.ts";
import { createFeedSubscriber } from "../../../src/events/feed-subscriber.ts";
import { createCollector } from "../../../src/events/test-support/collector.ts";
import { memoryEventTypes } from "../../../src/ports/event-types.ts";
import type { FeedEntry } from "../../../src/ports/feed.ts";
import { refusalOf, startSession, think } from "../../support/ledger.ts";
import { noon, openStore, storeNames } from "../../support/stores/stores.ts";
import { memoryLines, restoreOf } from "../../support/views/memory-lines.ts";

const workspace = "acme/repo";
const at = new Date(noon);
const note = (content: string, branch?: string): MemoryStep => ({
  ...{ do: "append", branch, doc: "notes", entry: { kind: "note", content } },
});
const write = (branch: string, title: string): MemoryStep => ({
  ...{ do: "apply_graph", branch, doc: "graph", ops: [{ op: "node_upsert", id: "n", type: "fact", title }] },
});
const merge = { from: "side", into: "main", after: 0, limit: 10 };
const copied = { source: "merge:session/s:1", seq: 1, entry: { kind: "note", content: "thought" } as const };
const copy = (...thoughts: (typeof copied)[]): MemoryStep => ({
  ...{ do: "merge_thoughts", from: "session/s", into: "main", doc: "notes", thoughts },
  ...{ skipped: 0, lastSeq: 1, hasMore: false },
});

describe.each(storeNames)("the memory in the feed of %s", (backend) => {
  function open() {
    const store = openStore(backend);
    const commit = (steps: MemoryStep[], once?: { key: string; fingerprint: string }): Promise<any[]> =>
      store.memory.commit(workspace, steps, { at, once });
    const types = async (after = 0): Promise<string[]> =>
      (await store.feed.readFeed(after, 1_000)).map((entry) =>
        entry.kind === "memory" ? entry.change.type : entry.kind,
      );
    return { ...store, commit, types };
  }

  test("every kind of write is announced in order, with its place", async () => {
    const { commit, feed, memory } = open();
    const seen = new Map<MemoryEventType, FeedEntry>();
    const expected: MemoryEventType[] = [];
    async function tells(type: MemoryEventType, ...steps: MemoryStep[]): Promise<any[]> {
      const outcomes = await commit(steps);
      expected.push(type);
      return outcomes;
    }
    await tells("workspace_created", { do: "bootstrap" });
    await tells("memory_branch_created", { do: "create_branch", name: "old" });
    await tells("memory_branch_renamed", { do: "rename_branch", old: "old", new: "side" });
    await tells("checkout_moved", { do: "checkout", ref: "side" });
    const [entry] = await tells("note_committed", note("one"));
    await tells("notes_merged", { do: "merge_notes", doc: "notes", ...merge });
    await tells("notes_merged", copy(copied));
    await tells("graph_applied", write("side", "theirs"));
    await tells("graph_applied", write("main", "ours"));
    const [{ conflicts }] = await tells("graph_merged", { do: "merge_graph", doc: "graph", ...merge });
    const id = conflicts[0].conflict_id;
    await tells("conflict_resolved", { do: "resolve_conflict", id, resolution: "use_from" });
    const [first] = await tells("commit_created", {
      ...{ do: "commit", branch: "main", doc: "plan", entry: { kind: "note", content: "plan" } },
    });
    await tells("commit_created", {
      ...{ do: "commit", branch: "main", doc: "plan", entry: { kind: "note", content: "plan 2" } },
    });
    await tells("ref_moved", { do: "reset", branch: "main", doc: "plan", seq: first.seq });
    await tells("tag_created", { do: "create_tag", name: "v1", seq: first.seq, force: false });
    await tells("tag_deleted", { do: "delete_tag", name: "v1" });
    await tells("checkout_moved", { do: "checkout", ref: "main" });
    const creation = { title: "Mend the parser" };
    const [{ item }] = await tells("task_changed", { do: "create_task", creation });
    await tells("cards_changed", {
      ...{ do: "think", graph_doc: "cards", trace_doc: "trace", ids: [] },
      decide: () => ({
        entries: [{ doc: "trace", entry: { kind: "note" as const, content: "a card" } }],
        states: [],
        answer: undefined,
      }),
    });
    await tells("focus_moved", { do: "set_focus", target: item.id });
    await tells("anchors_changed", {
      do: "change_anchors",
      names: [],
      decide: (facts) => putAnchor(facts, { id: "a:core", title: "Core", kind: "component" }),
    });
    await tells("job_changed", { do: "create_job", job: { title: "Fuzz it", prompt: "for an hour" } });
    expect((await memory.readEntry(workspace, entry.seq))?.content).toBe("one");
    await tells("memory_branch_deleted", { do: "delete_branch", name: "side" });
    await tells("memory_branch_restored", { do: "restore_branch", name: "side" });
    await tells("memory_branch_deleted", { do: "delete_branch", name: "side" });

    const entries = await feed.readFeed(0, 1_000);
    for (const told of entries) {
      expect(told).toMatchObject({ kind: "memory", workspace, at: noon });
      if (told.kind === "memory") seen.set(told.change.type, told);
    }
    expect(entries.map((told) => told.kind === "memory" && told.change.type)).toEqual(expected);
    expect([...seen.keys(), "workspace_restored"].sort()).toEqual([...memoryEventTypes].sort());
    const seqs = entries.map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
    expect(seqs.at(-1)).toBe(await feed.lastSeq());

    const committed = seen.get("note_committed");
    expect(committed).toMatchObject({
      seq: entry.seq,
      change: { data: { branch: "side", doc: "notes", seq: entry.seq, kind: "note" } },
    });
  });

  test("writes that change nothing, are refused or are repeated are not announced", async () => {
    const { commit, types, feed } = open();
    await commit([{ do: "create_branch", name: "side" }]);
    const once = { key: "k", fingerprint: "f" };
    await commit([note("one")], once);
    const before = await feed.lastSeq();
    await commit([note("one")], once);
    await commit([{ do: "bootstrap" }, { do: "create_branch", name: "side", ifMissing: true }]);
    await commit([{ do: "checkout", ref: "main" }]);
    await commit([{ do: "merge_notes", doc: "none", ...merge }]);
    await commit([copy()]);
    await refusalOf(commit([note("two"), { do: "delete_branch", name: "nowhere" }]));
    expect(await types(before)).toEqual([]);
    expect(await types()).toEqual(["workspace_created", "memory_branch_created", "note_committed"]);
  });

  test("the steps of a write are announced one by one, in order with concurrent thoughts", async () => {
    const { commit, types, ledger } = open();
    const id = await startSession(ledger);
    await Promise.all([
      think(ledger, id),
      commit([note("one"), write("main", "a"), note("two")]),
      think(ledger, id),
    ]);
    expect(await types()).toEqual([
      ...["session", "thought", "workspace_created", "note_committed", "graph_applied", "note_committed"],
      "thought",
    ]);
  });

  test("subscribers receive thoughts and memory changes once and in order, and can follow one workspace", async () => {
    const { commit, ledger, feed, memory } = open();
    const { subscribe } = createFeedSubscriber(feed, { pageSize: 3 });
    const [steady, returning, one] = [createCollector(), createCollector(), createCollector()];
    const stops = [
      subscribe({ from: 0 }, steady.onEntries),
      subscribe({ from: 0, workspace }, one.onEntries),
    ];
    const leave = subscribe({ from: 0 }, returning.onEntries);
    const id = await startSession(ledger);
    const writes = Array.from({ length: 40 }, (_, n) =>
      n % 4 === 0
        ? think(ledger, id)
        : n % 4 === 1
          ? memory.commit("other", [note(`${n}`)], { at })
          : commit([note(`${n}`), write("main", `${n}`)]),
    );
    await writes[20];
    leave();
    await Promise.all(writes);
    stops.push(subscribe({ from: returning.seqs.at(-1) ?? 0 }, returning.onEntries));
    const all = await feed.readFeed(0, 1_000);
    const last = all.at(-1)?.seq ?? 0;
    for (const collector of [steady, returning]) {
      await collector.until(last);
      expect(collector.seqs).toEqual(all.map(({ seq }) => seq));
    }
    const own = all.filter((entry) => entry.kind === "memory" && entry.workspace === workspace);
    await one.until(own.at(-1)?.seq ?? 0);
    expect(one.seqs).toEqual(own.map(({ seq }) => seq));
    expect(own.length).toBeGreaterThan(40);
    for (const stop of stops) stop();
  });

  test("a restored workspace is announced as one change", async () => {
    const source = open();
    await source.commit([note("one"), write("main", "a")]);
    const target = open();
    const { lines, lastSeq } = await memoryLines(source);
    const restore = restoreOf(target, lastSeq);
    await restore.take(lines);
    await restore.finish();
    expect(await target.feed.readFeed(0, 10)).toMatchObject([
      { workspace, change: { type: "workspace_restored", data: { entries: 1, versions: 1 } } },
    ]);
  });
});

import { describe, expect, test } from "vitest";
import type { GraphOp } from "../../../src/domain/memory/graph.ts";
import type { MemoryStep } from "../../../src/domain/memory/steps/step.ts";
import { claimJob } from "../../../src/domain/tasks/job-changes.ts";
import type { NodeQuery } from "../../../src/ports/memory/graph.ts";
import { refusalOf } from "../../support/ledger.ts";
import { noon, openStore, type StoreName, storeNames } from "../../support/stores/stores.ts";

const workspace = "acme/repo";
const node = (id: string, more: object = {}): GraphOp => ({ op: "node_upsert", id, type: "fact", ...more });
const edge = (from: string, to: string): GraphOp => ({ op: "edge_upsert", from, rel: "r", to });
const ids = (nodes: readonly object[]) => nodes.map((one) => (one as { id: string }).id);

function open(backend: StoreName) {
  const at = new Date(noon);
  const { memory } = openStore(backend);
  const commit = (...steps: MemoryStep[]): Promise<any> => memory.commit(workspace, steps, { at });
  return {
    memory,
    commit,
    apply: (branch: string, ...ops: GraphOp[]) => commit({ do: "apply_graph", branch, doc: "graph", ops }),
    note: (branch: string, content: string) =>
      commit({ do: "append", branch, doc: "notes", entry: { kind: "note", content } }),
    query: async (query: Partial<NodeQuery>) => {
      const asked = { branch: "main", doc: "graph", includeDeleted: false, limit: 50, ...query };
      return ids((await memory.queryNodes(workspace, asked)).nodes);
    },
  };
}

describe.each(storeNames)("the memory on %s", (backend) => {
  test("returns the edges of the branch, even if other branches have many", async () => {
    const { memory, commit, apply } = open(backend);
    await apply("main", node("hub"), node("end"), edge("hub", "end"));
    for (const name of ["one", "two", "three"]) {
      await commit({ do: "create_branch", name, from: "main" });
      const others = Array.from({ length: 5 }, (_, n) => `${name}${n}`);
      await apply(name, ...others.flatMap((id) => [node(id), edge("hub", id)]));
    }
    const place = { branch: "main", doc: "graph" };
    const atHub = { ...place, ids: ["hub"], ends: "touching", limit: 1 } as const;
    expect(await memory.queryEdges(workspace, atHub)).toMatchObject({
      edges: [{ to: "end" }],
      total: 1,
      hasMore: false,
    });
    const among = { ...place, ids: ["hub", "end", "hub"], ends: "among", limit: 10 } as const;
    expect((await memory.queryEdges(workspace, among)).edges).toHaveLength(1);
  });

  test("applies all steps of a call or none", async () => {
    const { memory, commit, apply, note, query } = open(backend);
    await note("main", "before");
    await apply("main", node("a"));
    const entry = { kind: "note", content: "of a refused call" } as const;
    const refused = commit(
      { do: "append", branch: "main", doc: "notes", entry },
      { do: "apply_graph", branch: "main", doc: "graph", ops: [node("b")] },
      { do: "append", branch: "nowhere", doc: "notes", entry },
    );
    const beside = note("main", "of the call beside it");
    await expect(refused).rejects.toMatchObject({ code: "UNKNOWN_ID" });
    await beside;
    expect(await query({})).toEqual(["a"]);
    const { entries } = await memory.readEntries(workspace, { branch: "main", doc: "notes", limit: 10 });
    expect(entries.map(({ content }) => content).sort()).toEqual(["before", "of the call beside it"]);
  });

  test.each([
    ["main", [1, 2, 3, 4]],
    ["side", [1, 2, 3, 5, 6]],
  ])("returns marks for the entries of %s without their texts, page by page", async (branch, numbers) => {
    const { memory, commit } = open(backend);
    const step = (on: string, n: number) =>
      commit({
        do: "append",
        branch: on,
        doc: "trace",
        entry: { kind: "event", content: `Step ${n}`, format: "trace_step", meta: { thoughtNumber: n } },
      });
    for (const n of [1, 2, 3]) await step("main", n);
    await commit({ do: "create_branch", name: "side", from: "main" });
    await step("main", 4);
    for (const n of [5, 6]) await step("side", n);
    const page = { branch, doc: "trace", limit: 2 };
    let before: number | undefined;
    const shown: unknown[] = [];
    for (let more = true; more; ) {
      const { entries, hasMore } = await memory.readEntries(workspace, { ...page, before });
      shown.unshift(...entries.map(({ meta }) => meta?.["thoughtNumber"]));
      const marks = entries.map(({ seq, format, meta }) => ({ seq, format, meta }));
      expect(await memory.readMarks(workspace, { ...page, before })).toEqual({ entries: marks, hasMore });
      [before, more] = [entries[0]?.seq, hasMore];
    }
    expect(shown).toEqual(numbers);
    expect(await memory.readMarks(workspace, { ...page, doc: "nothing" })).toEqual({
      entries: [],
      hasMore: false,
    });
  });

  test("applies all filters together, also to deleted nodes", async () => {
    const { apply, query } = open(backend);
    await apply(
      "main",
      node("a", { title: "alpha" }),
      node("b", { text: "beta" }),
      node("c", { title: "alto" }),
    );
    expect(await query({ ids: ["a", "b"], text: "alp" })).toEqual(["a"]);
    expect(await query({ ids: ["a", "b"], text: "…" })).toEqual([]);
    await apply("main", { op: "node_delete", id: "c" });
    expect(await query({ text: "al" })).toEqual(["a"]);
    expect(await query({ text: "al", includeDeleted: true })).toEqual(["c", "a"]);
    expect(await query({ text: "al", ids: ["c"], includeDeleted: true })).toEqual(["c"]);
  });

  test("finds every match for several values of a filter, even if another filter makes matches rare", async () => {
    const { apply, query } = open(backend);
    const ideas = ["i1", "i2", "i3"].map((id) => node(id, { type: "idea" }));
    const facts = Array.from({ length: 9 }, (_, n) => node(`f${n}`, n === 0 ? { status: "open" } : {}));
    await apply("main", ...ideas, ...facts);
    expect(await query({ types: ["fact", "idea"], status: "open", limit: 1 })).toEqual(["f0"]);
    await apply("main", ...ideas.map((op) => ({ ...op, status: "open" }) as GraphOp));
    for (const limit of [1, 2, 50])
      expect(await query({ types: ["fact", "idea"], status: "open", limit })).toEqual(
        ["i3", "i2", "i1", "f0"].slice(0, limit),
      );
  });

  test("a merge refuses an unknown branch, even for an unknown document", async () => {
    const { memory, commit, note } = open(backend);
    await note("main", "first");
    for (const doc of ["notes", "unheard-of"]) {
      for (const [from, into] of [
        ["nowhere", "main"],
        ["main", "nowhere"],
      ] as const) {
        const merge = { from, into, doc, after: 0, limit: 10 };
        const write = () => commit({ do: "merge_notes", ...merge });
        for (const tried of [write, () => memory.previewNoteMerge(workspace, merge)])
          expect((await refusalOf(tried())).code).toBe("UNKNOWN_ID");
      }
    }
  });

  test("copies thoughts that the branch does not contain, and recognises them by their source", async () => {
    const { memory, commit } = open(backend);
    const copy = (number: number, seq: number) => ({
      ...{ source: `merge:session/s:${number}`, seq },
      entry: { kind: "note", content: `thought ${number}` } as const,
    });
    const merge = (into: string, ...thoughts: ReturnType<typeof copy>[]): MemoryStep => ({
      ...{ do: "merge_thoughts", from: "session/s", into, doc: "notes", thoughts },
      ...{ skipped: 3, lastSeq: 7, hasMore: true },
    });
    const held = (branch: string, doc = "notes") =>
      memory.heldThoughts(workspace, { branch, doc, sources: [1, 2, 3].map((n) => copy(n, n).source) });
    expect(await held("main")).toEqual([]);
    expect((await refusalOf(held("side"))).code).toBe("UNKNOWN_ID");
    expect(await commit(merge("main", copy(1, 1)))).toEqual([
      { merged: 1, skipped: 3, lastSeq: 7, hasMore: true },
    ]);
    await commit({ do: "create_branch", name: "side" });
    // The first thought has a different number, as after a restore.
    expect(await commit(merge("main", copy(1, 50), copy(2, 51)))).toMatchObject([{ merged: 1, skipped: 4 }]);
    expect(await held("main")).toEqual(["merge:session/s:1", "merge:session/s:2"]);
    expect(await held("side")).toEqual(["merge:session/s:1"]);
    expect(await held("main", "unheard-of")).toEqual([]);
    expect(await commit(merge("side", copy(1, 1), copy(2, 2), copy(3, 3)))).toMatchObject([
      { merged: 2, skipped: 4 },
    ]);
    const between = { doc: "notes", after: 0, limit: 10 };
    expect(await commit({ do: "merge_notes", from: "side", into: "main", ...between })).toMatchObject([
      { merged: 1, skipped: 1 },
    ]);
    expect(await commit({ do: "merge_notes", from: "main", into: "side", ...between })).toMatchObject([
      { merged: 0, skipped: 2 },
    ]);
    for (const tried of [() => commit(merge("nowhere")), () => held("nowhere")])
      expect((await refusalOf(tried())).code).toBe("UNKNOWN_ID");
  });

  test("lists documents by name and form", async () => {
    const { memory, commit } = open(backend);
    for (const doc of ["b", "a"]) {
      await commit({ do: "append", doc, entry: { kind: "note", content: "x" } });
      await commit({ do: "apply_graph", doc, ops: [node("n")] });
    }
    const found = await memory.listDocs(workspace, "main");
    expect(found.map(({ doc, form }) => `${doc} ${form}`)).toEqual(["a graph", "a log", "b graph", "b log"]);
  });

  test("does not find a commit that only a deleted branch shows", async () => {
    const { commit } = open(backend);
    await commit({ do: "create_branch", name: "side" });
    const entry = { kind: "note", content: "on the side" } as const;
    const [{ seq }] = await commit({ do: "commit", branch: "side", doc: "notes", entry });
    await commit({ do: "create_tag", name: "before", seq, force: false });
    await commit({ do: "delete_branch", name: "side" });
    const tag = commit({ do: "create_tag", name: "after", seq, force: false });
    expect((await refusalOf(tag)).code).toBe("UNKNOWN_ID");
  });

  test("remembers a key per workspace", async () => {
    const { memory } = open(backend);
    const entry = { kind: "note", content: "a note" } as const;
    const steps = [{ do: "append", branch: "main", doc: "notes", entry }] as const;
    const once = { key: "key", fingerprint: "same" };
    const write = async (name: string) => {
      const [{ seq }] = await memory.commit(name, steps, { at: new Date(noon), once });
      return seq;
    };
    const [first, second] = [await write("one"), await write("two")];
    expect(second).toBeGreaterThan(first);
    expect([await write("one"), await write("two")]).toEqual([first, second]);
  });

  test("ignores deleted branches for the newest entry", async () => {
    const { memory, commit, note } = open(backend);
    const [kept] = await note("main", "kept");
    await commit({ do: "create_branch", name: "side" });
    await note("side", "gone");
    await commit({ do: "delete_branch", name: "side" });
    expect((await memory.readActivity(workspace)).lastEntry).toMatchObject({
      seq: kept.seq,
      branch: "main",
    });
  });

  test("deletes a conflict with its branch, and never shows it on another branch of that name", async () => {
    const { memory, commit, apply, query } = open(backend);
    await apply("main", node("n"));
    await commit({ do: "create_branch", name: "base" }, { do: "create_branch", name: "side", from: "base" });
    await apply("side", node("n", { title: "theirs" }));
    await apply("base", node("n", { title: "ours" }));
    const merge = { from: "side", into: "base", doc: "graph", after: 0, limit: 10 };
    const [{ conflicts }] = await commit({ do: "merge_graph", ...merge });
    const id = conflicts[0].conflict_id;
    expect(await memory.readConflict(workspace, id)).toMatchObject({ status: "open" });
    await commit({ do: "delete_branch", name: "side" }, { do: "delete_branch", name: "base" });
    await commit({ do: "create_branch", name: "base" });
    expect(await memory.readConflict(workspace, id)).toBeUndefined();
    const resolve = commit({ do: "resolve_conflict", id, resolution: "use_from" });
    expect((await refusalOf(resolve)).code).toBe("UNKNOWN_ID");
    expect(await query({ branch: "base", text: "theirs" })).toEqual([]);
  });

  test("a renamed branch keeps its conflict and copies no note twice", async () => {
    const { memory, commit, apply, note } = open(backend);
    await apply("main", node("n"));
    await commit({ do: "create_branch", name: "side" });
    await apply("side", node("n", { title: "theirs" }));
    await apply("main", node("n", { title: "ours" }));
    await note("side", "a thought");
    const merges = (from: string, into: string): MemoryStep[] => [
      { do: "merge_notes", from, into, doc: "notes", after: 0, limit: 10 },
      { do: "merge_graph", from, into, doc: "graph", after: 0, limit: 10 },
    ];
    const first = await commit(...merges("side", "main"));
    expect(first).toMatchObject([{ merged: 1 }, { merged: 0, conflicts: [{ key: "n" }] }]);
    await commit({ do: "rename_branch", old: "side", new: "other" });
    await commit({ do: "rename_branch", old: "main", new: "trunk" });
    const again = await commit(...merges("other", "trunk"));
    expect(again).toMatchObject([
      { merged: 0, skipped: 1 },
      { merged: 0, skipped: 1, conflicts: [] },
    ]);
    const back = {
      do: "merge_notes",
      from: "trunk",
      into: "other",
      doc: "notes",
      after: 0,
      limit: 10,
    } as const;
    expect(await commit(back)).toMatchObject([{ merged: 0, skipped: 1 }]);
    const listed = await memory.listConflicts(workspace, {
      into: "trunk",
      doc: "graph",
      after: 0,
      limit: 10,
    });
    expect(listed.conflicts).toMatchObject([{ from: "other", into: "trunk", status: "open" }]);
  });

  test("concurrent calls see each other's writes, and a refusal does not affect the others", async () => {
    const { memory, commit, note } = open(backend);
    await note("main", "first");
    await commit({ do: "create_branch", name: "side" });
    await note("side", "before");
    const merge = { from: "side", into: "main", doc: "notes", after: 0, limit: 10 };
    const calls = await Promise.allSettled([
      note("main", "meanwhile"),
      note("side", "just now"),
      commit({ do: "create_branch", name: "child", from: "side" }),
      commit({ do: "delete_branch", name: "side" }),
      commit({ do: "merge_notes", ...merge }),
      commit({ do: "merge_notes", ...merge }),
      commit({ do: "delete_branch", name: "child" }),
      commit({ do: "delete_branch", name: "side" }),
      note("main", "last"),
    ]);
    expect(
      calls.map((call) => (call.status === "fulfilled" ? call.value[0] : call.reason.code)),
    ).toMatchObject([
      { content: "meanwhile" },
      { content: "just now" },
      { name: "child" },
      "CONFLICT",
      { merged: 2, skipped: 0 },
      { merged: 0, skipped: 2 },
      { deleted: true, unmerged_entries: 0 },
      { deleted: true, unmerged_entries: 0, unmerged_keys: 0 },
      { content: "last" },
    ]);
    const page = { branch: "main", doc: "notes", limit: 10 };
    const { entries } = await memory.readEntries(workspace, { ...page, before: undefined });
    expect(entries.map(({ content }) => content)).toEqual([
      "first",
      "meanwhile",
      "before",
      "just now",
      "last",
    ]);
  });

  test("a runner gets the most urgent job, and the oldest of several", async () => {
    const { commit } = open(backend);
    for (const priority of ["LOW", "HIGH", "MEDIUM", "HIGH"] as const)
      await commit({ do: "create_job", job: { title: priority, prompt: "Look", priority } });
    const claimed: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      const decide = (facts: Parameters<typeof claimJob>[0]) => claimJob(facts, { runner_id: "r1" });
      const [{ job }] = await commit({ do: "change_job", decide });
      claimed.push(job.id);
    }
    expect(claimed).toEqual(["JOB-002", "JOB-004", "JOB-003", "JOB-001"]);
  });

  test("does not find versions that only a deleted branch showed", async () => {
    const { memory, commit, apply, query } = open(backend);
    await apply("main", node("n", { type: "old" }));
    await commit({ do: "create_branch", name: "side" });
    await apply("main", { op: "node_delete", id: "n" });
    expect(await query({ branch: "side", types: ["old"] })).toEqual(["n"]);
    expect((await memory.findNode(workspace, "main", "n", 1))?.node).toMatchObject({ type: "old" });
    await commit({ do: "delete_branch", name: "side" });
    expect(await memory.findNode(workspace, "main", "n", 1)).toBeUndefined();
    expect(await query({ includeDeleted: true })).toEqual(["n"]);
  });

  test("restores the last deleted branch of a name, even if the clock was set back", async () => {
    const { memory, commit, note } = open(backend);
    for (const content of ["first", "second", "third"]) {
      await commit({ do: "create_branch", name: "side" });
      await note("side", content);
      await commit({ do: "delete_branch", name: "side" });
    }
    const contents = async () => {
      const { entries } = await memory.readEntries(workspace, { branch: "side", doc: "notes", limit: 10 });
      return entries.map((entry) => (entry as { content: string }).content);
    };
    await commit({ do: "restore_branch", name: "side" });
    expect(await contents()).toEqual(["third"]);
    const earlier = { at: new Date(Date.parse(noon) - 60_000) };
    await memory.commit(workspace, [{ do: "delete_branch", name: "side" }], earlier);
    await commit({ do: "restore_branch", name: "side" });
    expect(await contents()).toEqual(["third"]);
  });
});

import { describe, expect, test } from "vitest";
import { refusalOf } from "../../support/ledger.ts";
import {
  asked,
  doc,
  edge,
  keys,
  named,
  node,
  openLargeBranch,
  workspace,
} from "../../support/stores/large-branch.ts";
import { storeNames } from "../../support/stores/stores.ts";
import { memoryLines } from "../../support/views/memory-lines.ts";
import { ranked } from "../../support/views/memory-view.ts";

describe.each(storeNames)("a merge that is too large for one transaction, on %s", (backend) => {
  test("has the same result as a single transaction", async () => {
    const [large, whole] = [await openLargeBranch(backend), await openLargeBranch(backend)];
    const outcome = await large.merge();
    const [expected] = await whole.commit({ do: "merge_graph", ...asked });
    expect(outcome.merged).toBeGreaterThan(keys - 10);
    const { lastSeq: _one, ...told } = outcome;
    const { lastSeq: _other, ...wanted } = expected;
    expect(told).toEqual(wanted);
    expect(ranked(await large.view())).toEqual(ranked(await whole.view()));
    expect(await large.store.upkeep.inspectMemory()).toMatchObject({ problems: [], lackingWords: 0 });
    expect(await large.merge()).toMatchObject({ merged: 0, conflicts: [] });
    for (const { apply } of [large, whole])
      await apply("main", node("n1", "after"), { op: "node_delete", id: "n2" });
    expect(ranked(await large.view())).toEqual(ranked(await whole.view()));
  });

  test("is invisible until it is complete", async () => {
    const { during, merge, memory, store, commit } = await openLargeBranch(backend);
    const place = { branch: "main", doc };
    // Makes only a few concurrent reads, so that they finish before the merge on any store.
    const glimpse = () =>
      Promise.all([
        memory.checkGraph(workspace, place, 10),
        memory.queryNodes(workspace, { ...place, includeDeleted: true, limit: 200 }),
        memory.queryNodes(workspace, { ...place, text: "theirs", includeDeleted: false, limit: 10 }),
        memory.diffGraph(workspace, { from: "main", to: "side", doc, limit: 50 }),
        memory.listConflicts(workspace, { into: "main", doc, after: 0, limit: 10 }),
        memory.listDocs(workspace, "main"),
      ]);
    const before = await glimpse();
    let seen: unknown[] = [];
    const dumped = async () => {
      const { lines } = await memoryLines(store);
      return JSON.stringify(lines).match(/"version":/g)?.length;
    };
    during(async () => {
      const inspected = store.upkeep.inspectMemory().then(({ versions }) => versions);
      const early = commit({ do: "create_branch", name: "early", from: "side" });
      seen = await Promise.all([glimpse(), dumped(), inspected]);
      await early;
    });
    const { versions } = await store.upkeep.inspectMemory();
    await merge();
    expect(seen).toEqual([before, versions, versions]);
    expect((await memory.checkGraph(workspace, { branch: "main", doc }, 10)).nodes).toBe(669);
    expect((await memory.checkGraph(workspace, { branch: "early", doc }, 10)).nodes).toBe(667);
  });

  test("reconsiders what changed on either side while it was staged", async () => {
    const { during, merge, apply, titles, memory, store } = await openLargeBranch(backend);
    during(async () => {
      await apply("main", node("n0", "late ours"), node("late"), edge("late", "n397"));
      await apply("side", node("n1", "late theirs"), node("new there"));
    });
    const { conflicts } = await merge();
    expect(conflicts.map(({ key }) => key).sort()).toEqual(["late|r|n397", "n0", "n399", "own|r|n398"]);
    expect(await titles("main", ["n0", "n1", "n2", "n397", "n398", "n396", "new there"])).toEqual({
      n0: "late ours",
      n1: "late theirs",
      n2: "theirs",
      n397: "alpha",
      n398: "alpha",
    });
    const health = await memory.checkGraph(workspace, { branch: "main", doc }, 10);
    expect(health).toMatchObject({ nodes: 671, danglingTotal: 0 });
    expect((await store.upkeep.inspectMemory()).problems).toEqual([]);
    expect((await merge()).merged).toBe(1);
  });

  test("starts over if a branch is created from its target, and does not change that branch", async () => {
    const { during, merge, commit, memory, titles, store } = await openLargeBranch(backend);
    during(() => commit({ do: "create_branch", name: "kept", from: "main" }));
    expect((await merge()).merged).toBeGreaterThan(keys - 10);
    expect(await titles("kept", ["n0", "n400"])).toEqual({ n0: "again" });
    expect(await titles("main", ["n0", "n400"])).toEqual({ n0: "theirs", n400: "alpha" });
    const { changes } = await memory.diffGraph(workspace, { from: "main", to: "kept", doc, limit: 1_000 });
    expect(changes.filter(({ deleted }) => !deleted)).toHaveLength(342);
    expect((await store.upkeep.inspectMemory()).problems).toEqual([]);
  });

  test("yields to writers that need the next numbers, and still completes", async () => {
    const { during, merge, apply, memory, titles, store, at } = await openLargeBranch(backend);
    const ops = Array.from({ length: 2_000 }, (_, n) => node(`other${n}`));
    const steps = Array.from({ length: 6 }, () => ({ do: "apply_graph", doc, ops }) as const);
    during(() =>
      Promise.all([apply("main", node("n5", "late ours")), memory.commit("elsewhere", steps, { at })]),
    );
    expect((await merge()).conflicts.map(({ key }) => key)).toContain("n5");
    expect(await titles("main", ["n5", "n6", "n669"])).toEqual({
      n5: "late ours",
      n6: "theirs",
      n669: "alpha",
    });
    expect((await store.upkeep.inspectMemory()).problems).toEqual([]);
  });

  test("moves its numbers if single notes need them", async () => {
    const { during, merge, memory, titles, store, at } = await openLargeBranch(backend);
    const ops = Array.from({ length: 1_990 }, (_, n) => node(`other${n}`));
    const graphs = Array.from({ length: 5 }, () => ({ do: "apply_graph", doc, ops }) as const);
    const entry = { kind: "note", content: "needs a number" } as const;
    const notes = Array.from({ length: 100 }, () => ({ do: "append", doc: "notes", entry }) as const);
    const before = await store.feed.lastSeq();
    let last = 0;
    during(async () => {
      const outcomes = await memory.commit("elsewhere", [...graphs, ...notes], { at });
      last = (outcomes.at(-1) as { seq: number }).seq;
    });
    const { merged } = await merge();
    const query = { branch: "main", doc, includeDeleted: true, limit: 2_000 };
    const { nodes } = await memory.queryNodes(workspace, query);
    const brought = nodes.map(({ last_seq }) => last_seq).filter((seq) => seq > before);
    expect(brought.length).toBeGreaterThan(merged / 2);
    expect(Math.min(...brought)).toBeGreaterThan(last);
    expect(await titles("main", ["n6", "n669"])).toEqual({ n6: "theirs", n669: "alpha" });
    expect((await store.upkeep.inspectMemory()).problems).toEqual([]);
  });

  test("continues if its source is renamed, and leaves nothing if it is deleted", async () => {
    const renamed = await openLargeBranch(backend);
    renamed.during(() => renamed.commit({ do: "rename_branch", old: "side", new: "other" }));
    expect((await renamed.merge()).merged).toBeGreaterThan(keys - 10);
    const deleted = await openLargeBranch(backend);
    deleted.during(() => deleted.commit({ do: "delete_branch", name: "side" }));
    const before = await deleted.titles("main", named(0, 200));
    expect(await refusalOf(deleted.merge())).toMatchObject({ code: "UNKNOWN_ID" });
    expect(await deleted.titles("main", named(0, 200))).toEqual(before);
  });

  test("leaves nothing if it is cancelled, and can be repeated", async () => {
    const { during, merge, titles, store } = await openLargeBranch(backend);
    const before = await titles("main", named(0, 200));
    const { versions } = await store.upkeep.inspectMemory();
    const cancel = new AbortController();
    const why = new Error("nobody waits any more");
    during(async () => cancel.abort(why));
    await expect(merge({ signal: cancel.signal })).rejects.toBe(why);
    expect(await titles("main", named(0, 200))).toEqual(before);
    expect((await store.upkeep.inspectMemory()).versions).toBe(versions);
    expect((await merge()).merged).toBeGreaterThan(keys - 10);
    expect((await store.upkeep.inspectMemory()).problems).toEqual([]);
  });

  test("is refused if its target changes faster than it is staged, and a smaller one succeeds", async () => {
    const { commit, memory, at, titles } = await openLargeBranch(backend);
    let made = 0;
    const onProgress = () => void commit({ do: "create_branch", name: `b${made++}`, from: "main" });
    expect(await refusalOf(memory.mergeGraph(workspace, asked, { at, onProgress }))).toMatchObject({
      code: "CONFLICT",
    });
    expect(made).toBeGreaterThan(6);
    expect(await titles("main", ["n0", "n400"])).toEqual({ n0: "again" });
    expect((await memory.mergeGraph(workspace, { ...asked, limit: 500 }, { at })).merged).toBe(500);
  });

  test("waits for another merge that is staged", async () => {
    const { memory, at, apply, commit, store } = await openLargeBranch(backend);
    await commit({ do: "create_branch", name: "second", from: "main" });
    await apply("second", ...Array.from({ length: 600 }, (_, n) => node(`second${n}`)));
    const both = await Promise.all(
      ["side", "second"].map((from) => memory.mergeGraph(workspace, { ...asked, from }, { at })),
    );
    expect(both.map(({ merged }) => merged)).toEqual([expect.any(Number), 600]);
    expect((await memory.checkGraph(workspace, { branch: "main", doc }, 10)).nodes).toBe(1_269);
    expect((await store.upkeep.inspectMemory()).problems).toEqual([]);
  });
});

describe.each(storeNames)("merging a large branch again, on %s", (backend) => {
  test("looks only at what has changed since, and counts the rest as skipped", async () => {
    const { merge, apply, commit, lookedAt } = await openLargeBranch(backend);
    const { conflicts } = await merge();
    for (const { conflict_id: id } of conflicts)
      await commit({ do: "resolve_conflict", id, resolution: "use_into" });
    const { merged, skipped } = await merge();
    expect({ merged, lookedAt: await lookedAt() }).toEqual({ merged: 0, lookedAt: 0 });
    await apply("side", node("n7", "once more"), node("n8", "once more"));
    expect(await lookedAt()).toBe(2);
    expect(await merge()).toMatchObject({ merged: 2, skipped: skipped - 2, conflicts: [] });
    expect(await lookedAt()).toBe(0);
  });

  test("looks again at open conflicts, and no longer after they are settled", async () => {
    const { merge, apply, lookedAt } = await openLargeBranch(backend);
    await merge();
    const waiting = await lookedAt();
    expect(waiting).toBeGreaterThan(0);
    expect(waiting).toBeLessThan(keys);
    await apply("main", node("n399", "theirs"), { op: "node_delete", id: "own" });
    expect(await merge()).toMatchObject({ merged: 1, conflictsOpen: 0 });
    expect(await lookedAt()).toBe(0);
  });
});

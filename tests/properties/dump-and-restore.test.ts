import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { GraphOp } from "../../src/domain/memory/graph-ops.ts";
import { ThoughtboxError } from "../../src/kernel/errors.ts";
import type { MemoryStep } from "../../src/ports/memory/steps.ts";
import { restoreDump } from "../../src/storage/dump/restore-dump.ts";
import { writeDump } from "../../src/storage/dump/write-dump.ts";
import { createSqliteLedger } from "../../src/storage/sqlite/sqlite-ledger.ts";
import { startSession, think } from "../support/ledger.ts";
import { memoryView, ranked } from "../support/memory-view.ts";
import { tempDir } from "../support/temp-dir.ts";

type Store = ReturnType<typeof createSqliteLedger>;

const workspaces = ["acme/repo", "other"] as const;
const names = ["main", "a", "b", "c/d"] as const;
const ids = ["n1", "n2", "n3"] as const;
const words = ["alpha", "beta", "alpha beta"] as const;
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });
const doc = fc.constantFrom("notes", "graph");
const name = fc.constantFrom(...names);
const edge = { from: fc.constantFrom(...ids), rel: fc.constantFrom("r", "s"), to: fc.constantFrom(...ids) };
const meta = maybe(fc.constantFrom({}, { a: 1, b: [null, "x"] }));

const graphOp = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant("node_upsert" as const),
      id: fc.constantFrom(...ids),
      type: fc.constantFrom("fact", "idea"),
      title: maybe(fc.constantFrom(...words)),
      text: maybe(fc.constantFrom("", ...words)),
      status: maybe(fc.constantFrom("open", "done")),
      tags: maybe(fc.subarray(["blue", "red"])),
      meta,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant("node_delete" as const), id: fc.constantFrom(...ids) }),
  },
  { weight: 3, arbitrary: fc.record({ op: fc.constant("edge_upsert" as const), ...edge, meta }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("edge_delete" as const), ...edge }) },
) satisfies fc.Arbitrary<GraphOp>;

const entry = fc.record({
  kind: fc.constantFrom("note" as const, "event" as const),
  content: fc.string({ unit: "grapheme", maxLength: 5 }),
  title: maybe(fc.constantFrom(...words)),
  agent_id: maybe(fc.constant("me")),
  meta,
});
const merge = { from: name, into: name, doc, after: fc.constant(0), limit: fc.constantFrom(1, 100) };

/** `pick` chooses among the commits or conflicts that there are by then. */
const wish = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("create_branch" as const), name, from: maybe(name) }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("append" as const), branch: maybe(name), doc, entry }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("commit" as const), branch: maybe(name), doc, entry }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("apply_graph" as const),
      branch: maybe(name),
      doc: fc.constantFrom("graph", "graph", "notes"),
      ops: fc.array(graphOp, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("merge_notes" as const), ...merge }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("merge_graph" as const), ...merge }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("resolve_conflict" as const),
      pick: fc.nat(9),
      resolution: fc.constantFrom("use_from" as const, "use_into" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rename_branch" as const), old: name, new: name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("delete_branch" as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("checkout" as const), ref: name }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("reset" as const), branch: name, pick: fc.nat(9), doc }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("create_tag" as const),
      name: fc.constantFrom("v1", "v2"),
      pick: fc.nat(9),
      force: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete_tag" as const), name: fc.constant("v1") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("think" as const) }) },
);
type Wish = typeof wish extends fc.Arbitrary<infer Value> ? Value : never;
const history = fc.array(fc.record({ workspace: fc.constantFrom(...workspaces), wish }), {
  minLength: 5,
  maxLength: 60,
});
type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

/** What happens is done; what is refused has not happened. */
async function live(store: Store, history: History): Promise<void> {
  const seen = new Map(workspaces.map((workspace) => [workspace, { commits: [1], conflicts: ["none"] }]));
  const sessionId = await startSession(store);
  for (const [index, { workspace, wish }] of history.entries()) {
    const known = seen.get(workspace) ?? { commits: [], conflicts: [] };
    if (wish.do === "think") await think(store, sessionId);
    else
      try {
        const [done] = await store.memory.commit(workspace, [toStep(wish, known)], {
          at: new Date(1_000 + index),
          projectGuard: "acme",
        });
        if (wish.do === "commit") known.commits.push((done as { seq: number }).seq);
        if (wish.do === "merge_graph")
          for (const { conflict_id } of (done as { conflicts: { conflict_id: string }[] }).conflicts)
            known.conflicts.push(conflict_id);
      } catch (thrown) {
        if (!(thrown instanceof ThoughtboxError) || thrown.code === "INTERNAL_ERROR") throw thrown;
      }
  }
}

function toStep(
  wish: Exclude<Wish, { do: "think" }>,
  known: { commits: number[]; conflicts: string[] },
): MemoryStep {
  const picked = <Item>(items: Item[], pick: number): Item => items[pick % items.length] as Item;
  if (wish.do === "resolve_conflict") {
    const { pick, ...step } = wish;
    return { ...step, id: picked(known.conflicts, pick) };
  }
  if (wish.do === "reset" || wish.do === "create_tag") {
    const { pick, ...step } = wish;
    return { ...step, seq: picked(known.commits, pick) };
  }
  return wish as MemoryStep;
}

const open = (): Store => createSqliteLedger({ kind: "memory" }, () => new Date(5_000));

async function dumpTo(store: Store, workspace?: string): Promise<string> {
  const path = join(tempDir(), "all.jsonl");
  await writeDump(store, path, () => new Date(9_000), { workspace });
  return path;
}
const linesOf = (path: string) => readFileSync(path, "utf8").split("\n");

/** The same merges in the same order, and what each of them said. */
async function mergeEverything(store: Store, workspace: string): Promise<unknown[]> {
  const branches = await store.memory.listBranches(workspace, "", 100);
  const said: unknown[] = [];
  for (const { name: from } of branches)
    for (const { name: into } of branches)
      for (const kind of ["merge_notes", "merge_graph"] as const)
        said.push(
          await store.memory
            .commit(workspace, [{ do: kind, from, into, doc: "graph", after: 0, limit: 100 }], {
              at: new Date(8_000),
            })
            .catch(({ code }) => code),
        );
  return said;
}

const everything = async (store: Store) =>
  Promise.all(workspaces.map((workspace) => memoryView(store.memory, workspace)));

async function withStores(stores: Store[], work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } finally {
    for (const store of stores) await store.close();
  }
}

test("restored into an empty store, a memory is the same to the number", async () => {
  let restored = 0;
  await fc.assert(
    fc.asyncProperty(history, async (history) => {
      const [source, target] = [open(), open()];
      await withStores([source, target], async () => {
        await live(source, history);
        const path = await dumpTo(source);
        const { badLines, workspaces: outcomes } = await restoreDump(target, path);
        expect(badLines).toEqual([]);
        restored += outcomes.filter(({ outcome }) => outcome === "restored").length;
        expect(linesOf(await dumpTo(target))).toEqual(linesOf(path));
        expect(await everything(target)).toEqual(await everything(source));
        expect((await target.memory.inspectMemory()).problems).toEqual([]);
        const again = await restoreDump(target, path);
        expect(again.workspaces.every(({ outcome }) => outcome === "unchanged")).toBe(true);
        expect(linesOf(await dumpTo(target))).toEqual(linesOf(path));
        // What is written now gets new numbers, and a ledger has taken some in between.
        const compare = async (look: (store: Store) => Promise<unknown>) =>
          expect(ranked(await look(target))).toEqual(ranked(await look(source)));
        for (const workspace of workspaces) await compare((store) => mergeEverything(store, workspace));
        await compare((store) => everything(store).then(withoutEvents));
      });
    }),
    { numRuns: 40 },
  );
  expect(restored).toBeGreaterThan(20);
});

test("restored into a used store, everything but the numbers is the same, and what was there stays", async () => {
  await fc.assert(
    fc.asyncProperty(history, history, fc.boolean(), async (history, others, one) => {
      const [source, target] = [open(), open()];
      await withStores([source, target], async () => {
        await live(source, history);
        // The target knows one of the two workspaces, with another past.
        await live(
          target,
          others.map((step) => ({ ...step, workspace: "other" })),
        );
        await target.memory.commit("other", [{ do: "bootstrap" }], { at: new Date(1) });
        await source.memory.commit("acme/repo", [{ do: "bootstrap" }], { at: new Date(1) });
        const before = await memoryView(target.memory, "other");
        const { badLines, workspaces: outcomes } = await restoreDump(
          target,
          await dumpTo(source, one ? "acme/repo" : undefined),
        );
        expect(badLines).toEqual([]);
        expect(outcomes.filter(({ outcome }) => outcome === "restored")).toMatchObject([
          { workspace: "acme/repo" },
        ]);
        expect(await memoryView(target.memory, "other")).toEqual(before);
        const compare = async (look: (store: Store) => Promise<unknown>) =>
          expect(ranked(await look(target))).toEqual(ranked(await look(source)));
        await compare((store) => memoryView(store.memory, "acme/repo"));
        expect((await target.memory.inspectMemory()).problems).toEqual([]);
        await compare((store) => mergeEverything(store, "acme/repo"));
        await compare((store) => memoryView(store.memory, "acme/repo").then(withoutEvents));
      });
    }),
    { numRuns: 40 },
  );
});

/** `merge:<branch>:<seq>` names a number. */
const withoutEvents = (view: unknown): unknown =>
  JSON.parse(JSON.stringify(view).replaceAll(/"merge:[^"]*:\d+"/g, '"merge"'));

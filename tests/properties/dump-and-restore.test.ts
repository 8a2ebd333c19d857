import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyThought, isThoughtSource } from "../../src/domain/memory/merge/merge-notes.ts";
import type { MemoryStep } from "../../src/domain/memory/steps/step.ts";
import { ThoughtboxError } from "../../src/kernel/errors.ts";
import type { Store } from "../../src/ports/store.ts";
import { restoreDump } from "../../src/storage/dump/restore-dump.ts";
import { writeDump } from "../../src/storage/dump/write-dump.ts";
import fc from "../support/fast-check.ts";
import { startSession, think } from "../support/ledger.ts";
import { enoughTime, reportSoak, times } from "../support/run/soak.ts";
import { referenceStore, storeKind } from "../support/stores/stores.ts";
import { tempDir } from "../support/temp-dir.ts";
import { memoryLines, restoreOf, withoutMarks } from "../support/views/memory-lines.ts";
import { memoryView, numbersIn, ranked } from "../support/views/memory-view.ts";
import { type History, history, type Wish, workspaces } from "./lived-memory.ts";

/** Applies a history. Refused steps change nothing. */
async function live(store: Store, history: History): Promise<string> {
  const seen = new Map(workspaces.map((workspace) => [workspace, { commits: [1], conflicts: ["none"] }]));
  const sessionId = await startSession(store.ledger);
  for (const [index, { workspace, wish }] of history.entries()) {
    const known = seen.get(workspace) ?? { commits: [], conflicts: [] };
    if (wish.do === "think") await think(store.ledger, sessionId);
    else
      try {
        const steps =
          wish.do === "merge_session"
            ? [await mergeSession(store, sessionId, wish.into, wish.doc)]
            : toSteps(wish, known);
        const outcomes: readonly object[] = await store.memory.commit(workspace, steps, {
          at: new Date(1_000 + index),
          projectGuard: "acme",
        });
        for (const done of outcomes) {
          if ("parent" in done && "seq" in done) known.commits.push(Number(done.seq));
          if ("conflicts" in done)
            for (const { conflict_id } of done.conflicts as { conflict_id: string }[])
              known.conflicts.push(conflict_id);
        }
      } catch (thrown) {
        if (!(thrown instanceof ThoughtboxError) || thrown.code === "INTERNAL_ERROR") throw thrown;
      }
  }
  return sessionId;
}

/** Merges a session's thoughts, with their numbers in this store. */
async function mergeSession({ ledger }: Store, sessionId: string, into: string, doc: string) {
  const thoughts = await ledger.readEntries(sessionId, 0, 100);
  return {
    ...({ do: "merge_thoughts", from: `session/${sessionId}`, into, doc } as const),
    thoughts: thoughts.map((thought) => copyThought("A session", thought)),
    ...{ skipped: 0, lastSeq: 0, hasMore: false },
  };
}

/**
 * Merges into every branch and returns the results. Afterwards each thought is visible once on each branch.
 */
async function mergeSessionEverywhere(store: Store, sessionId: string, workspace: string) {
  const said: unknown[] = [];
  for (const { name } of await store.memory.listBranches(workspace, { after: "", limit: 100 })) {
    const step = await mergeSession(store, sessionId, name, "notes");
    const [outcome] = await store.memory.commit(workspace, [step], { at: new Date(7_000) });
    said.push(name, outcome);
    const page = { branch: name, doc: "notes", limit: 1_000 };
    const { entries } = await store.memory.readEntries(workspace, page);
    const sources = entries.flatMap(({ source_event_id: event = "" }) =>
      isThoughtSource(event) ? event : [],
    );
    expect(sources.sort()).toEqual(step.thoughts.map(({ source }) => source).sort());
  }
  return said;
}

type Known = { commits: number[]; conflicts: string[] };

function toSteps(
  wish: Exclude<Wish, { do: "think" | "merge_session" }>,
  { commits, conflicts }: Known,
): MemoryStep[] {
  const picked = <Item>(items: Item[], pick: number): Item => items[pick % items.length] as Item;
  switch (wish.do) {
    case "resolve_conflict":
      return [{ do: wish.do, resolution: wish.resolution, id: picked(conflicts, wish.pick) }];
    case "reset":
      return [{ do: wish.do, branch: wish.branch, doc: wish.doc, seq: picked(commits, wish.pick) }];
    case "create_tag":
      return [{ do: wish.do, name: wish.name, force: wish.force, seq: picked(commits, wish.pick) }];
    case "collide":
      return [
        { do: "create_branch", name: wish.branch, from: "main", ifMissing: true },
        ...[wish.branch, "main"].map((branch, side) => ({
          ...({ do: "apply_graph", branch, doc: "graph" } as const),
          ops: [{ op: "node_upsert", id: wish.id, type: "fact", title: wish.titles[side] } as const],
        })),
        { do: "merge_graph", from: wish.branch, into: "main", doc: "graph", after: 0, limit: 100 },
      ];
    default:
      return [wish as MemoryStep];
  }
}

const open = (): Store => storeKind(referenceStore).open(tempDir(), () => new Date(5_000));

async function dumpTo(store: Store, workspace?: string): Promise<string> {
  const path = join(tempDir(), "all.jsonl");
  await writeDump(store, path, () => new Date(9_000), { workspace });
  return path;
}
const linesOf = (path: string) => readFileSync(path, "utf8").split("\n");

/** Makes the same merges in the same order and returns the results. */
async function mergeEverything(store: Store, workspace: string): Promise<unknown[]> {
  const branches = await store.memory.listBranches(workspace, { after: "", limit: 100 });
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

const histories = times("restored histories", 15);

test("a memory that is restored into an empty store keeps its numbers", {
  timeout: enoughTime(histories, 2_000),
}, async () => {
  let restored = 0;
  await fc.assert(
    fc.asyncProperty(history, async (history) => {
      const [source, target] = [open(), open()];
      await withStores([source, target], async () => {
        const sessionId = await live(source, history);
        const path = await dumpTo(source);
        const { badLines, workspaces: outcomes } = await restoreDump(target, path);
        expect(badLines).toEqual([]);
        restored += outcomes.filter(({ outcome }) => outcome === "restored").length;
        expect(linesOf(await dumpTo(target))).toEqual(linesOf(path));
        expect(await everything(target)).toEqual(await everything(source));
        expect((await target.upkeep.inspectMemory()).problems).toEqual([]);
        const again = await restoreDump(target, path);
        expect(again.workspaces.every(({ outcome }) => outcome === "unchanged")).toBe(true);
        expect(linesOf(await dumpTo(target))).toEqual(linesOf(path));
        // New writes get new numbers, and the source's ledger has also used some, so only the ranks are
        // compared.
        const compare = async (look: (store: Store) => Promise<unknown>) =>
          expect(ranked(await look(target))).toEqual(ranked(await look(source)));
        for (const workspace of workspaces) await compare((store) => mergeEverything(store, workspace));
        for (const workspace of workspaces)
          await compare((store) => mergeSessionEverywhere(store, sessionId, workspace));
        await compare((store) => everything(store).then(withoutEvents));
      });
    }),
    { numRuns: histories },
  );
  reportSoak("histories dumped and restored", `${histories} histories`);
  expect(restored).toBeGreaterThan(histories);
});

test("a memory that is restored into a used store changes only its numbers, and nothing in the store", {
  timeout: enoughTime(histories, 2_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(history, history, fc.boolean(), async (history, others, one) => {
      const [source, target] = [open(), open()];
      await withStores([source, target], async () => {
        await live(source, history);
        // The target already has one of the two workspaces, with a different history.
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
        await compare(async (store) => withoutMarks((await memoryLines(store, "acme/repo")).lines));
        const highest = (await memoryLines(source, "acme/repo")).lastSeq;
        for (const number of numbersIn((await memoryLines(target, "acme/repo")).lines))
          expect(number, "no number comes to mean something else").toBeGreaterThan(highest);
        expect((await target.upkeep.inspectMemory()).problems).toEqual([]);
        await compare((store) => mergeEverything(store, "acme/repo"));
        await compare((store) => memoryView(store.memory, "acme/repo").then(withoutEvents));
      });
    }),
    { numRuns: histories },
  );
  reportSoak("histories dumped and restored", `${histories} histories`);
});

test("a restore keeps the order, even if others write during it", {
  timeout: enoughTime(histories, 2_000),
}, async () => {
  const pauses = fc.array(fc.record({ lines: fc.integer({ min: 1, max: 9 }), writes: fc.nat(3) }), {
    minLength: 1,
  });
  await fc.assert(
    fc.asyncProperty(history, pauses, async (history, pauses) => {
      const [source, target] = [open(), open()];
      await withStores([source, target], async () => {
        await live(source, history);
        await source.memory.commit("acme/repo", [{ do: "bootstrap" }], { at: new Date(1) });
        const { lines, lastSeq } = await memoryLines(source, "acme/repo");
        const restore = restoreOf(target, lastSeq);
        for (let turn = 0; lines.length > 0; turn += 1) {
          const { lines: some = 1, writes = 0 } = pauses[turn % pauses.length] ?? {};
          const problems = await restore.take(lines.splice(0, some));
          expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
          for (let n = 0; n < writes; n += 1)
            await target.memory.commit("other", [{ do: "apply_graph", doc: "graph", ops: [stone(n)] }], {
              at: new Date(1),
            });
          // The index is ahead of the data that is still to be restored.
          await target.memory.queryNodes("other", { ...everyStone, text: "alpha" }).catch(() => {});
        }
        expect(await restore.finish()).toMatchObject([{ outcome: "restored" }]);
        const compare = async (look: (store: Store) => Promise<unknown>) =>
          expect(ranked(await look(target))).toEqual(ranked(await look(source)));
        await compare((store) => memoryView(store.memory, "acme/repo"));
        await compare((store) => mergeEverything(store, "acme/repo"));
        await compare((store) => memoryView(store.memory, "acme/repo").then(withoutEvents));
        expect(await target.upkeep.inspectMemory()).toMatchObject({ problems: [], lackingWords: 0 });
      });
    }),
    { numRuns: histories },
  );
  reportSoak("histories dumped and restored", `${histories} histories`);
});

const stone = (n: number) => ({ op: "node_upsert", id: `s${n}`, type: "fact", title: "alpha" }) as const;
const everyStone = { branch: "main", doc: "graph", includeDeleted: false, limit: 10 };

/** `merge:<branch>:<seq>` contains a number. */
const withoutEvents = (view: unknown): unknown =>
  JSON.parse(JSON.stringify(view).replaceAll(/"merge:[^"]*:\d+"/g, '"merge"'));

test("a branch that was created together with its base's document shows all of it, even after a restore", async () => {
  const [source, target] = [open(), open()];
  await withStores([source, target], async () => {
    const put = (branch: string, id: string): MemoryStep => ({
      do: "apply_graph",
      branch,
      doc: "graph",
      ops: [{ op: "node_upsert", id, type: "fact", title: id } as const],
    });
    const steps = [
      put("main", "n1"),
      { do: "create_branch", name: "a", from: "main" } as MemoryStep,
      put("a", "n2"),
    ];
    await source.memory.commit("acme/repo", steps, { at: new Date(1_000) });
    await restoreDump(target, await dumpTo(source));
    for (const { memory } of [source, target]) {
      const place = { branch: "a", doc: "graph" };
      const { nodes } = await memory.queryNodes("acme/repo", { ...place, includeDeleted: false, limit: 10 });
      const shown = nodes.flatMap((node) => (node.kind === "node" ? [node.id] : []));
      const { nodes: counted } = await memory.checkGraph("acme/repo", place, 10);
      expect({ shown: shown.sort(), counted }).toEqual({ shown: ["n1", "n2"], counted: 2 });
    }
  });
});

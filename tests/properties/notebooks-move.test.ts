import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  addCell,
  deleteCell,
  moveCell,
  restoreCell,
  updateCell,
} from "../../src/domain/notebook/change-cells.ts";
import type { Cell, CellContent, Notebook } from "../../src/domain/notebook/notebook.ts";
import { ThoughtboxError } from "../../src/kernel/errors.ts";
import type { WholeNotebook } from "../../src/ports/notebook/notebook-archive.ts";
import type { Store } from "../../src/ports/store.ts";
import { restoreDump } from "../../src/storage/dump/restore-dump.ts";
import { writeDump } from "../../src/storage/dump/write-dump.ts";
import { importNotebooks } from "../../src/storage/notebooks/import-notebooks.ts";
import { createNotebookFiles, withNotebookFiles } from "../../src/storage/notebooks/notebook-files.ts";
import fc from "../support/fast-check.ts";
import { referenceStore, storeKind } from "../support/stores/stores.ts";
import { tempDir } from "../support/temp-dir.ts";

const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.constantFrom("", "```js\n1\n```", "# not a title\n\n###### a.ts\n\n```ts\n```", "two\r\nlines"),
);
const content: fc.Arbitrary<CellContent> = fc.oneof(
  fc.record({ type: fc.constant("markdown" as const), text }),
  fc.record({
    ...{
      type: fc.constant("code" as const),
      filename: fc.constantFrom("a.ts", "b.ts", "c.js"),
      source: text,
    },
  }),
);
const wish = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("add" as const), content, position: fc.nat(4) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("update" as const), pick: fc.nat(9), text }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("move" as const), pick: fc.nat(9), position: fc.nat(4) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("delete" as const), pick: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restore" as const), pick: fc.nat(9) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("run" as const),
      pick: fc.nat(9),
      output: text,
      isEvidence: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("start" as const), pick: fc.nat(9) }) },
);
type Wish = typeof wish extends fc.Arbitrary<infer Value> ? Value : never;
const life = fc.record({
  project: fc.constantFrom("_default", "shop"),
  language: fc.constantFrom("typescript" as const, "javascript" as const),
  tsconfig: fc.option(fc.constant('{"compilerOptions":{}}'), { nil: undefined }),
  net: fc.boolean(),
  isTrashed: fc.boolean(),
  wishes: fc.array(wish, { maxLength: 15 }),
});
const lives = fc.array(life, { minLength: 1, maxLength: 3 });
type Life = typeof life extends fc.Arbitrary<infer Value> ? Value : never;

/** Applies a history. Refused steps change nothing. */
async function live(notebooks: Store["notebooks"], lived: readonly Life[]): Promise<void> {
  let [at, ids] = [1_000, 0];
  for (const { project, isTrashed, wishes, ...about } of lived) {
    ids += 1;
    const id = idOf(ids);
    const title: Cell = { type: "title", text: "A title", id: idOf(ids * 1_000), version: 1 };
    await notebooks.createNotebook({ id, project, ...about, cells: [title], at }, undefined);
    for (const one of wishes) {
      at += 1_000;
      ids += 1;
      await grant(notebooks, { project, id, at, newId: idOf(ids * 1_000) }, one).catch((thrown) => {
        if (!(thrown instanceof ThoughtboxError) || thrown.code === "INTERNAL_ERROR") throw thrown;
      });
    }
    if (isTrashed) await notebooks.trashNotebook(project, id, at + 500);
  }
}

type Place = { project: string; id: string; at: number; newId: string };

async function grant(notebooks: Store["notebooks"], { project, id, at, newId }: Place, wish: Wish) {
  const picked = <Item>(items: readonly Item[], pick: number): Item => items[pick % items.length] as Item;
  if (wish.do === "run" || wish.do === "start") {
    const notebook = await notebooks.readNotebook(project, id);
    const cell = picked(notebook?.cells ?? [], wish.pick);
    if (!cell) return;
    const run = { notebookId: id, cellId: cell.id, version: cell.version, at, expiresAt: at + 1 };
    const runId = await notebooks.beginRun(run);
    if (wish.do === "start" || runId === undefined) return;
    const result = { output: wish.output, truncated: false, displays: [], exitCode: 0, durationMs: 3 };
    await notebooks.endRun(runId, { ...result, status: "completed", sandbox: "strong" }, at + 3, {
      isEvidence: wish.isEvidence,
    });
    return;
  }
  const pickedId = ({ cells }: Notebook): string =>
    ("pick" in wish ? picked(cells, wish.pick)?.id : undefined) ?? newId;
  const request = { project, notebookId: id, at, once: undefined, historyOf: pickedId };
  await notebooks.changeCells(request, (notebook, history) => {
    if (wish.do === "add") {
      const { content } = wish;
      const code = content.type === "code" ? { filename: content.filename } : {};
      const words = "text" in content ? content.text : content.source;
      return addCell(
        notebook,
        newId,
        { type: content.type, content: words, ...code },
        { position: wish.position },
      );
    }
    const cellId = pickedId(notebook);
    if (wish.do === "update") return updateCell(notebook, cellId, { content: wish.text });
    if (wish.do === "move") return moveCell(notebook, cellId, { position: wish.position });
    if (wish.do === "delete") return deleteCell(notebook, cellId);
    return restoreCell(notebook, cellId, history, undefined);
  });
}

const open = (): Store => storeKind(referenceStore).open(tempDir(), () => new Date(5_000));

async function everything({ archive }: Pick<Store, "archive">): Promise<WholeNotebook[]> {
  const found: WholeNotebook[] = [];
  for (const id of await archive.listNotebookIds()) {
    const whole = await archive.readWhole(id);
    if (whole) found.push(whole);
  }
  return found;
}

async function dumpTo(store: Store): Promise<string> {
  const path = join(tempDir(), "all.jsonl");
  await writeDump(store, path, () => new Date(9_000));
  return path;
}

async function withStores(stores: Store[], work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } finally {
    for (const store of stores) await store.close();
  }
}

test("a dump restores notebooks with every version, the outputs and the trash", async () => {
  let [versions, runs] = [0, 0];
  await fc.assert(
    fc.asyncProperty(lives, async (lived) => {
      const [source, target] = [open(), open()];
      await withStores([source, target], async () => {
        await live(source.notebooks, lived);
        const path = await dumpTo(source);
        const { badLines, notebooks } = await restoreDump(target, path);
        expect(badLines).toEqual([]);
        expect(notebooks).toEqual({ added: lived.length, kept: 0, refused: [] });
        const before = await everything(source);
        expect(await everything(target)).toEqual(before);
        expect((await target.archive.inspectNotebooks()).problems).toEqual([]);
        const linesOf = (file: string) => readFileSync(file, "utf8");
        expect(linesOf(await dumpTo(target))).toBe(linesOf(path));
        for (const whole of before)
          [versions, runs] = [versions + whole.versions.length, runs + whole.runs.length];

        expect((await restoreDump(target, path)).notebooks).toMatchObject({ added: 0, kept: lived.length });
      });
    }),
    { numRuns: 12 },
  );
  expect(versions).toBeGreaterThan(40);
  expect(runs).toBeGreaterThan(2);
});

test("the files of the tree restore notebooks unchanged, with outputs and trash", async () => {
  await fc.assert(
    fc.asyncProperty(lives, async (lived) => {
      const [source, target] = [open(), open()];
      await withStores([source, target], async () => {
        const dataDir = tempDir();
        const thrown: unknown[] = [];
        const projected = withNotebookFiles(source, dataDir, (error) => thrown.push(error));
        await live(projected.notebooks, lived);
        const files = createNotebookFiles(source.archive, dataDir, () => new Date(9_000));
        expect(await files.findDifferences()).toEqual([]);
        const imported = await importNotebooks(target.archive, dataDir, { newId: () => idOf(999_999) });
        expect(imported).toEqual({ added: lived.length, kept: 0, refused: [] });
        for (const { notebook } of await everything(source))
          expect(await target.archive.readLatest(notebook.id)).toEqual(
            await source.archive.readLatest(notebook.id),
          );
        expect(thrown).toEqual([]);
      });
    }),
    { numRuns: 12 },
  );
});

import { expect, test } from "vitest";
import { cellsToRepeat, findChanged, mayRun, queuedAt, type RunNotebook, statusOf } from "./cell-status.ts";
import type { Cell } from "./notebook.ts";

const code = (filename: string, source: string, version = 1): Cell => ({
  type: "code",
  id: filename,
  filename,
  source,
  version,
});
type Run = { version?: number; startedAt?: number; status?: "running" | "completed"; result?: unknown };
const run = ({ version = 1, startedAt = 100, status = "completed", result = {} }: Run = {}) => ({
  version,
  startedAt,
  status,
  result,
});

function notebook(
  cells: Cell[],
  runs: Record<string, Run>,
  changedAt: Record<string, number> = {},
): RunNotebook {
  const latest = Object.entries(runs).map(([id, one]) => [id, run(one)] as const);
  return { cells, runs: new Map(latest), changedAt: new Map(Object.entries(changedAt)), queued: new Set() };
}
const statuses = (book: RunNotebook) => book.cells.map((cell) => statusOf(cell, book));

test("a cell is idle, running, completed, stale after an edit, or interrupted if its run has no result", () => {
  const cells = ["a.js", "b.js", "c.js", "e.js"].map((name) => code(name, "1"));
  cells.splice(3, 0, code("d.js", "2", 2));
  const book = notebook(cells, {
    "b.js": { status: "running", result: undefined },
    "c.js": {},
    "d.js": {},
  });
  const interrupted = new Map([
    ...book.runs,
    ["e.js", { ...run(), status: "failed" as const, result: undefined }],
  ]);
  expect(statuses({ ...book, runs: interrupted })).toEqual([
    ...["idle", "running", "completed", "stale", "interrupted"],
  ]);
});

test("a waiting cell is queued, whatever its earlier status, and only a stale one is repeated", () => {
  const cells = ["idle.js", "running.js", "done.js"].map((name) => code(name, "1"));
  cells.push(code("stale.js", "2", 2), code("other.js", "3"));
  const runs = {
    "running.js": { status: "running", result: undefined },
    "done.js": {},
    "stale.js": {},
  } as const;
  const book = notebook(cells, runs);
  const queued = new Set(["idle.js", "running.js", "done.js", "stale.js"]);
  expect(statuses(book)).toEqual(["idle", "running", "completed", "stale", "idle"]);
  expect(statuses({ ...book, queued })).toEqual(["queued", "running", "queued", "queued", "idle"]);
  expect(cellsToRepeat({ ...book, queued }).map(({ id }) => id)).toEqual(["stale.js"]);
});

test("queues apply together, each until it expires", () => {
  const queues = [
    { cells: ["a", "b"], expiresAt: 100 },
    { cells: ["b", "c"], expiresAt: 200 },
  ];
  expect([...queuedAt(queues, 100)]).toEqual(["a", "b", "c"]);
  expect([...queuedAt(queues, 101)]).toEqual(["b", "c"]);
  expect([...queuedAt(queues, 201)]).toEqual([]);
});

test("a cell may run once no mark of a running cell is valid any more", () => {
  expect([0, 99, 100, 101].map((busyUntil) => mayRun(busyUntil, 100))).toEqual([true, true, true, false]);
});

test.each([
  `import { a } from "./a.ts"`,
  `import { a } from "./a.js"`,
  `export * from './a'`,
  `import "./a.ts"`,
  `await import("./a.ts")`,
  `require("./a.ts")`,
])("a cell is stale if an imported cell changed after its run: %s", (source) => {
  const cells = [
    code("a.ts", "export const a = 2", 2),
    code("b.ts", source),
    code("c.ts", `import "./b.ts"`),
  ];
  const runs = { "a.ts": { version: 2, startedAt: 300 }, "b.ts": {}, "c.ts": {} };
  const book = notebook(cells, runs, { "a.ts": 200, "b.ts": 50, "c.ts": 50 });
  expect(statuses(book)).toEqual(["completed", "stale", "stale"]);
  expect(cellsToRepeat(book).map(({ id }) => id)).toEqual(["b.ts", "c.ts"]);
});

test("circular imports end the search, and a path outside an import is ignored", () => {
  const cells = [code("a.js", `import "./b.js"`), code("b.js", `import "./a.js"`), code("c.js", `"./a.js"`)];
  const book = notebook(cells, { "a.js": {}, "b.js": {}, "c.js": {} }, { "a.js": 200, "b.js": 50 });
  expect(statuses(book)).toEqual(["completed", "stale", "completed"]);
});

test("finds the changed cells that make a cell stale: itself or the cells it imports", () => {
  const cells = [code("a.js", "1"), code("b.js", 'import "./a.js"', 2), code("c.js", 'import "./b.js"')];
  const book = notebook(cells, { "a.js": {}, "b.js": {}, "c.js": {} }, { "a.js": 200, "b.js": 50 });
  const causes = cells.map((cell) => findChanged(cell, book).map(({ id }) => id));
  expect(causes).toEqual([[], ["b.js", "a.js"], ["a.js"]]);
});

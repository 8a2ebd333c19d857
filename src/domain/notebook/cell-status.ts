import type { Cell, CellStatus } from "./notebook.ts";

/** What is known of a cell's latest run. Without a result it never ended. */
type LatestRun = {
  version: number;
  startedAt: number;
  status: "running" | "completed" | "failed";
  result: unknown;
};

/** A notebook with what became of its cells, each by its ID. */
export type RunNotebook = {
  cells: readonly Cell[];
  runs: ReadonlyMap<string, LatestRun>;
  /** When the newest version of a cell was written, in milliseconds since 1970. */
  changedAt: ReadonlyMap<string, number>;
};

/**
 * How a cell is. It is stale if it changed after its latest run, or a cell that it imports did. It is interrupted if the
 * process that ran it ended before the run did.
 */
export function statusOf(cell: Cell, notebook: RunNotebook): CellStatus {
  const run = notebook.runs.get(cell.id);
  if (!run) return "idle";
  if (run.status === "running") return "running";
  if (run.result === undefined) return "interrupted";
  if (run.version < cell.version) return "stale";
  const isNewer = ({ id }: Cell) => (notebook.changedAt.get(id) ?? 0) > run.startedAt;
  return importsOf(cell, notebook.cells).some(isNewer) ? "stale" : run.status;
}

/** The cells to run again, in their order: those that are stale, and those whose run was interrupted. */
export function cellsToRepeat(notebook: RunNotebook): Cell[] {
  return notebook.cells.filter((cell) => ["stale", "interrupted"].includes(statusOf(cell, notebook)));
}

const imported =
  /(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\()\s*["'](\.\/[A-Za-z0-9_][A-Za-z0-9._-]{0,80})["']/g;

/** The cells that this one imports, also through others. */
function importsOf(cell: Cell, cells: readonly Cell[]): Cell[] {
  const byName = new Map(cells.flatMap((one) => (one.type === "code" ? [[one.filename, one] as const] : [])));
  const found = new Set<Cell>();
  const waiting = [cell];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (next.type !== "code") continue;
    for (const [, specifier = ""] of next.source.matchAll(imported)) {
      const target = namesFor(specifier.slice(2))
        .map((name) => byName.get(name))
        .find((one) => one);
      if (!target || target.id === cell.id || found.has(target)) continue;
      found.add(target);
      waiting.push(target);
    }
  }
  return [...found];
}

/** As cells find each other when they run: `./add.js` finds `add.ts` too, and `./add` finds either. */
const namesFor = (name: string): string[] => [
  name,
  name.replace(/\.(m?)js$/, ".$1ts"),
  name.replace(/\.(m?)ts$/, ".$1js"),
  `${name}.ts`,
  `${name}.js`,
];

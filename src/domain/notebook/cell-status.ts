import type { Cell, CellStatus } from "./notebook.ts";

/** A cell's latest run. A run that has no result and is no longer running was interrupted. */
type LatestRun = {
  version: number;
  startedAt: number;
  status: "running" | "completed" | "failed";
  result: unknown;
};

/** A notebook with the state of its cells, by cell ID. */
export type RunNotebook = {
  cells: readonly Cell[];
  runs: ReadonlyMap<string, LatestRun>;
  /** When the newest version of a cell was written, in milliseconds since 1970. */
  changedAt: ReadonlyMap<string, number>;
  /** IDs of the cells that a call is about to run. */
  queued: ReadonlySet<string>;
};

/** The cells that one call still has to run. The call renews `expiresAt` while its process is running. */
export type CellQueue = { cells: readonly string[]; expiresAt: number };

/** Returns the queued cells. Ignores queues that have expired. */
export function queuedAt(queues: readonly CellQueue[], now: number): Set<string> {
  return new Set(queues.flatMap(({ cells, expiresAt }) => (expiresAt < now ? [] : cells)));
}

/** True if no cell of the notebook is running. `busyUntil` is the latest `expiresAt` of its runs, or 0. */
export const mayRun = (busyUntil: number, now: number): boolean => busyUntil <= now;

/** Returns a cell's state. When its queue ends or expires, a queued cell returns to its earlier state. */
export function statusOf(cell: Cell, notebook: RunNotebook): CellStatus {
  const outcome = outcomeOf(cell, notebook);
  return outcome !== "running" && notebook.queued.has(cell.id) ? "queued" : outcome;
}

/**
 * Returns the cell's state apart from queues. A cell is stale if it, or a cell that it imports, changed after
 * its latest run. A cell is interrupted if the server's process exited before the run ended.
 */
function outcomeOf(cell: Cell, notebook: RunNotebook): Exclude<CellStatus, "queued"> {
  const run = notebook.runs.get(cell.id);
  if (!run) return "idle";
  if (run.status === "running") return "running";
  if (run.result === undefined) return "interrupted";
  return findChanged(cell, notebook).length > 0 ? "stale" : run.status;
}

/** Returns this cell and the cells that it imports, if they changed after this cell last ran. */
export function findChanged(cell: Cell, notebook: RunNotebook): Cell[] {
  const run = notebook.runs.get(cell.id);
  if (!run) return [];
  const isNewer = ({ id }: Cell) => (notebook.changedAt.get(id) ?? 0) > run.startedAt;
  return [...(run.version < cell.version ? [cell] : []), ...importsOf(cell, notebook.cells).filter(isNewer)];
}

/**
 * Returns the cells to run again, in order: stale and interrupted ones. Another call may have queued these
 * cells, but that call can still fail before it reaches them.
 */
export function cellsToRepeat(notebook: RunNotebook): Cell[] {
  return notebook.cells.filter((cell) => ["stale", "interrupted"].includes(outcomeOf(cell, notebook)));
}

const imported =
  /(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\()\s*["'](\.\/[A-Za-z0-9_][A-Za-z0-9._-]{0,80})["']/g;

/** Returns the cells that this one imports, directly or indirectly. */
export function importsOf(cell: Cell, cells: readonly Cell[]): Cell[] {
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

/** Resolves imports as cells do when they run: `./add.js` also finds `add.ts`, and `./add` finds either. */
const namesFor = (name: string): string[] => [
  name,
  name.replace(/\.(m?)js$/, ".$1ts"),
  name.replace(/\.(m?)ts$/, ".$1js"),
  `${name}.ts`,
  `${name}.js`,
];

import type { GraphOp } from "../../src/domain/memory/graph.ts";
import type { MemoryStep } from "../../src/domain/memory/steps/step.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import type { MemoryStore } from "../../src/ports/memory/memory-store.ts";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { createProse, createRandom } from "./prose.ts";

/** The number of nodes, of versions per node, and of branches. Each branch forks from the previous one. */
export type MemoryShape = { nodes: number; versions: number; depth: number };

export const workspace = "bench";
export const graphDoc = "graph";
/** Returns a level's branch. Level 0 is `main`, and each other level is a branch of the level above. */
export const levelName = (level: number): string => (level === 0 ? "main" : `level/${level}`);
const nodeId = (n: number): string => `node-${n}`;

const nodeTypes = ["hypothesis", "question", "evidence", "decision", "test"] as const;
const statuses = ["open", "done", "dropped"] as const;
export const tagOf = (n: number): string => `tag-${n % 50}`;

const opsAtOnce = 2_000;
/** The number of keys changed on each level that does not rewrite the whole graph. */
const touchedByLevel = 20;
const notesOnLevel = 10;
const start = Date.UTC(2026, 0, 1);

/**
 * Writes through the port, like any caller. If there are branches, the whole graph is written again every few
 * levels, so each key has versions on many levels. That is the worst case for walking the lineage.
 */
export async function fillMemory(dataDir: string, shape: MemoryShape): Promise<void> {
  const ledger = createSqliteStore({ kind: "directory", path: dataDir }, systemClock);
  try {
    await fillGraph(ledger.memory, shape);
    await catchUpWords(ledger.memory);
  } finally {
    await ledger.close();
  }
}

async function fillGraph(memory: MemoryStore, { nodes, versions, depth }: MemoryShape): Promise<void> {
  const writeNode = createNodeWriter();
  const apart = Math.max(1, Math.floor(depth / versions));
  for (let level = 0; level <= depth; level += 1) {
    const branch = levelName(level);
    const write = (ops: GraphOp[]) => commit(memory, [{ do: "apply_graph", branch, doc: graphDoc, ops }]);
    if (level > 0) await commit(memory, [{ do: "create_branch", name: branch, from: levelName(level - 1) }]);
    const isRewritten = level % apart === 0 && level / apart < versions;
    const times = depth === 0 ? versions : Number(isRewritten);
    for (let time = 0; time < times; time += 1)
      for (const ids of pieces(nodes)) await write(ids.map(writeNode));
    if (level === 0) for (const ids of pieces(nodes)) await write(edgesOf(ids, nodes));
    if (!isRewritten) await write(touchedAt(level, nodes).map(writeNode));
    await commit(memory, notesFor(branch));
  }
}

function commit(memory: MemoryStore, steps: MemoryStep[]) {
  return memory.commit(workspace, steps, { at: new Date(start) });
}

export function createNodeWriter(seed = 1): (n: number) => GraphOp {
  const prose = createProse(createRandom(seed));
  return (n) => ({
    op: "node_upsert",
    id: nodeId(n),
    type: nodeTypes[n % nodeTypes.length] ?? "",
    title: prose(5),
    text: prose(20),
    status: statuses[n % statuses.length] ?? "",
    tags: [tagOf(n)],
  });
}

function* pieces(nodes: number): Generator<number[]> {
  for (let from = 0; from < nodes; from += opsAtOnce)
    yield Array.from({ length: Math.min(opsAtOnce, nodes - from) }, (_, n) => from + n);
}

/** Creates the edges: every fifth node supports the next one. */
function edgesOf(ids: readonly number[], nodes: number): GraphOp[] {
  return ids
    .filter((n) => n % 5 === 0 && n + 1 < nodes)
    .map((n) => ({ op: "edge_upsert", from: nodeId(n), rel: "supports", to: nodeId(n + 1) }));
}

const touchedAt = (level: number, nodes: number): number[] =>
  Array.from({ length: touchedByLevel }, (_, n) => (level * 997 + n * 31) % nodes);

function notesFor(branch: string): MemoryStep[] {
  const content = createProse(createRandom(3))(30);
  return Array.from({ length: notesOnLevel }, () => ({
    do: "append",
    branch,
    doc: "notes",
    entry: { kind: "note", content },
  }));
}

/** Runs a text query, which first indexes new nodes. */
async function catchUpWords(memory: MemoryStore): Promise<void> {
  const place = { branch: "main", doc: graphDoc };
  await memory.queryNodes(workspace, { ...place, text: "nothing", includeDeleted: false, limit: 1 });
}

import type { EntryMark } from "./entry.ts";

export type SequentialNode = { thoughtNumber: number; seq: number; branchId?: string; isRevision?: true };
export type SequentialEdge = {
  rel: "branch" | "revision";
  from: number;
  to: number;
  /** The branch that the edge points to. Absent for the main line. */
  branchId?: string;
};

/** How the steps of a trace are connected. Considers only the loaded entries. */
export type Sequential = {
  nodes: SequentialNode[];
  edges: SequentialEdge[];
  /** Referenced steps that are not among the entries. */
  missing: { rel: SequentialEdge["rel"]; thoughtNumber: number; referredBy: number }[];
};

/** Formats of entries that are steps. */
export const stepFormats = { plain: "trace_step", sequential: "trace_sequential_step" } as const;

const sequentialFormats = new Set<string>(Object.values(stepFormats));

/** Connects the steps of a trace. Returns `undefined` if no entry has sequential metadata. */
export function deriveSequential(entries: readonly EntryMark[]): Sequential | undefined {
  const nodes = new Map<string, SequentialNode>();
  const edges: SequentialEdge[] = [];
  const homes = new Map<SequentialEdge, string[]>();
  const link = (edge: SequentialEdge, ...chains: (string | undefined)[]) => {
    edges.push(edge);
    homes.set(
      edge,
      chains.map((chain) => nameNode(chain, edge.from)),
    );
  };
  for (const { seq, format, meta } of entries) {
    if (format === undefined || !sequentialFormats.has(format) || !meta) continue;
    const number = wholeNumber(meta["thoughtNumber"]);
    if (number === undefined) continue;
    const branchId = typeof meta["branchId"] === "string" ? meta["branchId"] : undefined;
    const origin = typeof meta["branchFromBranch"] === "string" ? meta["branchFromBranch"] : undefined;
    const branch = branchId === undefined ? {} : { branchId };
    const revision = meta["isRevision"] === true;
    nodes.set(nameNode(branchId, number), {
      thoughtNumber: number,
      seq,
      ...branch,
      ...(revision && { isRevision: true as const }),
    });
    const forked = wholeNumber(meta["branchFromThought"]);
    if (forked !== undefined) link({ rel: "branch", from: forked, to: number, ...branch }, origin);
    const revised = revision ? wholeNumber(meta["revisesThought"]) : undefined;
    if (revised !== undefined)
      link({ rel: "revision", from: revised, to: number, ...branch }, branchId, undefined);
  }
  if (nodes.size === 0) return undefined;
  const missing = edges
    .filter((edge) => !homes.get(edge)?.some((name) => nodes.has(name)))
    .map(({ rel, from, to }) => ({ rel, thoughtNumber: from, referredBy: to }));
  return { nodes: [...nodes.values()], edges, missing };
}

/** Names a step by branch and number, because each branch has its own numbers. */
const nameNode = (branchId: string | undefined, thoughtNumber: number) =>
  `${branchId ?? ""}#${thoughtNumber}`;

const wholeNumber = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;

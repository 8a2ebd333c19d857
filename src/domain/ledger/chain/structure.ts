import * as z from "zod";
import { branchOutcomes, type Closings } from "../branch-closing.ts";
import { type Address, addressSchema } from "../thought.ts";
import type { ThoughtIndex, ThoughtNode } from "./thought-index.ts";

export const branchStructureSchema = z.strictObject({
  forks: z.int(),
  fromBranch: z.string().optional(),
  range: z.array(z.int()),
  length: z.int(),
  /** Set if the branch was closed. `by` is the thought that records the lesson. */
  closed: z.strictObject({ outcome: z.enum(branchOutcomes), by: addressSchema }).optional(),
});

export const structureSchema = z.strictObject({
  totalThoughts: z.int(),
  mainChain: z.strictObject({ length: z.int(), head: z.int().nullable(), tail: z.int().nullable() }),
  branches: z.record(z.string(), branchStructureSchema),
  branchCount: z.int(),
  revisions: z.array(z.strictObject({ thought: addressSchema, revises: addressSchema })),
  revisionCount: z.int(),
  truncated: z.literal(true).optional(),
});
export type Structure = z.infer<typeof structureSchema>;

export type StructurePart = { offset: number; limit: number };

/**
 * Describes the structure of a session without its contents. If no page is requested, lists the newest
 * `listed` branches and revisions and counts the rest. If a page is requested, returns that page of the
 * branches and of the revisions, in order of creation.
 */
export function describeStructure(
  index: ThoughtIndex,
  listed = 200,
  { part, closings }: { part?: StructurePart; closings?: Closings } = {},
): Structure {
  const main = index.chain();
  const branches = index.branches();
  const revisions = index.revisions().sort((a, b) => a.position - b.position);
  const pick = <Item>(items: readonly Item[]): readonly Item[] =>
    part ? items.slice(part.offset, part.offset + part.limit) : items.slice(-listed);
  const cut = pick(branches).length < branches.length || pick(revisions).length < revisions.length;
  return {
    totalThoughts: index.size,
    mainChain: { length: main.length, head: main[0] ?? null, tail: main.at(-1) ?? null },
    branches: Object.fromEntries(
      pick(branches).map(({ branchId, fork, numbers }) => {
        const { outcome, by } = closings?.get(branchId) ?? {};
        const shape = {
          forks: fork.thoughtNumber,
          ...(fork.branchId !== undefined && { fromBranch: fork.branchId }),
          range: [numbers[0] ?? 0, numbers.at(-1) ?? 0],
          length: numbers.length,
          ...(outcome && by && { closed: { outcome, by } }),
        };
        return [branchId, shape];
      }),
    ),
    branchCount: branches.length,
    revisions: pick(revisions).flatMap((node) => {
      const target = node.revises && index.find(node.revises);
      return target ? [{ thought: node.address, revises: target.address }] : [];
    }),
    revisionCount: revisions.length,
    ...(cut && { truncated: true as const }),
  };
}

export const structureNodeSchema = z.strictObject({
  id: z.string(),
  prev: z.string().optional(),
  next: z.array(z.string()),
  revises: z.string().optional(),
  revisedBy: z.array(z.string()).optional(),
  branchOrigin: z.string().optional(),
  branchId: z.string().optional(),
});

/** Describes a node by its links in both directions, without its content. */
export function describeNode(index: ThoughtIndex, node: ThoughtNode): z.infer<typeof structureNodeSchema> {
  const { prev, next, branchOrigin } = index.links(node);
  const revisedBy = index.revisedBy(node.id);
  return {
    id: node.id,
    ...(prev !== undefined && { prev }),
    next,
    ...(node.revisesNode !== undefined && { revises: node.revisesNode }),
    ...(revisedBy.length > 0 && { revisedBy: [...revisedBy] }),
    ...(branchOrigin !== undefined && { branchOrigin }),
    ...(node.address.branchId !== undefined && { branchId: node.address.branchId }),
  };
}

/**
 * Returns one branch from each cycle of branches that fork from each other. The ledger never records a cycle, but an
 * imported file can contain one. A branch has one fork, so cycles do not overlap. Yields between branches, so that
 * other work can run.
 */
export function* findForkCycles(forks: ReadonlyMap<string, Address>): Generator<string | undefined> {
  const arriving = new Set<string>();
  for (const start of forks.keys()) {
    yield undefined;
    const way = new Set<string>();
    let branchId: string | undefined = start;
    while (branchId !== undefined && !arriving.has(branchId)) {
      if (way.has(branchId)) {
        yield branchId;
        break;
      }
      way.add(branchId);
      branchId = forks.get(branchId)?.branchId;
    }
    for (const passed of way) arriving.add(passed);
  }
}

/** Returns a branch in a cycle of branches that fork from each other, or `undefined` if there is no cycle. */
export function findForkCycle(forks: ReadonlyMap<string, Address>): string | undefined {
  for (const circle of findForkCycles(forks)) if (circle !== undefined) return circle;
  return undefined;
}

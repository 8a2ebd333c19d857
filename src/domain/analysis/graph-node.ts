import * as z from "zod";
import { type Address, nodeId } from "../ledger/address.ts";
import { structureNodeSchema } from "../ledger/chain/structure.ts";
import type { CipherGraph } from "./cipher-graph.ts";
import { thoughtRelations } from "./thought-relations.ts";

/** A node of the structure with what the notation says of it. */
export const graphNodeSchema = structureNodeSchema.extend({
  /** Of its first step. */
  type: z.string().optional(),
  /** Of all its steps, where they are of several types. */
  types: z.array(z.string()).optional(),
  edges: z.array(z.strictObject({ relation: z.enum(thoughtRelations), to: z.string() })).optional(),
  rejected: z.literal(true).optional(),
  /** Where some of its steps were given up and others stand. */
  rejectedSteps: z.array(z.int()).optional(),
});

export function describeCipher(graph: CipherGraph, sessionId: string, address: Address) {
  const types = graph.typesOf(address);
  const edges = graph.edgesFrom(address).map(({ relation, to }) => ({ relation, to: nodeId(sessionId, to) }));
  const rejected = graph.isRejected(address);
  const rejectedSteps = rejected ? [] : graph.rejectedSteps(address);
  return {
    ...(types[0] !== undefined && { type: types[0] }),
    ...(types.length > 1 && { types: [...types] }),
    ...(edges.length > 0 && { edges }),
    ...(rejected && { rejected: true as const }),
    ...(rejectedSteps.length > 0 && { rejectedSteps: [...rejectedSteps] }),
  };
}

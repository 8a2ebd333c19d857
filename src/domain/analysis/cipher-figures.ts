import * as z from "zod";
import { cipherTypes } from "../cipher/notation.ts";
import type { SessionShape } from "./session-shape.ts";
import { thoughtRelations } from "./thought-relations.ts";

const countsSchema = z.record(z.string(), z.int());

/** What the notation adds to the figures of a session; kinds that do not occur are left out. */
export const cipherFiguresSchema = z.strictObject({
  thoughts: z.int(),
  types: countsSchema,
  edges: countsSchema,
  rejected: z.int(),
});

/** `undefined` where no thought is written in cipher. */
export function cipherFiguresOf({
  thoughts,
  graph,
  rejected,
}: SessionShape): z.infer<typeof cipherFiguresSchema> | undefined {
  const steps = thoughts.flatMap(({ data }) => data.cipher ?? []);
  if (steps.length === 0) return undefined;
  return {
    thoughts: thoughts.filter(({ data }) => data.cipher).length,
    types: countEach(
      Object.keys(cipherTypes),
      steps.map(({ type }) => type),
    ),
    edges: countEach(
      thoughtRelations,
      graph.edges.map(({ relation }) => relation),
    ),
    rejected: rejected.length,
  };
}

/** How often each of `names` occurs, in their order. */
function countEach(names: readonly string[], found: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const name of found) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries(
    names.flatMap((name) => (counts.has(name) ? [[name, counts.get(name) ?? 0]] : [])),
  );
}

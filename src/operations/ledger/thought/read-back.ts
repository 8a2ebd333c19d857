import * as z from "zod";
import { type Thought, thoughtSchema } from "../../../domain/ledger/thought.ts";

/** A thought as it is read back: its text and where it stands. The rest comes with `verbose`. */
export const readBackSchema = thoughtSchema
  .partial({ totalThoughts: true, nextThoughtNeeded: true, timestamp: true })
  .extend({
    /** A later step gave it up. */
    rejected: z.literal(true).optional(),
  });
export type ReadBack = z.infer<typeof readBackSchema>;

export function readBack(data: Thought): ReadBack {
  const {
    cipher: _parse,
    totalThoughts: _total,
    nextThoughtNeeded: _next,
    timestamp: _time,
    isRevision: _implied,
    critiqueRequested: _asked,
    ...shown
  } = data;
  return shown;
}

import * as z from "zod";
import { type Suggestion, suggestNext } from "../../domain/ledger/suggest-next.ts";
import type { ChainedThought } from "../../domain/ledger/thought.ts";
import type { OperationContext } from "../define.ts";

export const suggestionSchema = z.strictObject({
  hint: z.string(),
  fields: z.record(z.string(), z.union([z.string(), z.number()])),
});

/** Advice wears off: at most one suggestion in a run of five thoughts. */
const run = 5;

/** The fields to set next time, where the words of a thought call for them. Other thoughts are read only then. */
export async function suggestFields(
  { ledger, settings }: OperationContext,
  entry: ChainedThought,
): Promise<Suggestion | undefined> {
  if (!settings.suggestions) return undefined;
  const suggestion = suggestNext(entry.data);
  if (!suggestion) return undefined;
  const runStart = entry.position - 1 - ((entry.position - 1) % run);
  const earlier = await ledger.readEntries(entry.sessionId, runStart, run);
  const spoken = earlier.some(
    ({ position, data }) => position < entry.position && suggestNext(data) !== undefined,
  );
  return spoken ? undefined : suggestion;
}

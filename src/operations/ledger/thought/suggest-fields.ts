import * as z from "zod";
import { type Suggestion, suggestNext } from "../../../domain/ledger/suggest-next.ts";
import type { ChainedThought } from "../../../domain/ledger/thought.ts";
import type { BaseContext } from "../../pipeline/context.ts";

export const suggestionSchema = z.strictObject({
  hint: z.string(),
  fields: z.record(z.string(), z.union([z.string(), z.number()])),
});

/** Advice wears off: of any five thoughts in a row at most one gets a suggestion. */
const pause = 5;
/** How far back is looked, at most. A stretch begins as if it had followed a suggestion, so none follows too soon. */
const stretch = 25;

/** The fields to set next time, where the words of a thought call for them. Other thoughts are read only then. */
export async function suggestFields(
  { ledger, settings }: BaseContext,
  entry: ChainedThought,
): Promise<Suggestion | undefined> {
  if (!settings.suggestions) return undefined;
  const suggestion = suggestNext(entry.data);
  if (!suggestion) return undefined;
  const start = entry.position - 1 - ((entry.position - 1) % stretch);
  let spoken = start === 0 ? -pause : start;
  const earlier = await ledger.readEntries(entry.sessionId, start, entry.position - 1 - start);
  for (const { position, data } of earlier)
    if (position - spoken >= pause && suggestNext(data)) spoken = position;
  return entry.position - spoken >= pause ? suggestion : undefined;
}

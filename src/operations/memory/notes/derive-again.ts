import type { Entry } from "../../../domain/memory/entry.ts";
import { deriveSequential } from "../../../domain/memory/sequential.ts";

/** The derived graph tells of the entries that are shown, not of those that were dropped. */
export function deriveAgain(result: Record<string, unknown>): Record<string, unknown> {
  if (result["sequential"] === undefined) return result;
  const { sequential: _whole, ...rest } = result;
  const sequential = deriveSequential(result["entries"] as Entry[]);
  return { ...rest, ...(sequential && { sequential }) };
}

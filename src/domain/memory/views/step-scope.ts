import type { SliceEntry } from "../../engine/slice.ts";
import type { CardStep } from "../cards/decide-cards.ts";
import { thinkCardFormat } from "../cards/decide-cards.ts";
import { isDraft } from "../cards/visibility.ts";
import type { Entry } from "../entry.ts";

/** Notes by the step they are stamped with. Events by their path, including sub-steps. */
export function belongsToStep({ meta }: Pick<Entry, "meta">, step: CardStep): boolean {
  const stamped = meta?.["step"] as Partial<CardStep> | undefined;
  if (typeof stamped === "object" && stamped !== null) return stamped.step_id === step.step_id;
  const path = meta?.["path"];
  if (meta?.["task_id"] !== step.task_id || typeof path !== "string") return false;
  return path === step.path || path.startsWith(`${step.path}.`);
}

/** Cards in a trace have the same visibility as the cards themselves. */
export function isDraftEntry({ format, meta }: Pick<Entry, "format" | "meta">): boolean {
  if (format !== thinkCardFormat) return false;
  const { type, tags } = (meta ?? {}) as { type?: unknown; tags?: unknown };
  const words = Array.isArray(tags) ? tags.filter((tag): tag is string => typeof tag === "string") : [];
  return isDraft({ type: String(type), tags: words });
}

export const toSliceEntry = ({ seq, ts_ms, format, meta }: Entry): SliceEntry => ({
  seq,
  ts_ms,
  ...(format === thinkCardFormat && typeof meta?.["type"] === "string" && { card_type: meta["type"] }),
});

import { clip } from "../../../kernel/text.ts";
import type { Limits } from "./budget.ts";
import type { Fitted, Json } from "./trim.ts";

/** A list with its own budget. Its newest items are kept. */
export type NewestPlan = {
  /** The list, with the newest item last. */
  key: string;
  maxChars: number;
  /** If not even the newest item fits, this field is truncated. */
  text: string;
  /** Dropped if the text is truncated. */
  expendable: readonly string[];
  /** Adjusts the rest of the answer to the remaining items. */
  adjust?(result: Json, cut: NewestCut): Json;
};

export type NewestCut = {
  dropped: readonly Json[];
  /** The offset at which the full text continues. Set if only one item remains and its text was truncated. */
  nextOffset: number | undefined;
};

/** Room for the fields that report the truncation. */
const room = 300;

export function keepNewest(answer: Json, plan: NewestPlan, limits: Limits): Fitted {
  const items = answer[plan.key] as Json[];
  const around = JSON.stringify({ ...answer, [plan.key]: [] }).length + room;
  const maxChars = Math.max(Math.min(plan.maxChars, limits.chars - around), room);
  const { kept, nextOffset } = chooseNewest(items, { ...plan, maxChars });
  const truncated = kept.length < items.length || nextOffset !== undefined;
  const dropped = items.slice(0, items.length - kept.length);
  const smaller = { ...answer, [plan.key]: kept, ...(truncated && { truncated }) };
  const result = truncated ? (plan.adjust?.(smaller, { dropped, nextOffset }) ?? smaller) : smaller;
  return { result, truncated, minimal: false, used: JSON.stringify(result).length };
}

type Chosen = { kept: Json[]; nextOffset?: number };

function chooseNewest(items: readonly Json[], plan: NewestPlan): Chosen {
  const kept: Json[] = [];
  let used = 0;
  for (const item of items.toReversed()) {
    used += JSON.stringify(item).length + 1;
    if (used > plan.maxChars) return kept.length > 0 ? { kept } : cutText(item, plan);
    kept.unshift(item);
  }
  return { kept };
}

/**
 * Truncates the text of the item. JSON escapes can make it up to six times longer, so a search finds the
 * length.
 */
function cutText(item: Json, { text: field, expendable, maxChars }: NewestPlan): Chosen {
  const lean = Object.fromEntries(Object.entries(item).filter(([name]) => !expendable.includes(name)));
  const whole = String(item[field]);
  // Keeps at least two units, because with one unit, a text that begins with a surrogate pair would never
  // advance.
  let [low, high] = [2, whole.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (JSON.stringify({ ...lean, [field]: whole.slice(0, middle) }).length <= maxChars) low = middle;
    else high = middle - 1;
  }
  const text = clip(whole, low);
  const kept = [{ ...lean, [field]: text }];
  return text === whole ? { kept } : { kept, nextOffset: text.length };
}

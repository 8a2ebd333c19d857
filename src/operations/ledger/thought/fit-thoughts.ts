import { clip } from "../../../kernel/text.ts";
import type { ReadBack } from "./read-back.ts";

/**
 * Keeps the newest thoughts that fit. Where not even one fits, its text is cut; `nextOffset` then says where
 * read_thoughts goes on within it.
 */
export function fitThoughts(
  thoughts: readonly ReadBack[],
  maxChars: number,
): { thoughts: ReadBack[]; truncated?: true; nextOffset?: number } {
  const kept: ReadBack[] = [];
  let used = 0;
  for (const thought of [...thoughts].reverse()) {
    used += JSON.stringify(thought).length + 1;
    if (used > maxChars && kept.length > 0) return { thoughts: kept, truncated: true };
    if (used > maxChars) return cutOne(thought, maxChars);
    kept.unshift(thought);
  }
  return { thoughts: kept };
}

/** JSON escapes can make a text up to six times longer, so the cut is searched for, not computed. */
function cutOne(thought: ReadBack, maxChars: number): ReturnType<typeof fitThoughts> {
  const { cipher: _cipher, ...lean } = thought;
  // Two units at least: with one, a text that begins with a surrogate pair would never move on.
  let [low, high] = [2, thought.thought.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (JSON.stringify({ ...lean, thought: thought.thought.slice(0, middle) }).length <= maxChars)
      low = middle;
    else high = middle - 1;
  }
  const text = clip(thought.thought, low);
  const thoughts = [{ ...lean, thought: text }];
  return text === thought.thought ? { thoughts } : { thoughts, truncated: true, nextOffset: text.length };
}

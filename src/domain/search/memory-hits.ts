import { cutSnippet, rounded } from "./describe-hits.ts";
import { createTermFinder, findOncePerText, maskIn } from "./find-terms.ts";
import { parseQuestion } from "./question.ts";

export const memoryKinds = [
  ...(["card", "node", "plan", "task", "step", "job", "anchor"] as const),
  ...(["pattern", "scratchpad", "notebook"] as const),
] as const;
export type MemoryKind = (typeof memoryKinds)[number];

/** An item of the memory that matches a search. */
export type MemoryText = {
  kind: MemoryKind;
  id: string;
  workspace?: string | undefined;
  type?: string | undefined;
  status?: string | undefined;
  title?: string | undefined;
  text: string;
  branch?: string | undefined;
  doc?: string | undefined;
  seq?: number | undefined;
  atMs: number;
  rejected?: boolean | undefined;
  superseded?: boolean | undefined;
  conflict?: boolean | undefined;
  /** True if the item had this text earlier but no longer has it. */
  earlier?: boolean | undefined;
};

export type MemoryHit = Omit<MemoryText, "text"> & {
  snippet: string;
  score: number;
  matched: string[];
  cover: number;
};

/** A factor for the score of rejected items. They then rank below valid items with the same words. */
const discount = 0.9;
const titleShare = 0.2;
const maxHits = 50;

/**
 * Sorts items by matching words (rare ones count more), then by matches in the title, then newest first. Rarity is
 * computed among the given texts, so the order depends only on them.
 */
export function rankMemory(
  query: string,
  texts: readonly MemoryText[],
  order: "relevance" | "newest",
  hideSecrets: (text: string) => string,
): MemoryHit[] {
  const { terms } = parseQuestion(query);
  const find = findOncePerText(createTermFinder(terms));
  const held = texts.flatMap((text) => {
    const title = maskIn(find, `${text.title ?? ""} ${text.id}`);
    const mask = title | maskIn(find, text.text);
    return mask === 0 ? [] : [{ text, title, mask }];
  });
  const weights = terms.map((_, n) => {
    const holders = held.filter(({ mask }) => mask & (1 << n)).length;
    return Math.log(1 + (held.length + 1) / (holders + 0.5));
  });
  const weigh = (mask: number) => weights.reduce((sum, weight, n) => sum + (mask & (1 << n) ? weight : 0), 0);
  const all = weigh(-1) || 1;
  const every = terms.reduce((mask, _, n) => mask | (1 << n), 0);
  const scored = held.map(({ text, title, mask }) => {
    const cover = weigh(mask) / all;
    const believed = text.rejected || text.superseded || text.earlier ? discount : 1;
    return { text, mask, cover, score: (cover + (titleShare * weigh(title)) / all) * believed };
  });
  const full = scored.filter(({ mask }) => mask === every);
  const chosen = order === "newest" && full.length > 0 ? full : scored;
  const newer = (one: MemoryText, other: MemoryText) =>
    other.atMs - one.atMs || (other.seq ?? 0) - (one.seq ?? 0) || (one.id < other.id ? -1 : 1);
  return chosen
    .sort((one, other) => (order === "newest" ? 0 : other.score - one.score) || newer(one.text, other.text))
    .slice(0, maxHits)
    .map(({ text: { text, ...thing }, mask, score, cover }) => ({
      ...thing,
      snippet: cutSnippet(hideSecrets([thing.title, text].filter(Boolean).join("\n")), find),
      score: rounded(score),
      matched: terms.flatMap((term, n) => (mask & (1 << n) ? [term.text] : [])),
      cover: rounded(cover),
    }));
}

type Ranked = { cover: number; timestamp: string };

/**
 * Merges several sorted lists without changing the order within each list. If the lists are sorted by relevance, takes
 * hits with similar coverage of the question from each list in turn, starting with the first.
 */
export function mergeHits<Hit extends Ranked>(
  lists: readonly (readonly Hit[])[],
  order: "relevance" | "newest",
  max: number,
): Hit[] {
  const next = lists.map(() => 0);
  const merged: Hit[] = [];
  const rankOf = (hit: Hit, taken: number): [number | string, number] =>
    order === "newest" ? [hit.timestamp, 0] : [Math.round(hit.cover * 5), taken];
  while (merged.length < max) {
    let best: { list: number; rank: [number | string, number] } | undefined;
    for (const [list, hits] of lists.entries()) {
      const at = next[list] ?? 0;
      const hit = hits[at];
      if (!hit) continue;
      const rank = rankOf(hit, at);
      if (!best || rank[0] > best.rank[0] || (rank[0] === best.rank[0] && rank[1] < best.rank[1]))
        best = { list, rank };
    }
    if (!best) break;
    const at = next[best.list] ?? 0;
    merged.push(lists[best.list]?.[at] as Hit);
    next[best.list] = at + 1;
  }
  return merged;
}

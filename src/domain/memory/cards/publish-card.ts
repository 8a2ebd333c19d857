import { type NodeContent, normaliseTags } from "../graph.ts";
import { type CardNode, pinTag } from "./card.ts";
import { canonTag, isLaneTag, isVisibilityTag, laneOf } from "./visibility.ts";

const prefix = "CARD-PUB-";

export const isPublishedCopy = (id: string): boolean => id.startsWith(prefix);
export const publishedId = (id: string): string => (isPublishedCopy(id) ? id : `${prefix}${id}`);

type Publishing = { pin?: boolean | undefined; agent_id?: string | undefined };

/** The published copy, which all views show. It stays pinned until the caller unpins it. */
export function publishedCopy(
  card: NodeContent,
  copy: NodeContent | undefined,
  { pin, agent_id }: Publishing,
): NodeContent {
  const tags = card.tags ?? [];
  const lane = laneOf({ tags });
  const pinned = pin ?? copy?.tags?.includes(pinTag) ?? false;
  return {
    ...card,
    id: publishedId(card.id),
    tags: normaliseTags([
      ...tags.filter((tag) => !isLaneTag(tag) && !isVisibilityTag(tag) && tag !== pinTag),
      "lane:shared",
      canonTag,
      ...(pinned ? [pinTag] : []),
    ]),
    meta: {
      ...card.meta,
      published_from: {
        card_id: card.id,
        ...(lane !== "shared" && { lane }),
        ...(agent_id !== undefined && { agent_id }),
      },
    },
  };
}

type MergeGroup = { canonical: string; duplicates: string[] };

/** A duplicate is marked with its status. Its edges do not move. */
export const mergedStatus = "merged";
export const dedupRelation = "dedup";

/** `first_seq` is when the card was written, if known. Its node may have changed since. */
type Candidate = CardNode & { first_seq?: number | undefined };

/** Finds cards with the same text, ignoring case and spaces. The oldest stays, and the others lead to it. */
export function groupDuplicates(cards: readonly Candidate[], limit: number): MergeGroup[] {
  const groups = new Map<string, Candidate[]>();
  for (const card of cards) {
    // A published copy repeats its card on purpose.
    if (card.status === mergedStatus || isPublishedCopy(card.id)) continue;
    const key = JSON.stringify([card.type, fold(card.title), fold(card.text)]);
    const group = groups.get(key);
    if (group) group.push(card);
    else groups.set(key, [card]);
  }
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .map((group) => group.toSorted(oldestFirst))
    .sort(([one], [other]) => (one && other ? oldestFirst(one, other) : 0))
    .slice(0, limit)
    .map(([canonical, ...others]) => ({
      canonical: canonical?.id ?? "",
      duplicates: others.map(({ id }) => id),
    }));
}

function oldestFirst(one: Candidate, other: Candidate): number {
  const [here, there] = [one.first_seq ?? one.last_seq, other.first_seq ?? other.last_seq];
  return here - there || (one.id < other.id ? -1 : 1);
}

const fold = (text: string | undefined): string => (text ?? "").replace(/\s+/g, " ").trim().toLowerCase();

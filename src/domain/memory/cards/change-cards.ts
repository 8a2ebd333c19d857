import type { Meta } from "../entry.ts";
import { type NodeContent, normaliseTags } from "../graph.ts";
import { type CardNode, cardFailure, nameOf, openStatus, pinTag } from "./card.ts";
import { canonTag, isLaneTag, isVisibilityTag, laneOf } from "./visibility.ts";

export type CardChange = {
  status?: string | undefined;
  pinned?: boolean | undefined;
  meta?: Meta | undefined;
};

/** Applies the change to the cards with these IDs. Returns only the nodes that change. */
export function changeCards(
  nodes: ReadonlyMap<string, NodeContent>,
  ids: readonly string[],
  change: CardChange,
  where: { workspace: string; branch: string; doc: string },
): NodeContent[] {
  const changed: NodeContent[] = [];
  for (const id of new Set(ids)) {
    const node = nodes.get(id);
    if (!node) throw cardFailure("unknown_card", { ...where, id });
    const next = applyChange(node, change);
    if (next) changed.push(next);
  }
  return changed;
}

function applyChange(node: NodeContent, { status, pinned, meta }: CardChange): NodeContent | undefined {
  const tags = node.tags ?? [];
  const restatus = status !== undefined && status !== node.status;
  const repin = pinned !== undefined && pinned !== tags.includes(pinTag);
  if (!restatus && !repin && meta === undefined) return undefined;
  return {
    ...node,
    ...(restatus && { status }),
    ...(repin && {
      tags: normaliseTags(pinned ? [...tags, pinTag] : tags.filter((tag) => tag !== pinTag)),
    }),
    ...(meta !== undefined && { meta: { ...node.meta, ...meta } }),
  };
}

const publishedPrefix = "CARD-PUB-";

export const isPublishedCopy = (id: string): boolean => id.startsWith(publishedPrefix);
export const publishedId = (id: string): string => (isPublishedCopy(id) ? id : `${publishedPrefix}${id}`);

type Publishing = { pin?: boolean | undefined; agent_id?: string | undefined };

/** Returns the published copy, which every view includes. A pinned copy stays pinned until unpinned. */
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

/** The status of a duplicate. Its edges remain. */
export const mergedStatus = "merged";
export const dedupRelation = "dedup";

/** `first_seq` is the seq of the card's first version, if known. */
type Candidate = CardNode & { first_seq?: number | undefined };

/**
 * Finds cards with the same text, ignoring case and spaces. Keeps the oldest card of each group. The other
 * cards point to it.
 */
export function groupDuplicates(cards: readonly Candidate[], limit: number): MergeGroup[] {
  const groups = new Map<string, Candidate[]>();
  for (const card of cards) {
    // A published copy intentionally has the same text as its card.
    if (card.status === mergedStatus || isPublishedCopy(card.id)) continue;
    const key = JSON.stringify([card.type, foldText(card.title), foldText(card.text)]);
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

const foldText = (text: string | undefined): string => (text ?? "").replace(/\s+/g, " ").trim().toLowerCase();

export const subgoalId = (questionId: string): string => `CARD-SUB-${questionId}`;
export const subgoalRelation = "subgoal_of";
export const closedStatus = "closed";

type Child = { branch: string; graph_doc: string; trace_doc: string };

/** `result` is the ID of the resulting card and is set once the subgoal is closed. */
type StoredSubgoal = { question_id: string; child: Partial<Child>; result: string };

/** Returns a card for a question that another graph will answer. */
export function openSubgoal(
  question: NodeContent,
  child: Child,
  { message, meta }: { message?: string | undefined; meta?: Meta | undefined },
): NodeContent {
  return {
    id: subgoalId(question.id),
    type: "subgoal",
    title: nameOf(question),
    ...(message !== undefined && { text: message }),
    status: openStatus,
    tags: [...new Set([canonTag, ...(question.tags ?? []).filter((tag) => tag.startsWith("step:"))])].sort(),
    meta: { ...meta, subgoal: { question_id: question.id, child } },
  };
}

/** Returns the question and the graph of a subgoal. Refuses any other card. */
export function readSubgoal(
  node: NodeContent,
  workspace: string,
): { question_id: string; child: Partial<Child>; result: string | undefined } {
  const subgoal = node.meta?.["subgoal"] as Partial<StoredSubgoal> | undefined;
  if (node.type === "subgoal" && typeof subgoal?.question_id === "string")
    return { question_id: subgoal.question_id, child: subgoal.child ?? {}, result: subgoal.result };
  throw cardFailure("wrong_card_type", {
    workspace,
    id: node.id,
    type: node.type,
    wanted: "subgoal",
    field: "subgoal_id",
  });
}

export function requireQuestion({ id, type }: NodeContent, workspace: string): void {
  if (type === "question") return;
  throw cardFailure("wrong_card_type", { workspace, id, type, wanted: "question", field: "question_id" });
}

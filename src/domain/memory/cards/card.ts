import { defineFailures, type ThoughtboxError } from "../../../kernel/errors.ts";
import type { Meta } from "../entry.ts";

/** The types that callers can write. */
export const cardTypes = [
  "frame",
  "hypothesis",
  "question",
  "test",
  "evidence",
  "decision",
  "note",
  "update",
] as const;

export type CardType = (typeof cardTypes)[number];

/** The types that readers can see. Only `think_subgoal_open` writes subgoals. */
export const thinkTypes = [...cardTypes, "subgoal"] as const;

export type ThinkType = (typeof thinkTypes)[number];

export const isCardType = (type: string): type is CardType => cardTypes.some((known) => known === type);
export const isThinkType = (type: string): type is ThinkType => thinkTypes.some((known) => known === type);

export type Card = {
  id: string;
  type: ThinkType;
  title?: string | undefined;
  text?: string | undefined;
  status: string;
  /** Lower case, unique, sorted. */
  tags: readonly string[];
  meta?: Meta | undefined;
};

/** A card as a branch shows it. */
export type CardNode = Card & { last_seq: number; last_ts_ms: number };

export type CardEdge = { from: string; rel: string; to: string };

export const pinTag = "pinned";
export const openStatus = "open";

export const isOpen = ({ status }: Pick<Card, "status">): boolean => status === openStatus;
export const isPinned = ({ tags }: Pick<Card, "tags">): boolean => tags.includes(pinTag);

/** Newest first, and the same order on every machine. */
export function byAge(one: CardNode, other: CardNode): number {
  return (
    other.last_ts_ms - one.last_ts_ms ||
    other.last_seq - one.last_seq ||
    (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)
  );
}

export const nameOf = ({ id, title, text }: Pick<Card, "id" | "title" | "text">): string =>
  title ?? firstLine(text ?? "") ?? id;

function firstLine(text: string): string | undefined {
  const line = text.trimStart().split("\n", 1)[0]?.trim();
  return line === undefined || line === "" ? undefined : line;
}

/** Why a card is refused, with the facts for the message. */
export type CardFailures = {
  /** `problem` is a sentence about `field`. `type` is the intended type of card. */
  invalid_card: { problem: string; kind: string; field: string; expected?: unknown; type: CardType };
  card_taken: { workspace: string; card_id: string };
  unknown_card: { workspace: string; branch: string; doc: string; id: string };
  invalid_pipeline: { problem: string; kind: string; field: string; expected?: unknown };
  wrong_card_type: { workspace: string; id: string; type: string; wanted: string; field: string };
};

export const cardFailure = defineFailures<CardFailures>({
  invalid_card: "INVALID_PAYLOAD",
  card_taken: "CONFLICT",
  unknown_card: "UNKNOWN_ID",
  invalid_pipeline: "INVALID_PAYLOAD",
  wrong_card_type: "INVALID_PAYLOAD",
});

type Hint = { kind: string; field: string; expected?: unknown };

export const badCard = (problem: string, hint: Hint, type: CardType = "note"): ThoughtboxError =>
  cardFailure("invalid_card", { problem, ...hint, type });

type Template = {
  id: string;
  type: CardType;
  title: string;
  text: string;
  status: string;
  tags: string[];
  meta: Record<string, unknown>;
};

const templateTexts: Record<CardType, { title: string; text: string; status?: string; meta?: object }> = {
  frame: {
    title: "The decision or question, in one sentence",
    text: "Goal:\nConstraints:\nOut of scope:\nDone when:",
  },
  hypothesis: {
    title: "A claim that could turn out wrong",
    text: "Because:\nIt predicts:\nIt would be wrong if:",
  },
  question: {
    title: "What is not known yet",
    text: "Matters because:\nAnswered when:\nCheapest way to find out:",
  },
  test: {
    title: "The smallest check that distinguishes the hypothesis from its rivals",
    text: "CMD: <command>\nExpected if it is true:\nExpected if it is not:",
    meta: { run: { cmd: "<command>" } },
  },
  evidence: {
    title: "What was observed",
    text: "CMD: <command that was run>\nLINK: <where the output can be seen>\nObserved:",
    meta: { source: "local", run: { cmd: "<command that was run>", link: "<where the output can be seen>" } },
  },
  decision: {
    title: "What will be done",
    text: "Because:\nInstead of:\nWould be reversed if:",
    status: "accepted",
  },
  note: { title: "What is worth keeping", text: "" },
  update: { title: "What has changed", text: "Before:\nNow:\nTherefore:" },
};

/** A skeleton with every field that a card may have, except `id`. A card without one gets the next CARD-<n>. */
export function cardTemplate(type: CardType): Template {
  const { title, text, status = "open", meta = {} } = templateTexts[type];
  return { id: "CARD-<n>", type, title, text, status, tags: [], meta: { ...meta } };
}

/**
 * An edge to or from a card in another task's graph. An edge row belongs to one graph, so each of the two cards has the
 * link in its meta, with the ID of the other card in `to` or `from`.
 */
export type CardLink = {
  rel: string;
  to?: string | undefined;
  from?: string | undefined;
  /** The branch of the other card when the link was made. */
  branch: string;
  doc: string;
};

export const linksKey = "links";

const maxLinks = 64;

export function readLinks(meta: Meta | undefined): CardLink[] {
  const kept = meta?.[linksKey];
  return Array.isArray(kept) ? kept.filter(isLink) : [];
}

function isLink(value: unknown): value is CardLink {
  if (typeof value !== "object" || value === null) return false;
  const { rel, to, from, branch, doc } = value as Record<string, unknown>;
  return [rel, to ?? from, branch, doc].every((word) => typeof word === "string");
}

export const otherEnd = ({ to, from }: CardLink): string => to ?? from ?? "";

/** Returns `undefined` if the card already has the link. */
export function withLink(meta: Meta | undefined, link: CardLink): Meta | undefined {
  const links = readLinks(meta);
  if (links.some((known) => isSameLink(known, link))) return undefined;
  if (links.length >= maxLinks)
    throw badCard(`A card has at most ${maxLinks} links to cards in other tasks.`, {
      kind: "length",
      field: link.to === undefined ? "to" : "from",
    });
  return { ...meta, [linksKey]: [...links, link] };
}

/** Ignores the branch, because the same card may later be seen from another one. */
const isSameLink = (one: CardLink, other: CardLink): boolean =>
  one.rel === other.rel && one.to === other.to && one.from === other.from && one.doc === other.doc;

/** "supports H1 (task/TASK-002)", and from the other side "E1 supports this (task/TASK-001)". */
export const describeLink = (link: CardLink): string =>
  link.to === undefined
    ? `${link.from} ${link.rel} this (${link.branch})`
    : `${link.rel} ${link.to} (${link.branch})`;

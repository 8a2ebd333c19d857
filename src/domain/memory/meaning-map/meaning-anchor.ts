import { defineFailures } from "../../../kernel/errors.ts";
import { isPinned } from "../cards/card.ts";

/**
 * An area of the project that cards belong to, independent of file paths. A card belongs to an anchor if it has a tag
 * with the anchor's name.
 */
export type MeaningAnchor = {
  id: string;
  title: string;
  /** The kind of area, such as component or contract. */
  kind: string;
  status: string;
  description?: string | undefined;
  /** Files, documents and web addresses. */
  refs: readonly string[];
  /** Former names, and names of merged anchors. Cards with these tags also belong to the anchor. */
  aliases: readonly string[];
  parent_id?: string | undefined;
  depends_on: readonly string[];
  created_at_ms: number;
  updated_at_ms: number;
};

export const anchorPattern = /^a:[a-z0-9][a-z0-9-]{0,63}$/;
export const isAnchorId = (text: string): boolean => anchorPattern.test(text);

/** A tag with this prefix refers to an anchor. */
export const anchorPrefix = "a:";

export const anchorLimits = {
  /** The maximum number per workspace. All anchors of a workspace are read together. */
  anchors: 1_000,
  title: 200,
  word: 64,
  description: 4_000,
  refs: 64,
  ref: 500,
  aliases: 256,
  dependsOn: 64,
} as const;

export const activeStatus = "active";

export function findAnchor(
  anchors: ReadonlyMap<string, MeaningAnchor>,
  id: string,
): MeaningAnchor | undefined {
  const known = anchors.get(id);
  if (known) return known;
  for (const anchor of anchors.values()) if (anchor.aliases.includes(id)) return anchor;
  return undefined;
}

/** Returns all names of the anchor that has this name. For an unregistered anchor, returns only this name. */
export function namesFor(anchors: ReadonlyMap<string, MeaningAnchor>, id: string): string[] {
  const known = findAnchor(anchors, id);
  return known ? namesOf(known) : [id];
}

/** Returns the tags that assign a card to this anchor. */
export const namesOf = ({ id, aliases }: Pick<MeaningAnchor, "id" | "aliases">): string[] => [id, ...aliases];

export const byId = (one: { id: string }, other: { id: string }): number =>
  one.id < other.id ? -1 : one.id > other.id ? 1 : 0;

/** Card types, starting with those that a returning agent needs first. */
const order: readonly string[] = [
  "decision",
  "evidence",
  "test",
  "hypothesis",
  "question",
  "update",
  "note",
  "frame",
];

type Ranked = { type: string; tags: readonly string[]; last_ts_ms: number; last_seq: number };

const rank = ({ type, tags }: Ranked): number => {
  if (isPinned({ tags })) return -1;
  const at = order.indexOf(type);
  return at === -1 ? order.length : at;
};

/** Sorts pinned cards first, then by type, then newest first. */
export const byMeaning = (one: Ranked, other: Ranked): number =>
  rank(one) - rank(other) || other.last_ts_ms - one.last_ts_ms || other.last_seq - one.last_seq;

type InWorkspace = { workspace: string };

/** Why the map of anchors refuses a request, with the facts for the message. */
export type AnchorFailures = {
  unknown_anchor: InWorkspace & { anchor: string };
  anchor_incomplete: { anchor: string; missing: readonly string[] };
  /** The name belongs to another anchor. */
  anchor_taken: InWorkspace & { anchor: string; holder: string; from: string };
  anchor_cycle: InWorkspace & { anchor: string; parent: string };
  /** `problem` is a sentence about `field`. */
  invalid_anchor: { problem: string; kind: string; field: string };
};

export const anchorFailure = defineFailures<AnchorFailures>({
  unknown_anchor: "UNKNOWN_ID",
  anchor_incomplete: "INVALID_PAYLOAD",
  anchor_taken: "CONFLICT",
  anchor_cycle: "INVALID_PAYLOAD",
  invalid_anchor: "INVALID_PAYLOAD",
});

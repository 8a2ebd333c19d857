import type { Meta } from "../entry.ts";
import { badCard } from "./card.ts";

/**
 * An edge to or from a card in another task's graph. An edge row can belong to only one graph, so the meta of
 * both cards stores the link. `to` or `from` is the ID of the other card.
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

/** Adds the link to the meta. Returns `undefined` if the card already has the link. */
export function withLink(meta: Meta | undefined, link: CardLink): Meta | undefined {
  const links = readLinks(meta);
  if (links.some((known) => isSameLink(known, link))) return undefined;
  if (links.length >= maxLinks)
    throw badCard(`A card can have at most ${maxLinks} links to cards in other tasks.`, {
      kind: "length",
      field: link.to === undefined ? "to" : "from",
    });
  return { ...meta, [linksKey]: [...links, link] };
}

/** Ignores the branch, because the same card may later be viewed on another branch. */
const isSameLink = (one: CardLink, other: CardLink): boolean =>
  one.rel === other.rel && one.to === other.to && one.from === other.from && one.doc === other.doc;

/** Describes a link: "supports H1 (task/TASK-002)". On the other card: "E1 supports this (task/TASK-001)". */
export const describeLink = (link: CardLink): string =>
  link.to === undefined
    ? `${link.from} ${link.rel} this (${link.branch})`
    : `${link.rel} ${link.to} (${link.branch})`;

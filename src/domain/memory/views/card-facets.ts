import { isOpen, isThinkType, openStatus } from "../cards/card.ts";
import { isHidden } from "../cards/visibility.ts";
import type { NodeContent } from "../graph.ts";

/** Selects the cards for a list. A store answers it from its indexes. */
export type CardFilter = {
  types?: readonly string[] | undefined;
  /** Only open ones. */
  open?: boolean | undefined;
  pinned?: boolean | undefined;
  /** All of these. */
  tags?: readonly string[] | undefined;
  /** Whether drafts are shown. */
  drafts: boolean;
  /** Only what was last changed before this number. */
  before?: number | undefined;
  /** At most this many, newest first. */
  limit: number;
};

type Faceted = Pick<NodeContent, "type" | "status" | "tags">;

/** Marks that find a card without reading any other: one per list in a view. */
export function cardFacets({ type, status = openStatus, tags = [] }: Faceted): string[] {
  if (!isThinkType(type)) return [];
  const shown = !isHidden({ type, tags });
  const marks = ["card", `card:${type}`, ...(isOpen({ status }) ? ["card:open", `card:${type}:open`] : [])];
  return [...marks, ...(shown ? marks.map((mark) => `${mark}:shown`) : [])];
}

/** Everything that nodes can be filtered by. */
export function nodeFacets(node: Faceted): string[] {
  const { type, status, tags = [] } = node;
  return [
    `type:${type}`,
    ...(status ? [`status:${status}`] : []),
    ...tags.map((tag) => `tag:${tag}`),
    ...cardFacets(node),
  ];
}

export type WantedFacets = { any: readonly string[]; all: readonly string[] };

export function hasFacets(node: Faceted, { any, all }: WantedFacets): boolean {
  const facets = new Set(nodeFacets(node));
  return any.some((facet) => facets.has(facet)) && all.every((facet) => facets.has(facet));
}

/** A card needs one of the alternatives and all of the required marks. */
export function facetsFor({ types, open, pinned, tags = [], drafts }: CardFilter): WantedFacets {
  const mark = (type?: string) =>
    [
      "card",
      ...(type === undefined ? [] : [type]),
      ...(open ? ["open"] : []),
      ...(drafts ? [] : ["shown"]),
    ].join(":");
  const any = types === undefined ? [mark()] : types.map((type) => mark(type));
  const wanted = [...(pinned ? ["pinned"] : []), ...tags].map((tag) => `tag:${tag}`);
  const [rarest, ...others] = wanted;
  if (rarest === undefined || any.length > 1) return { any, all: wanted };
  return { any: [rarest], all: [...any, ...others] };
}

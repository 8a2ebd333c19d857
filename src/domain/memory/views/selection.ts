import type { SliceEntry } from "../../engine/slice.ts";
import { byAge, type CardNode, isOpen, isPinned, isThinkType, openStatus } from "../cards/card.ts";
import { type CardStep, thinkCardFormat } from "../cards/decide-cards.ts";
import { isDraft, isHidden, type View } from "../cards/visibility.ts";
import type { Entry } from "../entry.ts";
import type { NodeContent } from "../graph.ts";

export const defaultLimits = {
  pinned: 8,
  hypotheses: 4,
  questions: 4,
  subgoals: 4,
  tests: 6,
  step: 4,
} as const;

export type FrontierLimits = { hypotheses: number; questions: number; subgoals: number; tests: number };

export type SelectionRequest = {
  view: View;
  drafts: boolean;
  /**
   * If `only` is true, the view includes only cards of the step. If `only` is false, the view lists the
   * step's newest cards first.
   */
  step?: { tag: string; only: boolean } | undefined;
  frontier?: Partial<FrontierLimits> | undefined;
  limit: number;
  /** Shows the cards after the one whose last change has this seq. Omit for the first page. */
  after?: number | undefined;
};

/** The first page begins with these sections, so later pages omit them. */
const leadingSections = ["pinned", "hypotheses", "questions", "subgoals", "tests", "step"] as const;
type SectionName = (typeof leadingSections)[number] | "recent" | "older";

/** The queries for a slice, most relevant first. */
export type Selection = Record<SectionName, CardFilter>;
export type Selected = Record<SectionName, readonly CardNode[]>;

const frontierTypes = {
  hypotheses: "hypothesis",
  questions: "question",
  subgoals: "subgoal",
  tests: "test",
} as const;

type FrontierName = keyof typeof frontierTypes;

/**
 * Plans the queries for a view. Every view begins with pinned cards and open questions, hypotheses, subgoals
 * and tests.
 */
export function planSelection({
  view,
  drafts,
  step,
  frontier = {},
  limit,
  after,
}: SelectionRequest): Selection {
  const scoped = step?.only ? { tags: [step.tag], drafts } : { drafts };
  const open = (name: FrontierName): CardFilter => ({
    types: [frontierTypes[name]],
    open: true,
    limit: frontier[name] ?? defaultLimits[name],
    ...scoped,
  });
  const filling = view === "explore" ? scoped : { open: true, ...scoped };
  const leading = Object.values({ ...defaultLimits, ...frontier }).reduce((sum, one) => sum + one, 0);
  return {
    pinned: { pinned: true, limit: defaultLimits.pinned, ...scoped },
    hypotheses: open("hypotheses"),
    questions: open("questions"),
    subgoals: open("subgoals"),
    tests: open("tests"),
    step: { drafts, tags: step ? [step.tag] : [], limit: step ? defaultLimits.step : 0 },
    recent: { limit: after === undefined ? limit : limit + leading, ...filling },
    older:
      after === undefined
        ? { limit: 0, ...filling }
        : { before: after + 1, limit: limit + leading, ...filling },
  };
}

/** Returns the selected cards without duplicates, most relevant first. */
export const assembleCards = (selected: Selected, limit: number): CardNode[] =>
  inOrder(selected, [...leadingSections, "recent", "older"]).slice(0, limit);

/**
 * Continues the list of `assembleCards` after the card whose last change has seq `after`, even if cards were
 * added since. If that card has changed, continues with the cards that were last changed before it.
 */
export function cardsBehind(selected: Selected, after: number | undefined): CardNode[] {
  if (after === undefined) return inOrder(selected, [...leadingSections, "recent"]);
  const isLast = ({ last_seq }: CardNode) => last_seq === after;
  const leads = leadingSections.some((name) => selected[name].some(isLast));
  const cards = inOrder(selected, [...leadingSections, leads ? "recent" : "older"]);
  const at = cards.findIndex(isLast);
  return at < 0 ? cards.filter(({ last_seq }) => last_seq < after) : cards.slice(at + 1);
}

/**
 * Sorts the leading sections by age. `recent` and `older` keep the store's order by seq, so that a page can continue
 * where the previous one ended.
 */
function inOrder(selected: Selected, names: readonly SectionName[]): CardNode[] {
  const cards = new Map<string, CardNode>();
  for (const name of names) {
    const found = name === "recent" || name === "older" ? selected[name] : selected[name].toSorted(byAge);
    for (const card of found) if (!cards.has(card.id)) cards.set(card.id, card);
  }
  return [...cards.values()];
}

export type Frontier = Record<FrontierName, CardNode[]>;

export function frontierOf(selected: Selected): Frontier {
  const read = (name: FrontierName) => selected[name].toSorted(byAge);
  return {
    hypotheses: read("hypotheses"),
    questions: read("questions"),
    subgoals: read("subgoals"),
    tests: read("tests"),
  };
}

/**
 * Prefers, in this order: a pinned open card, the engine's recommendation, the newest open card, and the newest card.
 */
export function chooseNext(
  cards: readonly CardNode[],
  engineRef: string | undefined,
): { card: CardNode; reason: "pinned" | "engine" | "newest" } | undefined {
  const newest = cards.toSorted(byAge);
  const pinned = newest.find((card) => isPinned(card) && isOpen(card));
  if (pinned) return { card: pinned, reason: "pinned" };
  const proposed = newest.find(({ id }) => id === engineRef);
  if (proposed) return { card: proposed, reason: "engine" };
  const card = newest.find(isOpen) ?? newest[0];
  return card && { card, reason: "newest" };
}

export function countCards(cards: readonly CardNode[]): { cards: number; by_type: Record<string, number> } {
  const counts = new Map<string, number>();
  for (const { type } of cards) counts.set(type, (counts.get(type) ?? 0) + 1);
  return {
    cards: cards.length,
    by_type: Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Selects the cards for a list. Stores can find these cards with their indexes. */
export type CardFilter = {
  types?: readonly string[] | undefined;
  open?: boolean | undefined;
  pinned?: boolean | undefined;
  /** Cards must have all of these tags. */
  tags?: readonly string[] | undefined;
  drafts: boolean;
  /** Selects only cards whose last change has a lower seq. */
  before?: number | undefined;
  limit: number;
};

type Faceted = Pick<NodeContent, "type" | "status" | "tags">;

/**
 * Returns the facets by which stores index a card, so that a filter reads only matching cards. Each list in a
 * view has its own facet.
 */
export function cardFacets({ type, status = openStatus, tags = [] }: Faceted): string[] {
  if (!isThinkType(type)) return [];
  const shown = !isHidden({ type, tags });
  const marks = ["card", `card:${type}`, ...(isOpen({ status }) ? ["card:open", `card:${type}:open`] : [])];
  return [...marks, ...(shown ? marks.map((mark) => `${mark}:shown`) : [])];
}

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

/** Converts a filter to facets. A card must have one of the alternative facets and all required ones. */
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

/** True if the metadata of a note names the step, or the path of an event names the step or a descendant. */
export function belongsToStep({ meta }: Pick<Entry, "meta">, step: CardStep): boolean {
  const stamped = meta?.["step"] as Partial<CardStep> | undefined;
  if (typeof stamped === "object" && stamped !== null) return stamped.step_id === step.step_id;
  const path = meta?.["path"];
  if (meta?.["task_id"] !== step.task_id || typeof path !== "string") return false;
  return path === step.path || path.startsWith(`${step.path}.`);
}

/** True if the entry belongs to a draft card. A card's entry has the same visibility as the card. */
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

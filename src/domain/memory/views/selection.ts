import { byAge, type CardNode, isOpen, isPinned } from "../cards/card.ts";
import type { View } from "../cards/visibility.ts";
import type { CardFilter } from "./card-facets.ts";

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
  /** `only`: shows only cards of the step. If unset, the step's newest cards are listed first. */
  step?: { tag: string; only: boolean } | undefined;
  frontier?: Partial<FrontierLimits> | undefined;
  limit: number;
  /** The page after the card that was last changed at this number. Omit for the first page. */
  after?: number | undefined;
};

/** These cards lead the first page, so every later page omits them. */
const leadingSections = ["pinned", "hypotheses", "questions", "subgoals", "tests", "step"] as const;
type SectionName = (typeof leadingSections)[number] | "recent" | "older";

/** What to look up for a slice, most relevant first. */
export type Selection = Record<SectionName, CardFilter>;
export type Selected = Record<SectionName, readonly CardNode[]>;

const frontierTypes = {
  hypotheses: "hypothesis",
  questions: "question",
  subgoals: "subgoal",
  tests: "test",
} as const;

type FrontierName = keyof typeof frontierTypes;

/** Pins and the open frontier lead every view. Views differ in what fills the rest. */
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
    ...scoped,
    types: [frontierTypes[name]],
    open: true,
    limit: frontier[name] ?? defaultLimits[name],
  });
  const filling = { ...scoped, ...(view !== "explore" && { open: true }) };
  const leading = Object.values({ ...defaultLimits, ...frontier }).reduce((sum, one) => sum + one, 0);
  return {
    pinned: { ...scoped, pinned: true, limit: defaultLimits.pinned },
    hypotheses: open("hypotheses"),
    questions: open("questions"),
    subgoals: open("subgoals"),
    tests: open("tests"),
    step: { ...scoped, tags: step ? [step.tag] : [], limit: step ? defaultLimits.step : 0 },
    recent: { ...filling, limit: after === undefined ? limit : limit + leading },
    older:
      after === undefined
        ? { ...filling, limit: 0 }
        : { ...filling, before: after + 1, limit: limit + leading },
  };
}

/** One list, each card once, most relevant first. */
export const assembleCards = (selected: Selected, limit: number): CardNode[] =>
  inOrder(selected, [...leadingSections, "recent", "older"]).slice(0, limit);

/**
 * The same list after the card that was last changed at `after`, whatever was added since. If that card itself changed,
 * the list continues with older ones.
 */
export function cardsBehind(selected: Selected, after: number | undefined): CardNode[] {
  if (after === undefined) return inOrder(selected, [...leadingSections, "recent"]);
  const isLast = ({ last_seq }: CardNode) => last_seq === after;
  const leads = leadingSections.some((name) => selected[name].some(isLast));
  const cards = inOrder(selected, [...leadingSections, leads ? "recent" : "older"]);
  const at = cards.findIndex(isLast);
  return at < 0 ? cards.filter(({ last_seq }) => last_seq < after) : cards.slice(at + 1);
}

/** After the leading cards, the order is by number, which is how pages continue. */
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

/** Pinned and open first, then what the engine recommends, then the newest open ones, then the newest. */
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

import { type Card, isPinned } from "./card.ts";

const shownTypes: readonly string[] = ["decision", "evidence", "test", "hypothesis", "question", "update"];

export const canonTag = "v:canon";
export const draftTag = "v:draft";
const agentLane = "lane:agent:";

type Tagged = Pick<Card, "tags"> & { type: string };

/** Returns the default visibility tag for a card of this type. */
export const defaultVisibility = (type: string): string => (shownTypes.includes(type) ? canonTag : draftTag);

/** True if the card is a draft. Checks v:canon first, then v:draft, older stores' lanes, and the type. */
export function isDraft({ type, tags }: Tagged): boolean {
  if (tags.includes(canonTag)) return false;
  if (tags.includes(draftTag) || tags.some((tag) => tag.startsWith(agentLane))) return true;
  return defaultVisibility(type) === draftTag;
}

/** True if a view without drafts omits the card. A pinned card is always shown. */
export const isHidden = (card: Tagged): boolean => isDraft(card) && !isPinned(card);

/** Returns `shared`, or `agent:<id>` for an agent's private cards. */
export function laneOf({ tags }: Pick<Card, "tags">): string {
  const lane = tags.find((tag) => tag.startsWith(agentLane));
  return lane === undefined ? "shared" : lane.slice("lane:".length);
}

export const isLaneTag = (tag: string): boolean => tag.startsWith("lane:");
export const isVisibilityTag = (tag: string): boolean => tag === canonTag || tag === draftTag;

export const stepTag = (stepId: string): string => `step:${stepId.toLowerCase()}`;

/** Adds the type's default tag if the card has none. If the card has both tags, keeps only v:canon. */
export function withVisibility(type: string, tags: readonly string[]): string[] {
  if (tags.includes(canonTag)) return tags.filter((tag) => tag !== draftTag);
  const said = tags.some((tag) => isVisibilityTag(tag) || tag.startsWith(agentLane));
  return said ? [...tags] : [...tags, defaultVisibility(type)].sort();
}

type Asked = {
  view?: View | undefined;
  all_lanes?: boolean | undefined;
  include_drafts?: boolean | undefined;
  context_budget?: number | undefined;
};

export const views = ["smart", "explore", "audit"] as const;
export type View = (typeof views)[number];

/**
 * Chooses the view of a call. If the call sets a budget, the default view includes only the most important
 * cards. If not, it is the older, wider view.
 */
export function chooseView(asked: Asked): { view: View; drafts: boolean } {
  const view = asked.view ?? (asked.context_budget === undefined ? "explore" : "smart");
  return {
    view,
    drafts: view === "audit" || asked.all_lanes === true || asked.include_drafts === true,
  };
}

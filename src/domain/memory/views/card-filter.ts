import { type CardNode, isOpen, isPinned, isThinkType } from "../cards/card.ts";
import { isHidden } from "../cards/visibility.ts";

/** Which cards a list is made of. A store answers it from its indexes; `matchesFilter` says what it means. */
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
  /** At most so many, the newest. */
  limit: number;
};

export function matchesFilter(
  card: CardNode,
  { types, open, pinned, tags, drafts, before }: CardFilter,
): boolean {
  return (
    isThinkType(card.type) &&
    (types === undefined || types.includes(card.type)) &&
    (open !== true || isOpen(card)) &&
    (pinned !== true || isPinned(card)) &&
    (tags === undefined || tags.every((tag) => card.tags.includes(tag))) &&
    (before === undefined || card.last_seq < before) &&
    (drafts || !isHidden(card))
  );
}

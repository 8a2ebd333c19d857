import type { CardNode } from "../../domain/memory/cards/card.ts";
import type { MeaningAnchor } from "../../domain/memory/meaning-map/meaning-anchor.ts";

/** A card, and where it stands. */
export type LinkedCard = CardNode & { branch: string; doc: string };

export type LinkQuery = {
  /** The branch whose view counts where it shows a card. */
  checkout: string;
  /** Tags of the anchor. */
  names: readonly string[];
  drafts: boolean;
  limit: number;
};

export type LinkPage = {
  /** Pinned first, then by type, then the newest. */
  cards: LinkedCard[];
  /** How many cards carry one of the names, drafts among them; counted up to `maxLinks`. */
  total: number;
  hasMore: boolean;
};

/** So many cards of one anchor are looked at: pinned ones and decisions before others, then the newest. */
export const maxLinks = 2_000;

export type AnchorReads = {
  /** All of the workspace, by id. */
  listAnchors(workspace: string): Promise<MeaningAnchor[]>;
  /**
   * Cards that belong to an anchor. Nothing is stored of it: a card belongs where the tags lead that it has when it is
   * opened from `checkout`, whichever write gave them to it.
   */
  linkedCards(workspace: string, query: LinkQuery): Promise<LinkPage>;
  /** Every `a:` tag that a card carries on a branch that is there. */
  carriedAnchorTags(workspace: string): Promise<string[]>;
};

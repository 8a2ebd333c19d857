import { type NodeContent, normaliseTags } from "../graph.ts";
import { pinTag } from "./card.ts";
import { canonTag, isLaneTag, isVisibilityTag, laneOf } from "./visibility.ts";

const prefix = "CARD-PUB-";

export const isPublishedCopy = (id: string): boolean => id.startsWith(prefix);
export const publishedId = (id: string): string => (isPublishedCopy(id) ? id : `${prefix}${id}`);

type Publishing = { pin?: boolean | undefined; agent_id?: string | undefined };

/** The copy that everybody sees. A pin that it has stays unless the caller says otherwise. */
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

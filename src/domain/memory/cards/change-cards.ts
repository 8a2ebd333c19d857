import type { Meta } from "../entry.ts";
import { type NodeContent, normaliseTags } from "../graph.ts";
import { cardFailure, pinTag } from "./card.ts";

export type CardChange = {
  status?: string | undefined;
  pinned?: boolean | undefined;
  meta?: Meta | undefined;
};

/** The nodes after the change. Unchanged nodes are left out. */
export function changeCards(
  nodes: ReadonlyMap<string, NodeContent>,
  ids: readonly string[],
  change: CardChange,
  where: { workspace: string; branch: string; doc: string },
): NodeContent[] {
  const changed: NodeContent[] = [];
  for (const id of new Set(ids)) {
    const node = nodes.get(id);
    if (!node) throw cardFailure("unknown_card", { ...where, id });
    const next = applyChange(node, change);
    if (next) changed.push(next);
  }
  return changed;
}

function applyChange(node: NodeContent, { status, pinned, meta }: CardChange): NodeContent | undefined {
  const tags = node.tags ?? [];
  const restatus = status !== undefined && status !== node.status;
  const repin = pinned !== undefined && pinned !== tags.includes(pinTag);
  if (!restatus && !repin && meta === undefined) return undefined;
  return {
    ...node,
    ...(restatus && { status }),
    ...(repin && {
      tags: normaliseTags(pinned ? [...tags, pinTag] : tags.filter((tag) => tag !== pinTag)),
    }),
    ...(meta !== undefined && { meta: { ...node.meta, ...meta } }),
  };
}

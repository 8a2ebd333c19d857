import type * as z from "zod";
import {
  findAnchor,
  type MeaningAnchor,
  namesOf,
} from "../../../domain/memory/meaning-map/meaning-anchor.ts";
import { targetPattern } from "../../../domain/tasks/item.ts";
import type { LinkedCard } from "../../../ports/memory/memory-store.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import type { Json, TrimPlan } from "../../pipeline/fit/trim.ts";
import { describePage } from "../fields.ts";
import { stubNode } from "../graph/graph-schemas.ts";
import { checkoutOrDefault } from "../scope.ts";
import { showAnchor, showLinked, showStray, stubAnchor, type taskBriefSchema } from "./anchor-fields.ts";

export const loadAnchors = async ({
  memory,
  workspace,
}: Pick<MemoryContext, "memory" | "workspace">): Promise<Map<string, MeaningAnchor>> =>
  new Map((await memory.listAnchors(workspace)).map((anchor) => [anchor.id, anchor]));

type Asked = { drafts: boolean; after?: number | undefined; limit: number; tasks: number };

/** Reads an anchor and its cards, also under its earlier names. For an unregistered tag, reads only cards. */
export async function readAnchor(memory: MemoryContext, id: string, { drafts, after, limit, tasks }: Asked) {
  const known = findAnchor(await loadAnchors(memory), id);
  const names = known ? namesOf(known) : [id];
  const { cards, total, hasMore, goesOn } = await memory.memory.linkedCards(memory.workspace, {
    checkout: checkoutOrDefault(memory),
    facets: names.map((name) => `tag:${name}`),
    drafts,
    after,
    limit,
  });
  const items = await tasksOf(memory, names, cards, tasks);
  if (!known && total === 0 && items.length === 0) return undefined;
  return {
    anchor: known ? showAnchor(known) : showStray(id),
    stats: { links_count: total, links_has_more: hasMore },
    cards: cards.map(showLinked),
    pagination: describePage({
      cursor: after,
      limit,
      count: cards.length,
      hasMore: goesOn,
      next: cards.at(-1)?.last_seq,
    }),
    count: cards.length,
    tasks: items,
    truncated: goesOn,
  };
}

/**
 * Returns the plans and tasks that have one of the names as a tag, then those whose graphs contain some of the cards.
 */
async function tasksOf(
  { memory, workspace }: MemoryContext,
  names: readonly string[],
  cards: readonly LinkedCard[],
  limit: number,
): Promise<z.input<typeof taskBriefSchema>[]> {
  if (limit === 0) return [];
  const tagged = await Promise.all(
    (["plan", "task"] as const).map((kind) =>
      memory.listItems(workspace, { kind, tags: names, after: 0, limit }),
    ),
  );
  const ids = [...new Set(cards.map(({ doc }) => doc.replace(/-graph$/, "")))].filter((id) =>
    targetPattern.test(id),
  );
  const holding = await Promise.all(ids.slice(0, limit).map((id) => memory.readItem(workspace, id)));
  const all = [...tagged.flatMap(({ items }) => items), ...holding.flatMap((item) => item ?? [])];
  return [
    ...new Map(all.map(({ id, kind, title, status }) => [id, { id, kind, title, status }])).values(),
  ].slice(0, limit);
}

/** Returns the plan that shortens an anchor's cards, or the anchor itself if it has no cards. */
export function trimAnchor({ cards }: Json): TrimPlan {
  if (!Array.isArray(cards) || cards.length === 0)
    return { optional: ["tasks", "pagination", "cards"], item: { key: "anchor", stub: stubAnchor } };
  return {
    pack: {
      lists: [
        { path: "cards", oldest: "last", stub: stubNode, cursor: ({ last_seq }) => last_seq },
        { path: "tasks", oldest: "last" },
      ],
      blocks: ["tasks", "stats", "cards", "pagination", "count"],
      core: { key: "anchor", forms: shrinkAnchor },
    },
  };
}

function shrinkAnchor(block: Json): Json[] {
  const { id, title, kind, status, registered, description } = block as Record<string, string>;
  const clipped = (text: string | undefined, max: number) =>
    text === undefined || text.length <= max ? text : `${text.slice(0, max - 1)}…`;
  return [
    block,
    { id, title, kind, status, description: clipped(description, 200), registered },
    { id, title: clipped(title, 60), kind, status, registered },
    { id, title: clipped(title, 20), registered },
  ];
}

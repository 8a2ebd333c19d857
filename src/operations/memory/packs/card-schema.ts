import * as z from "zod";
import type { CardNode } from "../../../domain/memory/cards/card.ts";
import type { Frontier } from "../../../domain/memory/views/selection.ts";
import type { ListPlan } from "../../pipeline/fit/trim.ts";
import { nodeSchema, stubNode } from "../graph/graph-schemas.ts";
import { packCardSchema } from "./show-pack.ts";

/** A card as views show it. If it was cut to fit a budget, everything but its ID and type may be missing. */
export const cardSchema = nodeSchema;
export type ShownCard = z.input<typeof cardSchema>;

export const showCard = ({ tags, ...card }: CardNode): ShownCard => ({
  ...card,
  ...(tags.length > 0 && { tags: [...tags] }),
});

/** Empty lists are absent. */
export const showFrontier = <Shown>(frontier: Frontier, show: (card: CardNode) => Shown) =>
  Object.fromEntries(
    Object.entries(frontier)
      .filter(([, cards]) => cards.length > 0)
      .map(([name, cards]) => [name, cards.map(show)]),
  ) as { [Name in keyof Frontier]?: Shown[] };

/** Most relevant first, so the last ones are dropped first. */
export const cardList = (key: string): ListPlan => ({ key, oldest: "last", stub: stubNode });

const call = z.strictObject({ operation: z.string(), args: z.record(z.string(), z.unknown()) });

export const engineSchema = z.strictObject({
  version: z.string(),
  mode: z.literal("step_aware").optional(),
  step_tag: z.string().optional(),
  signals: z.array(
    z.strictObject({
      code: z.string(),
      severity: z.enum(["high", "warning", "info"]),
      message: z.string(),
      refs: z.array(z.string()).optional(),
    }),
  ),
  actions: z.array(
    z.strictObject({
      kind: z.string(),
      priority: z.enum(["high", "medium", "low"]),
      title: z.string(),
      why: z.string().optional(),
      calls: z.array(call).optional(),
      command: z.string().optional(),
      evidence_template: call.optional(),
    }),
  ),
  signals_total: z.int(),
  actions_total: z.int(),
  truncated: z.boolean(),
});

export const capsuleSchema = z.record(z.string(), z.unknown());

export const laneSummarySchema = z.array(
  z.strictObject({
    lane: z.string(),
    cards: z.int(),
    open: z.int(),
    pinned: z.int(),
    top: z.array(z.strictObject({ id: z.string(), type: z.string(), title: z.string() })),
  }),
);

export const statsSchema = z.strictObject({ cards: z.int(), by_type: z.record(z.string(), z.int()) });

export const stepFocusSchema = z.strictObject({
  task_id: z.string(),
  step_id: z.string(),
  path: z.string(),
  title: z.string(),
  tag: z.string(),
});

const cards = z.array(packCardSchema).optional();
export const frontierSchema = z.strictObject({
  hypotheses: cards,
  questions: cards,
  subgoals: cards,
  tests: cards,
});

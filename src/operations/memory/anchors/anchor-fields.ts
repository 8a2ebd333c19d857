import * as z from "zod";
import { anchorPattern, type MeaningAnchor } from "../../../domain/memory/meaning-map/meaning-anchor.ts";
import type { LinkedCard } from "../../../ports/memory/memory-store.ts";
import { degradationSchema } from "../../pipeline/fit/pack.ts";
import { pagination } from "../fields.ts";
import { cardSchema, showCard } from "../packs/show-pack.ts";

/** Fields that the tools for anchors share. */

export const anchorId = z
  .string()
  .regex(anchorPattern, "a: and 1–64 characters (a–z, 0–9, -), starting with a letter or digit");

export const anchorIds = (max: number) => z.array(anchorId).max(max);

export const word = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, "1–64 characters (a–z, 0–9, _ -), starting with a letter or digit");

export const anchorSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  kind: z.string().optional(),
  status: z.string().optional(),
  description: z.string().optional(),
  refs: z.array(z.string()).optional(),
  aliases: z.array(z.string()).optional(),
  parent_id: z.string().optional(),
  depends_on: z.array(z.string()).optional(),
  created_at_ms: z.int().optional(),
  updated_at_ms: z.int().optional(),
  registered: z.boolean(),
});

export type ShownAnchor = z.input<typeof anchorSchema>;

export const showAnchor = ({ refs, aliases, depends_on, ...anchor }: MeaningAnchor): ShownAnchor => ({
  ...anchor,
  refs: [...refs],
  ...(aliases.length > 0 && { aliases: [...aliases] }),
  depends_on: [...depends_on],
  registered: true,
});

export const showStray = (id: string): ShownAnchor => ({
  id,
  title: id,
  refs: [],
  depends_on: [],
  registered: false,
});

export const stubAnchor = ({ id, title, kind, status, registered }: Record<string, unknown>) => ({
  id,
  title,
  kind,
  status,
  registered,
});

const linkedCardSchema = cardSchema.extend({
  branch: z.string().optional(),
  doc: z.string().optional(),
});

export const showLinked = ({ branch, doc, ...card }: LinkedCard): z.input<typeof linkedCardSchema> => ({
  ...showCard(card),
  branch,
  doc,
});

export const taskBriefSchema = z.strictObject({
  id: z.string(),
  kind: z.enum(["plan", "task"]),
  title: z.string(),
  status: z.string(),
});

export const anchorView = {
  anchor: anchorSchema,
  stats: z.strictObject({ links_count: z.int(), links_has_more: z.boolean() }).optional(),
  cards: z.array(linkedCardSchema).optional(),
  pagination: pagination.optional(),
  count: z.int().optional(),
  tasks: z.array(taskBriefSchema).optional(),
  degradation: degradationSchema.optional(),
};

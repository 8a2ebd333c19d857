import * as z from "zod";
import { formatRef, refPattern } from "../../../domain/memory/entry.ts";
import { tagPattern } from "../../../domain/memory/limits.ts";
import type { Commit, Tag } from "../../../domain/memory/steps/outcomes.ts";
import type { RefMove } from "../../../ports/memory/memory-store.ts";
import { entrySchema } from "../notes/entry-schema.ts";

export const ref = z
  .string()
  .regex(refPattern, "the name of a branch or tag, or a commit such as notes@12")
  .describe("Branch, tag, or commit such as notes@12 or 12.");

export const tagName = z
  .string()
  .regex(tagPattern, "1–128 characters: letters, digits, . _ / and -, with no .. and no / at the start");

/** `parent` is the seq of the previous commit. */
export const commitSchema = entrySchema.extend({
  ref: z.string().optional(),
  parent: z.int().nullable().optional(),
});

export const showCommit = ({ parent, ...entry }: Commit) => ({
  ref: formatRef(entry),
  ...entry,
  parent: parent ?? null,
});

export const pointerSchema = z.strictObject({
  branch: z.string(),
  doc: z.string(),
  seq: z.int(),
  ref: z.string(),
});

export const showPointer = ({ branch, doc, seq }: { branch: string; doc: string; seq: number }) => ({
  branch,
  doc,
  seq,
  ref: formatRef({ doc, seq }),
});

/** `current` and `previous` are seqs of commits. `ref` names the current commit. */
export const moveSchema = z.strictObject({
  seq: z.int(),
  ts: z.string().optional(),
  ts_ms: z.int().optional(),
  branch: z.string().optional(),
  doc: z.string().optional(),
  action: z.string(),
  previous: z.int().nullable().optional(),
  current: z.int(),
  ref: z.string().optional(),
  message: z.string().optional(),
});

export const showMove = ({ previous, current, ...move }: RefMove) => ({
  ...move,
  ts: new Date(move.ts_ms).toISOString(),
  previous: previous ?? null,
  current,
  ref: formatRef({ doc: move.doc, seq: current }),
});

export const stubMove = ({ seq, action, current, ref }: Record<string, unknown>) => ({
  seq,
  action,
  current,
  ref,
});

/** `order` is the cursor for lists of tags. */
export const tagSchema = z.strictObject({
  name: z.string(),
  ref: z.string().optional(),
  seq: z.int(),
  branch: z.string().optional(),
  doc: z.string().optional(),
  created_at_ms: z.int().optional(),
  order: z.int().optional(),
});

export const showTag = <Kind extends Tag>(tag: Kind) => ({ ref: formatRef(tag), ...tag });

export const stubTag = ({ name, seq, order }: Record<string, unknown>) => ({ name, seq, order });

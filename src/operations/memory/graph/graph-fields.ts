import * as z from "zod";
import { graphOpNames } from "../../../domain/memory/graph.ts";
import { memoryLimits } from "../../../domain/memory/limits.ts";
import type { GraphMoment } from "../../../ports/memory/graph.ts";
import { meta } from "../fields.ts";
import { edgeSchema, nodeSchema } from "./graph-schemas.ts";

const { nodeId, word, title, text, tags, tag } = memoryLimits;

export const nodeIdField = z.string().max(nodeId);

/** All kinds of operations in one flat shape. The domain checks which fields belong to which. */
export const graphOp = z.strictObject({
  op: z.enum(graphOpNames).describe("What to do."),
  id: nodeIdField.optional().describe("ID of the node."),
  type: z.string().max(word).optional().describe("Type of the node, such as hypothesis."),
  title: z.string().max(title).optional().describe("Title of the node."),
  text: z.string().max(text).optional().describe("Text of the node."),
  status: z.string().max(word).optional().describe("Status of the node."),
  tags: z.array(z.string().max(tag)).max(tags).optional().describe("Tags of the node."),
  meta: meta.optional(),
  from: nodeIdField.optional().describe("Node that the edge starts from."),
  rel: z.string().max(word).optional().describe("Relation of the edge, such as supports."),
  to: nodeIdField.optional().describe("Node that the edge leads to."),
});

export const tagList = z.array(z.string().max(tag)).max(tags);

/** A state as diffs and conflicts show it. If it was cut to fit a budget, any field may be missing. */
export const stateSchema = z.strictObject({ ...nodeSchema.partial().shape, ...edgeSchema.partial().shape });

export const keySchema = z.union([
  z.string(),
  z.strictObject({ from: z.string(), rel: z.string(), to: z.string() }),
]);

/** A node or edge as one branch has it. */
export const changeSchema = z.strictObject({
  kind: z.enum(["node", "edge"]),
  id: z.string().optional(),
  key: keySchema.optional(),
  to: stateSchema,
});

const momentWords =
  "must be a number such as 1204, or a date or time such as 2026-11-17 or 2026-11-17T09:30:00Z";
const seqForm = /^\d{1,15}$/;
const timeForm = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2})?)?$/;
const isTime = (text: string): boolean => timeForm.test(text) && !Number.isNaN(timeOf(text));

const timeOf = (text: string): number => {
  if (text.length === 10) return Date.parse(`${text}T23:59:59.999Z`);
  return Date.parse(/(?:Z|[+-]\d{2}:\d{2})$/.test(text) ? text : `${text}Z`);
};

export const moment = z
  .string()
  .max(40)
  .refine((text) => seqForm.test(text) || isTime(text), momentWords)
  .describe(
    "Shows the graph as it was: after the write of this seq, or at this time. A date means the end of that day, in UTC.",
  );

export const readMoment = (text: string): GraphMoment =>
  seqForm.test(text) ? { seq: Number(text) } : { ms: timeOf(text) };

import * as z from "zod";
import { type Entry, formatRef, type Meta, type NewEntry } from "../../../domain/memory/entry.ts";
import { memoryLimits } from "../../../domain/memory/limits.ts";
import { stepFormats } from "../../../domain/memory/sequential.ts";
import { lintSequential } from "../../../domain/memory/validate-trace.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { branchId } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { doc, meta, target } from "../fields.ts";
import { readDocument } from "../ledger-view.ts";
import { entrySchema } from "../notes/entry-schema.ts";
import { resolveWritableDoc } from "../scope.ts";

/** Fields that the trace tools share. */

export const traceDoc = doc.optional().describe("Document for the trace. Default: trace.");

export const writtenStep = {
  branch: z.string(),
  doc: z.string(),
  ref: z.string(),
  entry: entrySchema,
};

type Asked = { target?: string | undefined; doc?: string | undefined };

/** Appends a step. Warns the caller if the step does not fit its sequence. */
export async function appendStep(
  memory: MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID">,
  asked: Asked,
  entry: Omit<NewEntry, "kind"> & { meta: Meta },
) {
  const scope = await resolveWritableDoc(memory, asked, "trace");
  const [written] = await memory.commit([
    { do: "append", ...scope, entry: { kind: "note", agent_id: memory.settings.agentId, ...entry } },
  ]);
  for (const warning of lintSequential(entry.meta)) memory.warn(warning);
  return { branch: written.branch, doc: written.doc, ref: formatRef(written), entry: written as Entry };
}

export const present = (fields: Meta): Meta =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const ids = (what: string) =>
  z.array(z.string().min(1).max(memoryLimits.nodeId)).max(64).optional().describe(what);

export const traceStep = defineMemory({
  name: "trace_step",
  title: "Note a step",
  summary: "Appends a step to the trace, with the cards that it supports or contradicts.",
  effect: "write",
  input: {
    step: z.string().min(1).max(memoryLimits.title).describe("What was done, at most 500 characters."),
    message: z
      .string()
      .min(1)
      .max(memoryLimits.content)
      .optional()
      .describe("Details of the step. Default: the text of step."),
    mode: z.string().min(1).max(64).optional().describe("Mode of the step, such as explore or verify."),
    base: z
      .string()
      .min(1)
      .max(300)
      .optional()
      .describe("What the step starts from: an ID that open accepts."),
    supports: ids("Cards or nodes that the step supports."),
    blocks: ids("Cards or nodes that the step contradicts."),
    checkpoint_every: z
      .int()
      .min(1)
      .max(200)
      .optional()
      .describe("Marks the step as a checkpoint after this many steps without one."),
    meta: meta.optional(),
    target: target.optional(),
    doc: traceDoc,
  },
  advanced: ["mode", "base", "checkpoint_every", "meta", "doc"],
  output: { ...writtenStep, checkpoint: z.boolean().optional() },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    {
      title: "what was measured",
      input: { step: "Measured the pool", message: "40 of 40 connections are taken." },
    },
    {
      title: "a step of a sequence",
      input: { step: "Fork", meta: { thoughtNumber: 2, branchFromThought: 1, branchId: "alt" } },
    },
  ],

  async handle({ step, message, mode, base, supports, blocks, checkpoint_every, meta, ...asked }, memory) {
    const checkpoint = checkpoint_every !== undefined && (await isDue(memory, asked, checkpoint_every));
    const written = await appendStep(memory, asked, {
      title: step,
      format: stepFormats.plain,
      content: message ?? step,
      meta: present({ ...meta, step, mode, base, supports, blocks, ...(checkpoint && { checkpoint }) }),
    });
    if (checkpoint)
      memory.suggest({
        operation: "trace_hydrate",
        args: { workspace: memory.workspace, ref: written.branch, doc: written.doc },
        reason:
          "This step is a checkpoint. Read what was done since the last checkpoint, and note the result.",
        priority: "low",
      });
    return { ...written, ...(checkpoint_every !== undefined && { checkpoint }) };
  },
});

/** The number of entries to read per requested step, because a trace also contains cards and events. */
const entriesForEachStep = 5;

async function isDue(
  memory: MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID">,
  asked: { target?: string | undefined; doc?: string | undefined },
  every: number,
): Promise<boolean> {
  if (every === 1) return true;
  const { branch, doc } = await resolveWritableDoc(memory, asked, "trace");
  if (branch === undefined) return false;
  const { entries } = await readDocument(memory, { branch, doc }, undefined, every * entriesForEachStep);
  const before = entries.filter(({ format }) => format === stepFormats.plain).slice(1 - every);
  return before.length === every - 1 && !before.some(({ meta }) => meta?.["checkpoint"] === true);
}

const number = z.int().min(1).max(1_000_000);

export const traceSequentialStep = defineMemory({
  name: "trace_sequential_step",
  title: "Note a numbered step",
  summary:
    "Appends a numbered step to the trace. A step can fork from an earlier step or revise it, and views draw both as a graph.",
  effect: "write",
  input: {
    thought: z.string().min(1).max(memoryLimits.content).describe("The step itself."),
    thoughtNumber: number.describe("Number of the step in its chain."),
    totalThoughts: number.describe("Estimated number of steps. Raised if thoughtNumber is higher."),
    nextThoughtNeeded: z.boolean().describe("true if another step follows."),
    branchFromThought: number.optional().describe("Number of the step to fork from."),
    branchId: branchId.optional().describe("Branch of the step."),
    isRevision: z.boolean().optional().describe("true if the step revises another one."),
    revisesThought: number.optional().describe("Number of the step that this one revises."),
    needsMoreThoughts: z.boolean().optional().describe("true if more steps are needed than estimated."),
    confidence: z.string().min(1).max(64).optional().describe("How sure you are, in your own words."),
    goal: z.string().min(1).max(memoryLimits.text).optional().describe("Goal of the step."),
    message: z.string().min(1).max(memoryLimits.title).optional().describe("Title of the entry."),
    meta: meta.optional(),
    target: target.optional(),
    doc: traceDoc,
  },
  advanced: ["needsMoreThoughts", "confidence", "goal", "message", "meta", "doc"],
  output: writtenStep,
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    {
      title: "the first step",
      input: { thought: "Logins hang.", thoughtNumber: 1, totalThoughts: 3, nextThoughtNeeded: true },
    },
    {
      title: "a fork",
      input: {
        thought: "Or is it the proxy?",
        thoughtNumber: 2,
        totalThoughts: 3,
        nextThoughtNeeded: true,
        branchFromThought: 1,
        branchId: "proxy",
      },
    },
  ],

  async handle({ thought, message, meta, target, doc, ...step }, memory) {
    const totalThoughts = Math.max(step.totalThoughts, step.thoughtNumber);
    const isRevision = step.isRevision ?? (step.revisesThought === undefined ? undefined : true);
    return appendStep(
      memory,
      { target, doc },
      {
        title: message,
        format: stepFormats.sequential,
        content: thought,
        meta: present({ ...meta, ...step, totalThoughts, isRevision }),
      },
    );
  },
});

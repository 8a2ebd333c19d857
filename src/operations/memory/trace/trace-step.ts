import * as z from "zod";
import { memoryLimits } from "../../../domain/memory/limits.ts";
import { stepFormats } from "../../../domain/memory/sequential.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { defineMemory } from "../define-memory.ts";
import { meta, target } from "../fields.ts";
import { readDocument } from "../ledger-view.ts";
import { resolveWritableDoc } from "../scope.ts";
import { appendStep, present, traceDoc, writtenStep } from "./trace-fields.ts";

const ids = (what: string) =>
  z.array(z.string().min(1).max(memoryLimits.nodeId)).max(64).optional().describe(what);

export const traceStep = defineMemory({
  name: "trace_step",
  title: "Note a step",
  summary: "Appends a step to the trace: what was done, what it rests on and speaks against.",
  effect: "write",
  input: {
    step: z.string().min(1).max(memoryLimits.title).describe("What was done, at most 500 characters."),
    message: z
      .string()
      .min(1)
      .max(memoryLimits.content)
      .optional()
      .describe("More about it; default the step."),
    mode: z.string().min(1).max(64).optional().describe("How it was done, such as explore or verify."),
    base: z.string().min(1).max(300).optional().describe("What it starts from: an id that open takes."),
    supports: ids("Cards or nodes that it supports."),
    blocks: ids("Cards or nodes that it speaks against."),
    checkpoint_every: z
      .int()
      .min(1)
      .max(200)
      .optional()
      .describe("Marks the step as a checkpoint where none of so many steps before it is one."),
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
        reason: "A checkpoint: read what was done since the last one, and note what came of it.",
        priority: "low",
      });
    return { ...written, ...(checkpoint_every !== undefined && { checkpoint }) };
  },
});

/** A trace holds cards and events as well. */
const entriesForEachStep = 5;

/** Whether so many steps were made since the last checkpoint, this one among them. */
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

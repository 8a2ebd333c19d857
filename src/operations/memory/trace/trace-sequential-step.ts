import * as z from "zod";
import { memoryLimits } from "../../../domain/memory/limits.ts";
import { stepFormats } from "../../../domain/memory/sequential.ts";
import { branchId } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { meta, target } from "../fields.ts";
import { appendStep, present, traceDoc, writtenStep } from "./trace-fields.ts";

const number = z.int().min(1).max(1_000_000);

export const traceSequentialStep = defineMemory({
  name: "trace_sequential_step",
  title: "Note a numbered step",
  summary:
    "Appends a numbered step to the trace, with its forks and revisions; read views draw them as a graph.",
  effect: "write",
  input: {
    thought: z.string().min(1).max(memoryLimits.content).describe("The step itself."),
    thoughtNumber: number.describe("Its number in its chain."),
    totalThoughts: number.describe("Your estimate; raised when it is below thoughtNumber."),
    nextThoughtNeeded: z.boolean().describe("Whether another one follows."),
    branchFromThought: number.optional().describe("Number of the step that it forks from."),
    branchId: branchId.optional().describe("Branch that it belongs to."),
    isRevision: z.boolean().optional().describe("Whether it revises another one."),
    revisesThought: number.optional().describe("Number of the step that it revises."),
    needsMoreThoughts: z.boolean().optional().describe("Whether more are needed than were estimated."),
    confidence: z.string().min(1).max(64).optional().describe("How sure you are, in your own words."),
    goal: z.string().min(1).max(memoryLimits.text).optional().describe("What it is to reach."),
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

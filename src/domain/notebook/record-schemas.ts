import * as z from "zod";
import { maxCount } from "../../kernel/numbers.ts";
import { limits, sessionIdPattern } from "../ledger/limits.ts";
import { slugProject } from "../ledger/project.ts";
import { isFilename, languages, notebookLimits } from "./notebook.ts";

/** Notebooks read from files, which are untrusted. */
const instant = z.iso.datetime({ offset: true });
const id = z.string().regex(sessionIdPattern);
const version = z.int().min(1).max(maxCount);
const text = z.string().max(notebookLimits.cellCharacters);

const contentSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("title"),
    text: z
      .string()
      .max(notebookLimits.name)
      .regex(/^[^\r\n]*\S[^\r\n]*$/),
  }),
  z.strictObject({ type: z.literal("markdown"), text }),
  z.strictObject({ type: z.literal("package.json"), source: text }),
  z.strictObject({ type: z.literal("code"), filename: z.string().refine(isFilename), source: text }),
]);

const printed = z.string().max(limits.thoughtBytes * 8);
const resultSchema = z.strictObject({
  output: printed,
  truncated: z.boolean(),
  error: printed.optional(),
  value: printed.optional(),
  displays: z
    .array(
      z.strictObject({
        mime: z.enum([
          "text/plain",
          "text/markdown",
          "text/html",
          "image/png",
          "image/svg+xml",
          "application/json",
        ]),
        data: printed,
      }),
    )
    .max(1_000)
    .readonly(),
  exitCode: z.int().min(0).max(255).nullable(),
  stoppedBy: z.enum(["time", "processor", "memory", "disk", "cancelled"]).optional(),
  durationMs: z.int().min(0).max(Number.MAX_SAFE_INTEGER),
  sandbox: z.enum(["strong", "medium", "basic", "none"]),
});

const listedSchema = z.array(z.strictObject({ id, version })).max(notebookLimits.cells);
const about = {
  net: z.boolean(),
  createdAt: instant,
  updatedAt: instant,
  deletedAt: instant.optional(),
  cells: listedSchema,
};

export const notebookRecordSchema = z.strictObject({
  id,
  project: z.string().refine((name) => slugProject(name) === name),
  language: z.enum(languages),
  tsconfig: z.string().max(notebookLimits.tsconfig).optional(),
  ...about,
});

export const cellRecordSchema = z.strictObject({
  cellId: id,
  version,
  position: z.int().min(0).max(notebookLimits.cells),
  at: instant,
  content: contentSchema.optional(),
});

export const runRecordSchema = z.strictObject({
  cellId: id,
  version,
  status: z.enum(["completed", "failed"]),
  result: resultSchema.optional(),
  startedAt: instant,
  endedAt: instant,
  isEvidence: z.literal(true).optional(),
});

/** The file beside a notebook's text in the tree. */
export const besideSchema = z.strictObject({
  ...about,
  runs: z.array(runRecordSchema).max(notebookLimits.cells * 10),
});

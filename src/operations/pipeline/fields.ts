import * as z from "zod";
import { cipherTypes } from "../../domain/cipher/notation.ts";
import { agentIdPattern, branchIdPattern, limits } from "../../domain/ledger/limits.ts";
import { memoryLimits, workspacePattern } from "../../domain/memory/limits.ts";
import { domains } from "../../domain/stages/stages.ts";
import { maxCount } from "../../kernel/numbers.ts";

/** Fields that several operations share, with one schema and one description each. */

export const sessionId = z.string().min(1).max(100).describe("ID of the session, as returned by start_new.");

export const idempotencyKey = z
  .string()
  .min(1)
  .max(limits.idempotencyKey)
  .describe("Any unique text. Repeating the call with the same key returns the first result.");

export const workspace = z
  .string()
  .regex(workspacePattern, "1–128 characters (letters, digits, . _ / -), starting with a letter or digit")
  .describe("Workspace. Default: your project's.");

export const thoughtNumber = z.int().min(1).max(limits.thoughtNumber);

export const branchId = z
  .string()
  .regex(branchIdPattern, "1–64 characters: a–z, 0–9 and -")
  .describe("Name of a branch. 1–64 characters: a–z, 0–9 and -.");

export const agentId = z
  .string()
  .regex(agentIdPattern, "1–64 characters: letters, digits, . _ and -")
  .describe("Name of the author, for the record.");

const titleUpTo = (max: number) => z.string().min(1).max(max).describe(`Title, at most ${max} characters.`);
export const title = titleUpTo(limits.title);
export const longTitle = titleUpTo(memoryLimits.title);

export const description = z.string().max(limits.description).describe("What the session is about.");

export const tags = z
  .array(z.string().min(1).max(limits.tag))
  .max(limits.tags)
  .describe("At most 32 tags, each at most 80 characters.");

export const project = z.string().min(1).max(200).describe("Project that the session belongs to.");
export const task = z
  .string()
  .min(1)
  .max(limits.tag - 8)
  .describe("Task within the project.");
export const aspect = z
  .string()
  .min(1)
  .max(limits.tag - 8)
  .describe("Aspect of the task.");
export const domain = z.enum(domains).describe("Domain whose mental models are listed first at stage 3.");

export const cipherType = z
  .enum(Object.keys(cipherTypes) as [keyof typeof cipherTypes, ...(keyof typeof cipherTypes)[]])
  .describe("Only thoughts with a cipher step of this type.");

const howMany = (max: number, byDefault: number | string) => `How many, 1–${max}. Default: ${byDefault}.`;

export const limit = (max: number, byDefault: number) =>
  z.int().min(1).max(max).default(byDefault).describe(howMany(max, byDefault));

/** Accepts any number and clamps it to the bounds. Validation warns the caller. */
const clampedTo = (min: number, max: number) =>
  z
    .int()
    .min(0)
    .max(maxCount)
    .overwrite((asked) => Math.min(Math.max(asked, min), max));

export const clampedLimit = (byDefault: number, max = 200) =>
  clampedTo(1, max).default(byDefault).describe(howMany(max, byDefault));

export const optionalLimit = (byDefault: string) =>
  clampedTo(1, 200).optional().describe(howMany(200, byDefault));

export const optionalLimitOf = (
  what: string,
  { max, default: byDefault }: { max: number; default: string },
) => clampedTo(1, max).optional().describe(`How many ${what}, 1–${max}. Default: ${byDefault}.`);

/** Defines a limit on items. If `min` is 0, callers can pass 0 to leave the items out. */
export const limitOf = (
  what: string,
  { min = 0, max, default: byDefault }: { min?: number; max: number; default: number },
) =>
  clampedTo(min, max).default(byDefault).describe(`How many ${what}, ${min}–${max}. Default: ${byDefault}.`);

export const offset = z.int().min(0).max(10_000_000).default(0).describe("How many to skip. Default: 0.");

/** Memory lists are paged by `cursor` instead (`memory/fields.ts`). */
export const offsetPageSchema = { total: z.int(), hasMore: z.boolean() };

export const offsetPage = (offset: number, count: number, total: number) => ({
  total,
  hasMore: offset + count < total,
});

import * as z from "zod";
import { findHostileJson } from "../../../kernel/json/walk-json.ts";
import { sealThought } from "../chain/hash-chain.ts";
import { agentIdPattern, branchIdPattern, limits } from "../limits.ts";
import { addressSchema, type ChainedThought, readCipher, type Thought, thoughtSchema } from "../thought.ts";

/** A thought and its hash, without the `seq` that a store assigned. */
export type SealedThought = Omit<ChainedThought, "seq">;

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const number = z.int().min(1).max(limits.thoughtNumber);
const branchId = z.string().regex(branchIdPattern);
const written = thoughtSchema.omit({ revisedBy: true, critique: true });

/** Anyone can compute a hash, so a sealed file has the same limits as other external data. */
const fileSchema = written.extend({
  thought: z
    .string()
    .refine((text) => Buffer.byteLength(text) <= limits.thoughtBytes && !text.includes("\0")),
  thoughtNumber: number,
  totalThoughts: number,
  timestamp: z.iso.datetime({ offset: true }),
  revisesThought: number.optional(),
  revises: addressSchema.extend({ branchId: branchId.optional() }).optional(),
  branchId: branchId.optional(),
  branchFromThought: number.optional(),
  branchFromBranch: branchId.optional(),
  agentId: z.string().regex(agentIdPattern).optional(),
  chain: z.strictObject({
    position: z.int().min(1).max(Number.MAX_SAFE_INTEGER),
    salt: z.string().regex(/^[!-~]{1,200}$/),
    prevHash: hash,
    hash,
  }),
});
const fieldOrder = Object.keys(written.shape) as (keyof Thought)[];

/**
 * Renders a thought's file without `revisedBy` and `critique`, which later files contain. A written file
 * never changes. The same thought always produces the same bytes.
 */
export function renderThoughtFile({ position, salt, prevHash, hash, data }: SealedThought): string {
  const fields: Record<string, unknown> = {};
  for (const key of fieldOrder) if (data[key] !== undefined) fields[key] = data[key];
  fields["chain"] = { position, salt, prevHash, hash };
  return `${JSON.stringify(fields, null, 2)}\n`;
}

export type ThoughtFile =
  | { kind: "sealed"; entry: SealedThought }
  /** An earlier version wrote the file, so the thought has no position in a chain. */
  | { kind: "plain"; fields: Record<string, unknown> }
  | { kind: "bad"; problem: string };

/** Parses a thought's file. A sealed thought must match its hash. */
export function parseThoughtFile(sessionId: string, text: string): ThoughtFile {
  const fields = parseObject(text);
  if (!fields) return bad("is not a JSON object, or was cut short");
  const hostile = findHostileJson(fields, "file");
  if (hostile) return bad(`${hostile.path} ${hostile.problem}`);
  return readThoughtFields(sessionId, fields);
}

/** Like `parseThoughtFile`, for fields that `findHostileJson` has already checked. */
export function readThoughtFields(sessionId: string, fields: Record<string, unknown>): ThoughtFile {
  if (fields["chain"] === undefined) return { kind: "plain", fields };
  const parsed = fileSchema.safeParse(fields);
  if (!parsed.success)
    return bad(`is not a thought: ${parsed.error.issues[0]?.path.join(".") || "unknown fields"}`);
  const { chain, cipher, ...data } = parsed.data;
  const entry = { sessionId, ...chain, data: cipher ? withCipher(data) : data };
  return sealThought(entry) === chain.hash
    ? { kind: "sealed", entry }
    : bad("was changed after it was recorded");
}

/** Adds the parsed notation. Parses the text again, because the hash does not cover the stored notation. */
export function withCipher(data: Thought): Thought {
  const cipher = readCipher(data.thought);
  return cipher ? { ...data, cipher } : data;
}

const bad = (problem: string): ThoughtFile => ({ kind: "bad", problem });

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

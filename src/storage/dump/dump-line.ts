import * as z from "zod";
import { patternSchema } from "../../domain/knowledge/note.ts";
import { limits, sessionIdPattern } from "../../domain/ledger/limits.ts";
import { sessionSchema } from "../../domain/ledger/session.ts";
import { domains } from "../../domain/stages/stages.ts";

/** The first line names the format, the last one proves that nothing is missing at the end. */
export const dumpFormat = "thoughtbox-dump-1";

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const instant = z.iso.datetime({ offset: true });
const word = z.string().max(limits.title);

const recordSchema = z.strictObject({
  session: sessionSchema.extend({
    id: z.string().regex(sessionIdPattern),
    title: z.string().min(1).max(limits.title),
    project: z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/),
    partitionPath: z
      .string()
      .regex(/^\d{4}-(?:\d{2}|W\d{2}|\d{2}-\d{2})$/)
      .optional(),
    createdAt: instant,
    updatedAt: instant,
    lastAccessedAt: instant,
    completedAt: instant.optional(),
  }),
  state: z.strictObject({
    stage: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
    domain: z.enum(domains).optional(),
    boundRoot: z.string().max(4_096).optional(),
    navigation: z.strictObject({
      project: word.optional(),
      task: word.optional(),
      aspect: word.optional(),
    }),
  }),
});

const critiqueSchema = z.strictObject({
  sessionId: z.string().regex(sessionIdPattern),
  position: z.int().min(1).max(Number.MAX_SAFE_INTEGER),
  prevHash: hash,
  salt: z.string().regex(/^[!-~]{1,200}$/),
  thoughtHash: hash,
  text: z.string().max(limits.thoughtBytes),
  model: z.string().max(1_000),
  timestamp: instant,
  hash,
});

const countsSchema = z.strictObject({
  sessions: z.int().min(0).max(Number.MAX_SAFE_INTEGER),
  thoughts: z.int().min(0).max(Number.MAX_SAFE_INTEGER),
  notes: z.int().min(0).max(Number.MAX_SAFE_INTEGER),
});

/** Each line is an object with one member that says what it is. A thought belongs to the session before it. */
const lineSchema = z.union([
  z.strictObject({ format: z.literal(dumpFormat), createdAt: instant }),
  z.strictObject({ session: recordSchema }),
  z.strictObject({ thought: z.record(z.string(), z.unknown()) }),
  z.strictObject({ critique: critiqueSchema }),
  z.strictObject({
    note: patternSchema.extend({ kind: z.enum(["pattern", "scratchpad"]) }),
    project: z.string().min(1).max(64),
  }),
  z.strictObject({ end: countsSchema }),
]);
export type DumpLine = z.infer<typeof lineSchema>;

/** `undefined` for a line that is none of ours. */
export function parseDumpLine(text: string): DumpLine | undefined {
  try {
    return lineSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

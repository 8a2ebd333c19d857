import * as z from "zod";
import { actionRecordSchema } from "../../domain/actions/kept-action.ts";
import { noteIdPattern, patternSchema } from "../../domain/knowledge/note.ts";
import { limits, sessionIdPattern } from "../../domain/ledger/limits.ts";
import { slugProject } from "../../domain/ledger/project.ts";
import { remarkSchema } from "../../domain/ledger/remark.ts";
import { sessionSchema } from "../../domain/ledger/session.ts";
import {
  describeTable,
  dumpParts,
  highestSeq,
  type TableLine,
  type TableName,
  tableNames,
} from "../../domain/memory/dump-tables.ts";
import { branchPattern } from "../../domain/memory/limits.ts";
import { cellRecordSchema, notebookRecordSchema, runRecordSchema } from "../../domain/notebook/notebook.ts";
import { domains } from "../../domain/stages/stages.ts";
import { parseJsonInSteps } from "../../kernel/json/parse-in-steps.ts";
import { findHostileJson, isHeavier } from "../../kernel/json/walk-json.ts";
import type { Steps } from "../../kernel/steps.ts";
import type { MemoryLine } from "../../ports/memory/memory-dump.ts";

const { seq, time: ms, workspace, branchUid: uid, doc, meta, graphState: state } = dumpParts;
const branchName = z.string().regex(branchPattern);
const written = { workspace, branch: uid, doc, seq, ts_ms: ms };

const rowSchemas = Object.fromEntries(
  tableNames.map((name) => {
    const { of, fields } = describeTable(name);
    const own = Object.entries(fields).map(([field, { schema }]) => [field, schema]);
    const place = of === "stream" ? written : { workspace };
    return [name, z.strictObject({ [name]: z.strictObject({ ...place, ...Object.fromEntries(own) }) })];
  }),
) as unknown as { [Name in TableName]: z.ZodType<Record<Name, TableLine<Name>>> };

const memoryLineSchemas = {
  workspace: z.strictObject({
    workspace: z.strictObject({
      name: workspace,
      created_at_ms: ms,
      project_guard: z.string().max(200).optional(),
      project: z.string().max(200).optional(),
      checkout: uid,
      last_entry: seq.optional(),
    }),
  }),
  branch: z.strictObject({
    branch: z.strictObject({
      workspace,
      uid,
      name: branchName,
      base: uid.optional(),
      base_seq: z.int().min(0).max(highestSeq).optional(),
      created_at_ms: ms,
      deleted_at_ms: ms.optional(),
      erased: z.literal(true).optional(),
    }),
  }),
  entry: z.strictObject({
    entry: z.strictObject({
      ...written,
      kind: z.enum(["note", "event"]),
      title: z.string().optional(),
      format: z.string().optional(),
      meta,
      content: z.string(),
      agent_id: z.string().optional(),
      origin: seq.optional(),
      source_event_id: z.string().max(1_000).optional(),
    }),
  }),
  commit: z.strictObject({ commit: z.strictObject({ workspace, seq, parent: seq.optional() }) }),
  version: z.strictObject({
    version: z.strictObject({ ...written, state, keeps: z.literal(true).optional() }),
  }),
  ...rowSchemas,
} satisfies Record<string, z.ZodType<MemoryLine>>;

const deepest = 64;
const memoryKinds = Object.keys(memoryLineSchemas);

/**
 * Returns true for content that no entry point accepts. Call this before the schema, which silently drops some of it.
 */
const holdsHostile = (value: unknown): boolean => findHostileJson(value) !== undefined;

/** Returns true if a value is nested too deeply. Thoughts and notes were already validated when they were written. */
function isTooDeep(value: unknown, depth = 1): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth > deepest || Object.values(value).some((member) => isTooDeep(member, depth + 1));
}

export const isMemoryLine = <Line extends object>(line: Line): line is Line & MemoryLine =>
  memoryKinds.some((kind) => Object.hasOwn(line, kind));

/** The format named in a dump's first line. The last line proves that nothing is missing at the end. */
export const dumpFormat = "thoughtbox-dump-6";
/**
 * Older formats that can still be read. Each of them lacks some of the following: the memory, notebooks, the
 * trash, actions, settled merges and remarks.
 */
const earlierFormats = [
  ...["thoughtbox-dump-1", "thoughtbox-dump-2"],
  ...["thoughtbox-dump-3", "thoughtbox-dump-4", "thoughtbox-dump-5"],
] as const;

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const instant = z.iso.datetime({ offset: true });
const word = z.string().max(limits.title);

/** `deletedAt` is set if the session is in the trash. */
const recordSchema = z.strictObject({
  deletedAt: instant.optional(),
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

const conversationKey = {
  principal: z.string().max(1_000),
  project: z.string().max(1_000),
  client: z.string().max(1_000),
  conversation: z.string().max(1_000),
};
const sessionId = z.string().regex(sessionIdPattern);
const place = z.int().min(1).max(Number.MAX_SAFE_INTEGER);

const amount = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** `lastSeq` is the highest `seq` in the memory's lines. */
const memoryCountsSchema = z.strictObject({
  workspaces: amount,
  branches: amount,
  entries: amount,
  versions: amount,
  lines: amount,
  lastSeq: amount.max(highestSeq),
});

const countsSchema = z.strictObject({
  sessions: amount,
  thoughts: amount,
  notes: amount,
  notebooks: amount.optional(),
  memory: memoryCountsSchema.optional(),
});

/** The maximum number of thoughts that one `origin` line covers. */
export const originsAtOnce = 500;

/**
 * Each line is an object with one property, whose name is the kind. Thoughts, critiques, actions and remarks belong to
 * the session above them. Cell versions and runs belong to the notebook above them.
 */
const lineSchemas = {
  format: z.strictObject({ format: z.enum([...earlierFormats, dumpFormat]), createdAt: instant }),
  ...memoryLineSchemas,
  session: z.strictObject({ session: recordSchema }),
  thought: z.strictObject({ thought: z.record(z.string(), z.unknown()) }),
  critique: z.strictObject({ critique: critiqueSchema }),
  action: z.strictObject({ action: actionRecordSchema }),
  remark: z.strictObject({ remark: remarkSchema }),
  conversation: z.strictObject({
    conversation: z.strictObject({ ...conversationKey, sessionId: sessionId.optional(), at: instant }),
  }),
  origin: z.strictObject({
    origin: z.strictObject({
      ...conversationKey,
      sessionId,
      thoughts: z
        .array(z.strictObject({ position: place, toolUse: z.string().max(1_000).optional() }))
        .min(1)
        .max(originsAtOnce),
    }),
  }),
  note: z.strictObject({
    note: patternSchema.extend({
      id: z.string().regex(noteIdPattern),
      kind: z.enum(["pattern", "scratchpad"]),
    }),
    project: z.string().refine((name) => slugProject(name) === name),
    deletedAt: instant.optional(),
  }),
  notebook: z.strictObject({ notebook: notebookRecordSchema }),
  cell: z.strictObject({ cell: cellRecordSchema }),
  run: z.strictObject({ run: runRecordSchema }),
  end: z.strictObject({ end: countsSchema }),
};
export type DumpLine = z.infer<(typeof lineSchemas)[keyof typeof lineSchemas]>;
export type WriteLine = (line: DumpLine) => Promise<void>;

const kinds = Object.keys(lineSchemas) as (keyof typeof lineSchemas)[];

/** The maximum number of values and characters in one line. The longest lines contain the outputs of cells. */
const heaviestLine = { values: 100_000, characters: 64 * 1024 * 1024 };

/** Parses a line. Returns `undefined` if the line is not valid in a dump. */
export function* parseDumpLine(text: string): Steps<DumpLine | undefined> {
  const parsed = (yield* parseJsonInSteps(text))?.value;
  if (typeof parsed !== "object" || parsed === null || isHeavier(parsed, heaviestLine)) return undefined;
  const kind = kinds.find((name) => Object.hasOwn(parsed, name));
  if (!kind || Object.values(parsed).some(isMemoryLine(parsed) ? holdsHostile : isTooDeep)) return undefined;
  return lineSchemas[kind].safeParse(parsed).data;
}

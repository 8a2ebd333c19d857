import * as z from "zod";
import { maxCount } from "../../kernel/numbers.ts";
import { docPattern, memoryLimits, tagPattern, workspacePattern } from "./limits.ts";
import { anchorPattern } from "./meaning-map/meaning-anchor.ts";

const meta = z.record(z.string(), z.unknown()).optional();
const id = z.string().min(1).max(memoryLimits.nodeId);
const word = z.string().min(1).max(memoryLimits.word);

/** The highest seq that restore accepts. No real store reaches it, and a higher one could use up all seqs. */
export const highestSeq = 999_999_999_999_999;

/** Schemas for the parts of a dump line. Texts have no limit here, because they were checked when written. */
export const dumpParts = {
  seq: z.int().min(1).max(highestSeq),
  time: z.int().min(0).max(8_640_000_000_000_000),
  workspace: z.string().regex(workspacePattern),
  branchUid: z.string().regex(/^[A-Za-z0-9._/-]{1,128}@\d{1,15}$/),
  doc: z.string().regex(docPattern),
  meta,
  graphState: z.discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("node"),
      id,
      type: word,
      title: z.string().optional(),
      text: z.string().optional(),
      status: z.string().optional(),
      tags: z.array(z.string()).readonly().optional(),
      meta,
      deleted: z.boolean(),
    }),
    z.strictObject({ kind: z.literal("edge"), from: id, rel: word, to: id, meta, deleted: z.boolean() }),
  ]),
};
const { seq, time, branchUid, doc, graphState } = dumpParts;
const taskTarget = z.string().regex(/^(?:PLAN|TASK)-\d{3,9}$/);
const count = z.int().min(1).max(maxCount);
const body = z.record(z.string(), z.unknown());

/**
 * How a store treats a field. `value`: the column unchanged. `json`: JSON text. `number`: the seq of a row, remapped on
 * restore. `moment`: like `number`, but no row needs to have this seq. `commit`: the seq of a commit that must exist.
 * `branch` and `doc`: a name in the dump, and the store's own key in the column.
 */
export type FieldKind = "value" | "json" | "number" | "moment" | "commit" | "branch" | "doc";

type Field<Schema extends z.ZodType = z.ZodType> = { schema: Schema; kind: FieldKind; column?: string };

const as = <Schema extends z.ZodType>(kind: FieldKind, schema: Schema, column?: string): Field<Schema> => ({
  schema,
  kind,
  ...(column !== undefined && { column }),
});

export type DumpTable = {
  table: string;
  /**
   * Whether rows belong to a workspace (column `wid`), a branch (`bid`) or a document of a branch (`stream`). `fields`
   * does not repeat the columns that every stream has: `seq`, `bid`, `doc` and `ts_ms`.
   */
  of: "workspace" | "branch" | "stream";
  /** The columns that define the order of rows. Their combination is unique. */
  keys: readonly string[];
  /** True if the first key is the row's seq. Tables without such a key are dumped last. */
  ordered: boolean;
  /** True if the rows are only a cache. Dropping such rows loses no contents. */
  savesWork?: true;
  /** Rows with this value in this column are not visible yet. */
  except?: { column: string; value: string };
  fields: Readonly<Record<string, Field>>;
};

/**
 * Tables of the memory with independent rows. Dump, restore, undo and inspection use these descriptions, so a new table
 * needs only one entry. Fields are written in this order.
 */
export const dumpTables = {
  move: {
    table: "memory_ref_moves",
    of: "stream",
    keys: ["seq"],
    ordered: true,
    fields: {
      action: as("value", z.enum(["commit", "reset"])),
      previous: as("number", seq.optional()),
      current: as("number", seq),
      message: as("value", z.string()),
    },
  },
  tag: {
    table: "memory_tags",
    of: "workspace",
    keys: ["ordinal"],
    ordered: true,
    fields: {
      name: as("value", z.string().regex(tagPattern)),
      seq: as("commit", seq),
      ordinal: as("number", seq),
      created_at_ms: as("value", time),
    },
  },
  conflict: {
    table: "graph_conflicts",
    of: "workspace",
    keys: ["cid"],
    ordered: false,
    except: { column: "status", value: "staged" },
    fields: {
      id: as("value", z.string().regex(/^CONFLICT-[0-9a-f]{32}$/)),
      doc: as("doc", doc),
      from: as("branch", branchUid, "from_bid"),
      into: as("branch", branchUid, "into_bid"),
      kind: as("value", z.enum(["node", "edge"])),
      key: as("value", z.string().min(1).max(1_000)),
      status: as("value", z.enum(["open", "resolved"])),
      resolution: as("value", z.enum(["use_from", "use_into", "moot"]).optional()),
      base: as("json", graphState.optional()),
      theirs: as("json", graphState),
      ours: as("json", graphState.optional()),
      created_at_ms: as("value", time),
      resolved_at_ms: as("value", time.optional()),
    },
  },
  settled: {
    table: "graph_settled",
    of: "workspace",
    keys: ["sid"],
    ordered: false,
    fields: {
      branch: as("branch", branchUid, "bid"),
      doc: as("doc", doc),
      key: as("value", z.string().min(1).max(1_000)),
      seq: as("number", seq.optional()),
    },
  },
  author: {
    table: "graph_authors",
    of: "workspace",
    keys: ["aid"],
    ordered: false,
    fields: {
      first: as("moment", seq, "first_seq"),
      last: as("moment", seq, "last_seq"),
      agent: as("value", z.string().min(1).max(200)),
    },
  },
  merged: {
    table: "graph_merged",
    of: "branch",
    keys: ["bid", "doc", "from_bid"],
    ordered: false,
    savesWork: true,
    fields: {
      branch: as("branch", branchUid, "bid"),
      doc: as("doc", doc),
      from: as("branch", branchUid, "from_bid"),
      seq: as("moment", seq),
    },
  },
  difference: {
    table: "graph_known_differences",
    of: "branch",
    keys: ["bid", "doc"],
    ordered: false,
    savesWork: true,
    fields: {
      branch: as("branch", branchUid, "bid"),
      doc: as("doc", doc),
      seq: as("moment", z.int().min(0).max(highestSeq)),
      keys: as("json", z.array(z.string().min(1).max(1_000)).readonly()),
    },
  },
  focus: {
    table: "memory_focus",
    of: "workspace",
    keys: ["rid"],
    ordered: false,
    fields: { target: as("value", taskTarget) },
  },
  agent: {
    table: "memory_agents",
    of: "workspace",
    keys: ["rid"],
    ordered: false,
    fields: {
      key: as("value", z.string().min(1).max(100)),
      agent_id: as("value", word.optional()),
      target: as("value", taskTarget.optional()),
      cleared: as("value", taskTarget.optional()),
      checkout: as("branch", branchUid.optional(), "bid"),
      seq: as("moment", z.int().min(0).max(highestSeq)),
      at_ms: as("value", time),
    },
  },
  counter: {
    table: "memory_counters",
    of: "workspace",
    keys: ["rid"],
    ordered: false,
    fields: {
      name: as("value", z.enum(["plan", "task", "step", "event", "job", "card"])),
      value: as("value", z.int().min(0).max(maxCount)),
    },
  },
  item: {
    table: "task_items",
    of: "workspace",
    keys: ["rid"],
    ordered: false,
    fields: {
      id: as("value", taskTarget),
      kind: as("value", z.enum(["plan", "task"])),
      number: as("value", count),
      parent: as("value", taskTarget.optional()),
      status: as("value", word),
      body: as("json", body),
    },
  },
  step: {
    table: "task_steps",
    of: "workspace",
    keys: ["rid"],
    ordered: false,
    fields: { task: as("value", taskTarget), step_id: as("value", word), body: as("json", body) },
  },
  task_event: {
    table: "task_events",
    of: "workspace",
    keys: ["rid"],
    ordered: false,
    fields: {
      number: as("value", count),
      target: as("value", taskTarget),
      seq: as("number", seq),
      ts_ms: as("value", time),
      body: as("json", body),
    },
  },
  job: {
    table: "task_jobs",
    of: "workspace",
    keys: ["rid"],
    ordered: false,
    fields: {
      id: as("value", word),
      number: as("value", count),
      status: as("value", word),
      rank: as("value", z.int().min(0).max(9)),
      lease_expires_at_ms: as("value", time.optional()),
      body: as("json", body),
    },
  },
  job_event: {
    table: "task_job_events",
    of: "workspace",
    keys: ["seq"],
    ordered: true,
    fields: {
      seq: as("number", seq),
      job: as("value", word),
      ts_ms: as("value", time),
      body: as("json", body),
    },
  },
  anchor: {
    table: "memory_anchors",
    of: "workspace",
    keys: ["rid"],
    ordered: false,
    fields: { id: as("value", z.string().regex(anchorPattern)), body: as("json", body) },
  },
  runner: {
    table: "task_runners",
    of: "workspace",
    keys: ["rid"],
    ordered: false,
    fields: { runner_id: as("value", word), body: as("json", body) },
  },
} as const satisfies Record<string, DumpTable>;

export type TableName = keyof typeof dumpTables;
export const tableNames = Object.keys(dumpTables) as TableName[];

type Fields<Name extends TableName> = (typeof dumpTables)[Name]["fields"];
type Optional<Value> = { [Key in keyof Value]: undefined extends Value[Key] ? Key : never }[keyof Value];
type WithOptional<Value> = Omit<Value, Optional<Value>> & Partial<Pick<Value, Optional<Value>>>;
type Placed<Name extends TableName> = (typeof dumpTables)[Name]["of"] extends "stream"
  ? { workspace: string; branch: string; doc: string; seq: number; ts_ms: number }
  : { workspace: string };

/** A row as it appears in a dump. */
export type TableLine<Name extends TableName> = Placed<Name> &
  WithOptional<{
    [Key in keyof Fields<Name>]: Fields<Name>[Key] extends Field<infer Schema> ? z.infer<Schema> : never;
  }>;

/**
 * A workspace has this prefix until its restore is complete. Callers cannot use the name, so they never see
 * an incomplete workspace.
 */
export const stagingPrefix = "restoring:";

export const describeTable = (name: TableName): DumpTable => dumpTables[name];

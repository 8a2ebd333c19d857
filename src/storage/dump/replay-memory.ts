import {
  describeTable,
  type FieldKind,
  stagingPrefix,
  type TableName,
} from "../../domain/memory/dump-tables.ts";
import {
  addEntry,
  type Deciding,
  type Draft,
  known,
  learn,
  maybeKnown,
  need,
  nextRow,
  openDoc,
  openStream,
  write,
} from "../../domain/memory/steps/draft.ts";
import { isUnwritten, layerOn, noteNewBranch, rowsOf } from "../../domain/memory/steps/facts.ts";
import { addVersions, contentOf } from "../../domain/memory/steps/graph-draft.ts";
import type { BranchRow, Need, Sequence, Writes } from "../../domain/memory/steps/rows.ts";
import type {
  AddedRow,
  BranchLine,
  CommitLine,
  EntryLine,
  MemoryLine,
  Replaying,
  VersionLine,
} from "../../ports/memory/memory-dump.ts";
import { ownNumber, rowOf, workspaceOf } from "./dump-memory.ts";
import { needAhead, ownScope } from "./replay-needs.ts";

/** Numbers above `after` are moved by `shift`. Later pieces have a higher `after` and no lower `shift`. */
type Piece = { after: number; shift: number };

/**
 * Maps a dump's numbers to numbers in this store. Each transaction takes the next free numbers, so that rows
 * from other writers keep their numbers. Gaps and the order are preserved. The value is replaced, never
 * changed, because a transaction may be restarted.
 */
export type Renumbering = { pieces: readonly Piece[]; last: number };

export const noNumbers: Renumbering = { pieces: [], last: 0 };

/** Keeps the numbers while no other writer takes one. Otherwise, moves the remaining ones above `floor`. */
function rebase({ pieces, last }: Renumbering, current: number, floor: number): Renumbering {
  const start = current === last ? current : Math.max(current, floor);
  const shift = start - last;
  return pieces.at(-1)?.shift === shift
    ? { pieces, last }
    : { pieces: [...pieces, { after: last, shift }], last };
}

/** Returns the new number of anything that the dump refers to, even if it no longer exists. */
function renumber({ pieces }: Renumbering, old: number): number {
  const piece = pieces.findLast(({ after }) => old > after);
  return piece ? old + piece.shift : old;
}

type Replay = {
  numbers: Renumbering;
  /** The number that the store's counter has reached. */
  reached: number;
  /** The drafts, keyed by the workspace name in the lines. All drafts use the same numbers and writes. */
  drafts: ReadonlyMap<string, Draft>;
  /** Rows that are waiting to be added to the tables in `dumpTables`, with the positions of their lines. */
  added: { row: AddedRow; line: number }[];
  problems: (string | undefined)[];
};

export type Replayed = { problems: readonly (string | undefined)[]; numbers: Renumbering };

export const noWorkspace = "belongs to no workspace";
const noBranch = "belongs to no branch";

/**
 * Replays every line through the rules for an ordinary write, but keeps its number and time. `floor` is the
 * last number in the dump.
 */
export function* replayLines(
  lines: readonly MemoryLine[],
  workspaces: Iterable<string>,
  before: Renumbering,
  floor: number,
  at: Date,
): Replaying<Replayed> {
  const numbers = { last: 0, counts: false, rows: {} };
  const writes: Writes = {};
  const draftOf = (name: string): Draft => {
    const workspace = stagingPrefix + name;
    return { workspace, at, by: undefined, facts: layerOn(undefined), numbers, writes, forgets: false };
  };
  const drafts = new Map([...workspaces].map((name) => [name, draftOf(name)]));
  const { last } = yield* readSequence();
  const replay: Replay = {
    numbers: rebase(before, last, floor),
    reached: last,
    drafts,
    added: [],
    problems: lines.map(() => undefined),
  };
  for (const part of partsOf(lines)) {
    for (const [name, draft] of drafts) {
      const own = part.flatMap(({ line }) => (workspaceOf(line) === name ? line : []));
      yield* carry(
        replay,
        draft,
        needAhead(draft, own, (old) => renumber(replay.numbers, old)),
      );
    }
    for (const { line, index } of part) replay.problems[index] = yield* replayLine(replay, line, index);
  }
  yield* flush(replay, writes);
  return { problems: replay.problems, numbers: replay.numbers };
}

export function* readSequence(): Replaying<Sequence> {
  const whole = { keys: [""], workspace: "", wid: undefined, scope: undefined } as const;
  const found = (yield { load: [{ kind: "sequence", ...whole }] }) as [[Sequence]];
  return found[0][0];
}

type Numbered = { line: MemoryLine; index: number };

/**
 * Splits the lines into parts. A new part starts after a branch with a base, because the view of such a branch can only
 * be read once the branch is written.
 */
function partsOf(lines: readonly MemoryLine[]): Numbered[][] {
  const parts: Numbered[][] = [];
  let part: Numbered[] = [];
  let isOver = false;
  for (const [index, line] of lines.entries()) {
    if (isOver && !("branch" in line)) {
      parts.push(part);
      [part, isOver] = [[], false];
    }
    part.push({ line, index });
    isOver ||= "branch" in line && line.branch.base !== undefined;
  }
  if (part.length > 0) parts.push(part);
  return parts;
}

/** Runs a rule and loads the facts that it needs. If they include pending writes, flushes those first. */
function* carry<Result>(replay: Replay, draft: Draft, deciding: Deciding<Result>): Replaying<Result> {
  for (let step = deciding.next(); ; step = deciding.next()) {
    if (step.done) return step.value;
    if ("needs" in step.value) throw new Error("a restore must not merge");
    const needs: readonly Need[] = step.value;
    if (needs.some((one) => isUnwritten(draft.facts, one))) yield* flush(replay, draft.writes);
    const found = (yield { load: needs }) as readonly (readonly unknown[])[];
    for (const [n, { kind, scope, keys }] of needs.entries())
      for (const [at, key] of keys.entries()) rowsOf(draft.facts, kind, scope).set(key, found[n]?.[at]);
  }
}

function* flush(replay: Replay, writes: Writes): Replaying<void> {
  const highest = renumber(replay.numbers, replay.numbers.last);
  if (highest > replay.reached) write({ writes }, "sequence", highest);
  replay.reached = Math.max(replay.reached, highest);
  if (Object.keys(writes).length > 0) {
    yield { apply: { ...writes } };
    for (const kind of Object.keys(writes) as (keyof Writes)[]) delete writes[kind];
  }
  const { added } = replay;
  if (added.length === 0) return;
  replay.added = [];
  const twice = (yield { add: added.map(({ row }) => row) }) as readonly number[];
  for (const position of twice) {
    const line = added[position]?.line;
    if (line !== undefined) replay.problems[line] = "appears twice";
  }
}

/** Replays a line. If that is not possible, returns the problem. */
function* replayLine(replay: Replay, line: MemoryLine, index: number): Replaying<string | undefined> {
  if ("workspace" in line) return undefined;
  const own = ownNumber(line);
  if (own !== undefined) {
    if (own <= replay.numbers.last) return "is out of order";
    replay.numbers = { ...replay.numbers, last: own };
  }
  const draft = replay.drafts.get(workspaceOf(line));
  // Another restore may have started and removed the staged data.
  if (!draft || !maybeKnown(draft, "workspace", "")?.found) return noWorkspace;
  if (own !== undefined) draft.numbers.last = renumber(replay.numbers, own) - 1;
  if ("branch" in line) return yield* carry(replay, draft, replayBranch(replay, draft, line.branch));
  if ("entry" in line) return yield* carry(replay, draft, replayEntry(replay, draft, line.entry));
  if ("commit" in line) return yield* carry(replay, draft, replayCommit(replay, draft, line.commit));
  if ("version" in line) return yield* carry(replay, draft, replayVersion(draft, line.version));
  const row = rowOf(line);
  if (!row) return undefined;
  const columns = yield* carry(replay, draft, columnsOf(replay, draft, row.name, row.fields));
  if (typeof columns === "string") return columns;
  replay.added.push({ row: { of: row.name, columns }, line: index });
  return undefined;
}

function* replayBranch(replay: Replay, draft: Draft, line: BranchLine): Deciding<string | undefined> {
  const uids = line.base === undefined ? [line.uid] : [line.uid, line.base];
  yield* need(draft, { kind: "branchByUid", keys: uids }, { kind: "branch", keys: [line.name] });
  const base = line.base === undefined ? undefined : known(draft, "branchByUid", line.base);
  if (line.base !== undefined && !base) return "has no base branch";
  if (known(draft, "branchByUid", line.uid)) return "appears twice";
  const isLive = line.deleted_at_ms === undefined;
  if (isLive && known(draft, "branch", line.name)) return "has the same name as another branch";
  const baseSeq = base ? (line.base_seq ?? 0) : 0;
  if (base && baseSeq < replay.numbers.last) return "is out of order";
  if (base) replay.numbers = { ...replay.numbers, last: baseSeq };
  const branch: BranchRow = {
    bid: yield* nextRow(draft, "branch"),
    uid: line.uid,
    name: line.name,
    base: base?.bid,
    baseSeq: renumber(replay.numbers, baseSeq),
    depth: base ? base.depth + 1 : 0,
    createdAtMs: line.created_at_ms,
    deletedAtMs: line.deleted_at_ms,
  };
  write(draft, "branch", { ...branch, wid: widOf(draft), erased: line.erased ?? false });
  noteNewBranch(draft.facts, branch);
  learn(draft, "branchByUid", branch.uid, branch);
  if (isLive) learn(draft, "branch", branch.name, branch);
  if (base && !line.erased) learn(draft, "branchedAt", base.bid, branch.baseSeq);
  return undefined;
}

function widOf(draft: Draft): number {
  const found = known(draft, "workspace", "");
  if (!found) throw new Error(`the workspace ${draft.workspace} is gone`);
  return found.wid;
}

function* branchOf(draft: Draft, uid: string): Deciding<BranchRow | undefined> {
  yield* need(draft, { kind: "branchByUid", keys: [uid] });
  return known(draft, "branchByUid", uid);
}

function* replayEntry(replay: Replay, draft: Draft, line: EntryLine): Deciding<string | undefined> {
  const { seq, ts_ms, origin = seq, source_event_id: event } = line;
  const branch = yield* branchOf(draft, line.branch);
  if (!branch) return noBranch;
  yield* need(draft, { kind: "doc", keys: [line.doc] });
  const doc = known(draft, "doc", line.doc);
  if (event !== undefined && doc !== undefined) {
    const scope = ownScope(branch.bid, doc);
    yield* need(draft, { kind: "source", keys: [event], scope });
    if (known(draft, "source", event, scope)) return "appears twice";
  }
  const entry = yield* addEntry({ ...draft, at: new Date(ts_ms) }, branch, line.doc, line, {
    seq: renumber(replay.numbers, origin),
    event,
  });
  learn(draft, "recorded", entry.seq, { isCommit: false });
  return undefined;
}

function* replayCommit(replay: Replay, draft: Draft, line: CommitLine): Deciding<string | undefined> {
  const seq = renumber(replay.numbers, line.seq);
  const parent = line.parent === undefined ? undefined : renumber(replay.numbers, line.parent);
  yield* need(draft, { kind: "recorded", keys: [seq] });
  const entry = known(draft, "recorded", seq);
  if (!entry) return "does not follow an entry";
  if (entry.isCommit) return undefined;
  write(draft, "commit", { seq, parent });
  learn(draft, "recorded", seq, { isCommit: true });
  return undefined;
}

function* replayVersion(draft: Draft, line: VersionLine): Deciding<string | undefined> {
  const branch = yield* branchOf(draft, line.branch);
  if (!branch) return noBranch;
  const seq = yield* addVersions({ ...draft, at: new Date(line.ts_ms) }, branch, line.doc, [
    contentOf(line.state),
  ]);
  const before = line.keeps && draft.writes.superseded?.findLast(({ by }) => by === seq);
  // The dump marks the previous version as still visible, so it must stay visible here too.
  if (before) Object.assign(before, { hidden: false, facets: [] });
  return undefined;
}

type Columns = AddedRow["columns"];

function* columnsOf(
  replay: Replay,
  draft: Draft,
  name: TableName,
  line: Record<string, unknown>,
): Deciding<Columns | string> {
  const { of, fields } = describeTable(name);
  yield* need(draft);
  const columns = new Map<string, string | number | null>();
  if (of === "workspace") columns.set("wid", widOf(draft));
  if (of === "stream") {
    const branch = yield* branchOf(draft, String(line["branch"]));
    if (!branch) return noBranch;
    const seq = renumber(replay.numbers, Number(line["seq"]));
    columns.set("seq", seq).set("bid", branch.bid);
    columns.set("doc", yield* openStream(draft, branch, String(line["doc"]), "log", seq));
    columns.set("ts_ms", Number(line["ts_ms"]));
  }
  for (const [field, { kind, column = field }] of Object.entries(fields)) {
    const value = yield* encode(replay, draft, kind, line[field]);
    if (typeof value === "object" && value !== null) return value.problem;
    columns.set(column, value);
  }
  return columns;
}

function* encode(
  { numbers }: Replay,
  draft: Draft,
  kind: FieldKind,
  value: unknown,
): Deciding<string | number | null | { problem: string }> {
  if (value === undefined) return null;
  switch (kind) {
    case "value":
      return typeof value === "number" ? value : String(value);
    case "json":
      return JSON.stringify(value);
    case "number":
      return renumber(numbers, Number(value));
    case "moment":
      // A moment cannot be later than the last number replayed so far. Higher numbers in this store may
      // belong to other writers.
      return renumber(numbers, Math.min(Number(value), numbers.last));
    case "commit": {
      const seq = renumber(numbers, Number(value));
      yield* need(draft, { kind: "recorded", keys: [seq] });
      return known(draft, "recorded", seq)?.isCommit ? seq : { problem: "does not refer to a commit" };
    }
    case "branch":
      return (yield* branchOf(draft, String(value)))?.bid ?? { problem: noBranch };
    case "doc":
      return yield* openDoc(draft, String(value));
  }
}

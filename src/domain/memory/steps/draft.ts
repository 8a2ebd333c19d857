import { largest } from "../../../kernel/numbers.ts";
import type { Agent } from "../agents.ts";
import type { Entry, NewEntry } from "../entry.ts";
import { noCheckout, unknownBranch } from "../failures.ts";
import type { MergeRound } from "../merge/merge-questions.ts";
import { knownNothing, type Layer, lookUp, nameOf, noteNewDoc, rowsOf, unknownKeys } from "./facts.ts";
import type {
  BranchRow,
  Counter,
  EntryRow,
  FactKind,
  FactKinds,
  Form,
  Need,
  WriteKind,
  WriteKinds,
  Writes,
} from "./rows.ts";

/**
 * The seqs and row numbers assigned so far. `counts` is true if something other than an entry took a seq, so the
 * counter must advance.
 */
export type Numbers = { last: number; counts: boolean; rows: { [Name in Table]?: number } };

type Table = FactKinds["lastRow"]["key"];

/**
 * The state of a step while its writes are being computed. The step has no effects outside the draft, so the
 * draft can be dropped and the writes computed again.
 */
export type Draft = {
  workspace: string;
  at: Date;
  by: Agent | undefined;
  facts: Layer;
  numbers: Numbers;
  writes: Writes;
  /**
   * True if the draft does not include all changes of the steps so far, so the next step must read from the
   * store.
   */
  forgets: boolean;
};

/** Yields requests for facts. Each yield is one round trip. Merges have their own queries. */
export type Deciding<Result> = Generator<readonly Need[] | MergeRound, Result, unknown>;

type Wanted = {
  [Kind in FactKind]: {
    kind: Kind;
    keys: readonly FactKinds[Kind]["key"][];
  } & (FactKinds[Kind]["scope"] extends undefined
    ? { scope?: undefined }
    : { scope: FactKinds[Kind]["scope"] });
}[FactKind];

/**
 * Returns the round that loads the unknown facts, or no round. After `yield* need(…)`, all wanted facts and the
 * workspace are known. For speed, this is not a generator: usually no fact is missing.
 */
export function need(draft: Draft, ...wanted: readonly (Wanted | undefined)[]): readonly (readonly Need[])[] {
  const { facts, workspace } = draft;
  const needs: Need[] = [];
  const known = lookUp(facts, "workspace", undefined, "");
  const wid = (known?.found as FactKinds["workspace"]["found"])?.wid;
  if (!known) needs.push({ kind: "workspace", keys: [""], scope: undefined, workspace, wid });
  for (const one of wanted) {
    if (one === undefined) continue;
    const { kind, scope } = one;
    const keys = unknownKeys<string | number>(facts, kind, scope, one.keys);
    if (keys.length > 0) needs.push({ kind, scope, keys, workspace, wid } as Need);
  }
  return needs.length > 0 ? [needs] : [];
}

type ScopeOf<Kind extends FactKind> = FactKinds[Kind]["scope"] extends undefined
  ? []
  : [scope: FactKinds[Kind]["scope"]];

/** Returns a fact, or `undefined` if it has not been loaded. */
export function maybeKnown<Kind extends FactKind>(
  draft: Pick<Draft, "facts">,
  kind: Kind,
  key: FactKinds[Kind]["key"],
  ...scope: ScopeOf<Kind>
): { found: FactKinds[Kind]["found"] } | undefined {
  const { facts } = draft;
  const fact = lookUp(facts, kind, scope[0], key) ?? knownNothing(facts, kind, scope[0]);
  return fact as { found: FactKinds[Kind]["found"] } | undefined;
}

export function known<Kind extends FactKind>(
  draft: Pick<Draft, "facts">,
  kind: Kind,
  key: FactKinds[Kind]["key"],
  ...scope: ScopeOf<Kind>
): FactKinds[Kind]["found"] {
  const fact = maybeKnown(draft, kind, key, ...scope);
  if (!fact) throw new Error(`${nameOf(kind, scope[0])} ${key} was not loaded`);
  return fact.found;
}

/** Records a fact, so that later steps see it too. */
export function learn<Kind extends FactKind>(
  draft: Pick<Draft, "facts">,
  kind: Kind,
  key: FactKinds[Kind]["key"],
  found: FactKinds[Kind]["found"],
  ...scope: ScopeOf<Kind>
): void {
  rowsOf(draft.facts, kind, scope[0]).set(key, found);
}

export function write<Kind extends WriteKind>(
  draft: Pick<Draft, "writes">,
  kind: Kind,
  row: WriteKinds[Kind],
): void {
  const rows = (draft.writes as { [K in WriteKind]?: WriteKinds[K][] })[kind] as
    | WriteKinds[Kind][]
    | undefined;
  if (rows) rows.push(row);
  else (draft.writes as Record<string, unknown>)[kind] = [row];
}

export const hasWrites = (writes: Writes): boolean => {
  for (const _kind in writes) return true;
  return false;
};

export function addWrites(all: Writes, more: Writes): void {
  for (const [kind, rows] of Object.entries(more) as [WriteKind, never[]][]) {
    const known = all[kind] as never[] | undefined;
    if (known) for (const row of rows) known.push(row);
    else (all as Record<string, unknown>)[kind] = rows;
  }
}

/** Returns the last seq of the new versions, or 0 if there are none. */
export const lastVersionIn = ({ version = [] }: Writes): number => largest(version.map(({ seq }) => seq));

/** Records that the agent wrote at this time. */
export function keepHeard(draft: Draft): void {
  for (const row of agentRows(draft)) {
    write(draft, "agent", row);
    learn(draft, "heard", row.key, row.atMs);
  }
}

/** Records that the agent was notified that its focus was cleared. */
export function keepTold(draft: Draft, target: string): void {
  for (const { wid, key } of agentRows(draft)) write(draft, "focusTold", { wid, key, target });
}

/** Sets the agent's own focus or checkout. */
export function keepPlace(draft: Draft, place: { target?: string | null; bid?: number | null }): void {
  for (const row of agentRows(draft)) write(draft, "agentPlace", { ...row, ...place });
}

function agentRows(draft: Draft): WriteKinds["agent"][] {
  const { by, numbers, at } = draft;
  if (!by) return [];
  const heard = { wid: workspaceOf(draft).wid, agentId: by.name, seq: numbers.last, atMs: at.getTime() };
  return by.keys.map((key) => ({ ...heard, key }));
}

export function nextSeq({ numbers }: Draft): number {
  numbers.counts = true;
  return ++numbers.last;
}

export function workspaceOf(draft: Draft) {
  const row = known(draft, "workspace", "");
  if (!row) throw new Error(`The workspace ${draft.workspace} does not exist.`);
  return row;
}

export const wantBranch = (name: string | undefined): Wanted | undefined =>
  name === undefined ? undefined : { kind: "branch", keys: [name] };

/** Returns the branch with this name, or the checkout if there is no name. */
export function branchOrCheckout(draft: Draft, name: string | undefined): BranchRow {
  if (name !== undefined) return requireBranch(draft, name);
  const { checkout } = workspaceOf(draft);
  if (!checkout) throw noCheckout(draft.workspace);
  return checkout;
}

export function requireBranch(draft: Draft, name: string): BranchRow {
  const branch = known(draft, "branch", name);
  if (!branch) throw unknownBranch(name, draft.workspace);
  return branch;
}

/**
 * Returns the number of the document that the branch is about to write to. `seq` is the first seq that the
 * branch writes to this document.
 */
export function* openStream(
  draft: Draft,
  { bid }: Pick<BranchRow, "bid">,
  name: string,
  form: Form,
  seq: number,
): Deciding<number> {
  yield* need(draft, { kind: form, keys: [name], scope: { bid } });
  const stream = known(draft, form, name, { bid });
  if (stream.doc !== undefined && stream.isOpen) return stream.doc;
  const doc = stream.doc ?? (yield* openDoc(draft, name));
  write(draft, "stream", { bid, doc, form, firstSeq: seq });
  learn(draft, form, name, { doc, isOpen: true }, { bid });
  return doc;
}

/** Returns a document's number. Creates the document if neither the store nor the batch has it. */
export function* openDoc(draft: Draft, name: string): Deciding<number> {
  yield* need(draft, { kind: "doc", keys: [name] });
  const there = known(draft, "doc", name);
  if (there !== undefined) return there;
  const doc = yield* nextRow(draft, "doc");
  write(draft, "doc", { doc, wid: workspaceOf(draft).wid, name });
  noteNewDoc(draft.facts, doc);
  learn(draft, "doc", name, doc);
  return doc;
}

export function* nextRow(draft: Draft, table: Table): Deciding<number> {
  if (draft.numbers.rows[table] === undefined) yield* need(draft, { kind: "lastRow", keys: [table] });
  const number = (draft.numbers.rows[table] ?? known(draft, "lastRow", table)) + 1;
  draft.numbers.rows[table] = number;
  return number;
}

/** Marks numbers up to and including `last` as taken. */
export function takeNumbers(draft: Draft, name: Counter, last: number): void {
  if (last <= known(draft, "counter", name)) return;
  write(draft, "counter", { wid: workspaceOf(draft).wid, name, value: last });
  learn(draft, "counter", name, last);
}

/** The origin of an entry: the entry it copies, the event that wrote it, or a step that only appended it. */
type Origin = { seq?: number; event?: string | undefined; appended?: true };

export function* addEntry(
  draft: Draft,
  branch: BranchRow,
  docName: string,
  entry: NewEntry,
  origin: Origin = {},
): Deciding<Entry> {
  const seq = ++draft.numbers.last;
  const doc = yield* openStream(draft, branch, docName, "log", seq);
  const tsMs = draft.at.getTime();
  const row: EntryRow = {
    seq,
    doc,
    bid: branch.bid,
    kind: entry.kind,
    title: entry.title,
    format: entry.format,
    meta: entry.meta,
    content: entry.content,
    agentId: entry.agent_id,
    tsMs,
    origin: origin.seq ?? seq,
    sourceEventId: origin.event,
    appendedOn: origin.appended && branch.name,
  };
  write(draft, "entry", row);
  if (origin.event !== undefined) learnSource(draft, row, origin.event);
  return toEntry(row, branch.name, docName);
}

function learnSource(draft: Draft, { seq, bid, doc, meta = {} }: EntryRow, source: string): void {
  const scope = { bid, doc, lineage: [] };
  if (!maybeKnown(draft, "source", source, scope)?.found)
    learn(draft, "source", source, { seq, meta }, scope);
}

function toEntry(row: EntryRow, branch: string, doc: string): Entry {
  const { seq, tsMs, kind, title, format, meta, content, agentId, sourceEventId } = row;
  return {
    seq,
    ts: new Date(tsMs).toISOString(),
    ts_ms: tsMs,
    branch,
    doc,
    kind,
    ...(title !== undefined && { title }),
    ...(format !== undefined && { format }),
    ...(meta !== undefined && { meta }),
    content,
    ...(agentId !== undefined && { agent_id: agentId }),
    ...(sourceEventId !== undefined && { source_event_id: sourceEventId }),
  };
}

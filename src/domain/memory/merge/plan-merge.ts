import { canonicalJson } from "../../../kernel/json/canonical-json.ts";
import { memoryFailure } from "../failures.ts";
import type { Tally } from "../graph/plan-versions.ts";
import type { GraphState } from "../graph.ts";
import { mergeLimits } from "../limits.ts";
import type { Conflict, GraphMergeOutcome } from "../steps/outcomes.ts";
import { nodeFacets } from "../views/selection.ts";
import {
  decideMerge,
  type FoundConflict,
  type MergeDecision,
  type MergeKey,
  type OpenConflict,
} from "./decide-merge.ts";
import { copyFactBook, type FactBook, factsOf, lookAt, newFactBook, shapeOf, tornKeys } from "./fact-book.ts";
import {
  ask,
  type BranchRef,
  type Changed,
  type MergeAnswers,
  type MergeRounds,
  type NodeMarks,
  pause,
  type Replacement,
  slicesOf,
} from "./merge-questions.ts";
import { type MergeSides, pairSides } from "./merge-sides.ts";

/**
 * If `limit` is absent, all keys are merged. If there are more keys than one call accepts, the merge is
 * refused.
 */
export type AskedMerge = {
  workspace: string;
  from: BranchRef;
  into: BranchRef;
  doc: string;
  after: number;
  limit?: number | undefined;
};

/** The facts for writing a key to the target. */
export type AppliedKey = {
  fields: number;
  held: { seq: number; own: boolean; deleted: boolean; replaces: number | undefined } | undefined;
  facets: readonly string[];
  /** The facets of the replaced version, if the target wrote it itself. */
  heldFacets: readonly string[];
};

export type MergePlan = {
  asked: AskedMerge;
  sides: MergeSides;
  /** The keys of this page, in the order in which the source changed them. */
  page: readonly Changed[];
  start: number;
  /** How many keys before the page are already settled. */
  settled: number;
  open: readonly OpenConflict[];
  tally: Tally;
  book: FactBook;
  decision: MergeDecision;
  applied: ReadonlyMap<string, AppliedKey>;
  /** How the applied keys change the counts. Computed early, so that publishing a large merge is quick. */
  counts: ChangeCounts;
  /** New conflicts, by key. */
  collisions: ReadonlyMap<string, Conflict>;
  lastSeq: number;
  hasMore: boolean;
};

/**
 * Plans the merge of a page. Returns `undefined` if the page has more than `atOnce` keys, because that is too
 * many for one transaction.
 */
export function* planMerge(
  asked: AskedMerge,
  at: Date,
  { atOnce, slice = mergeLimits.transaction }: { atOnce?: number | undefined; slice?: number } = {},
): MergeRounds<MergePlan | undefined> {
  const { from, into, doc: docName, after, limit = mergeLimits.keys } = asked;
  const { sides: found } = yield* ask({ sides: { from, into, doc: docName } });
  const sides = pairSides(asked, found);
  const { doc, mark, since, lastSeq: upTo } = sides;
  const branch = sides.from.branch;
  const start = Math.max(after, mark);
  const counted = Math.max(after, since);
  const wanted = Math.min(limit, atOnce ?? limit) + 1;
  const first = yield* ask({
    changed: { doc, branch, after: start, upTo, limit: Math.min(wanted, mergeLimits.listed) },
    counted: counted < start ? { doc, branch, after: counted, upTo: start } : undefined,
    open: { doc, from: branch, into: sides.into.branch, after: mark },
    tally: { doc, view: sides.into.view },
  });
  const changed = [...first.changed];
  while (changed.length < wanted && changed.length % mergeLimits.listed === 0 && changed.length > 0) {
    const behind = changed.at(-1)?.seq ?? start;
    const limit = Math.min(wanted - changed.length, mergeLimits.listed);
    const more = yield* ask({ changed: { doc, branch, after: behind, upTo, limit } });
    changed.push(...more.changed);
    if (more.changed.length < limit) break;
  }
  if (atOnce !== undefined && limit > atOnce && changed.length > atOnce) return undefined;
  const hasMore = changed.length > limit;
  if (hasMore && asked.limit === undefined) {
    const { counted: all } = yield* ask({ counted: { doc, branch, after: start, upTo } });
    const names = { from: sides.from.name, into: sides.into.name, doc: docName };
    throw memoryFailure("merge_too_large", {
      ...names,
      workspace: asked.workspace,
      keys: all.keys,
      max: limit,
    });
  }
  const page = hasMore ? changed.slice(0, limit) : changed;
  const open = openConflicts(first.open);
  const book = newFactBook();
  let others = tornKeys(open);
  if (page.length === 0 && others.length > 0) yield* lookAt(sides, book, [], others);
  for (const some of slicesOf(page, slice)) {
    yield* lookAt(
      sides,
      book,
      some.map(({ key }) => key),
      others,
    );
    others = [];
    yield { needs: {}, done: some.length / 4, total: page.length };
  }
  const facts = factsOf(sides, page, book, open);
  if (page.length > slice) yield pause;
  const decision = yield* decideMerge(facts, mergeLimits.decided);
  if (page.length > slice) yield pause;
  const news = decision.conflicts.filter(({ isNew }) => isNew);
  const { applied, collisions, counts } = yield* describeAll(sides, decision.apply, news, at, slice);
  const settled = first.counted ?? { keys: 0, lastSeq: after };
  return {
    asked,
    sides,
    page,
    start,
    open,
    tally: first.tally,
    book,
    decision,
    applied,
    counts,
    collisions,
    hasMore,
    settled: settled.keys,
    lastSeq: page.at(-1)?.seq ?? (settled.keys > 0 ? settled.lastSeq : after),
  };
}

function openConflicts(found: MergeAnswers<{ open: never }>["open"]): OpenConflict[] {
  return found.map(({ id, key, hasNews }) => {
    const { ends } = shapeOf(key);
    return { id, key, ...(!hasNews && ends && { ends }) };
  });
}

type Described = {
  applied: Map<string, AppliedKey>;
  counts: ChangeCounts;
  collisions: Map<string, Conflict>;
};

/** Loads the facts for writing the keys, and the contents of conflicts, in one round. Loads many keys in slices. */
function* describeAll(
  sides: MergeSides,
  apply: readonly MergeKey[],
  found: readonly FoundConflict[],
  at: Date,
  slice: number,
): MergeRounds<Described> {
  const described: Described = { applied: new Map(), counts: { ...noChanges }, collisions: new Map() };
  for (let from = 0; from < Math.max(apply.length, found.length); from += slice) {
    const [keys, news] = [apply.slice(from, from + slice), found.slice(from, from + slice)];
    const pairs = keys.map(({ theirs, ours }) => ({ theirs: theirs?.seq ?? 0, ours: ours?.seq }));
    const seqs = news.flatMap(({ at: { base, theirs, ours } }) =>
      [base, theirs, ours].flatMap((mark) => mark?.seq ?? []),
    );
    const { replacements = [], states = new Map() } = yield* ask(
      {
        replacements: pairs.length > 0 ? { pairs } : undefined,
        states: seqs.length > 0 ? { seqs: [...new Set(seqs)] } : undefined,
      },
      (keys.length + news.length) / 4,
    );
    for (const [n, key] of keys.entries()) {
      const applied = describeApplied(sides, key, replacements[n]);
      described.applied.set(key.key, applied);
      countChange(described.counts, key, applied, 1);
    }
    for (const conflict of news)
      described.collisions.set(conflict.at.key, describeConflict(sides, conflict, states, at));
  }
  return described;
}

const facetsOf = (found: NodeMarks | undefined): string[] => (found ? [...new Set(nodeFacets(found))] : []);

function describeApplied(
  { into }: MergeSides,
  { key, ours }: MergeKey,
  replacement: Replacement | undefined,
): AppliedKey {
  if (!replacement) throw new Error(`The version that ${key} replaces was not loaded.`);
  const { held, found } = replacement;
  const own = held?.branch === into.branch;
  return {
    fields: countFields(replacement),
    held: held && ours && { seq: ours.seq, own, deleted: held.deleted, replaces: held.replaces },
    facets: facetsOf(found),
    heldFacets: own ? facetsOf(held.found) : [],
  };
}

function describeConflict(
  { from, into, docName }: MergeSides,
  { id, at: { key, kind, base, theirs, ours } }: FoundConflict,
  states: ReadonlyMap<number, GraphState>,
  at: Date,
): Conflict {
  const [was, comes, is] = [base, theirs, ours].map((mark) => (mark && states.get(mark.seq)) ?? null);
  return {
    conflict_id: id,
    kind,
    key,
    from: from.name,
    into: into.name,
    doc: docName,
    status: "preview",
    base: was ?? null,
    theirs: comes ?? absent(is, key),
    ours: is ?? null,
    created_at_ms: at.getTime(),
  };
}

/** Returns the source's side of a conflict about an edge that the source never had. */
function absent(ours: GraphState | null | undefined, key: string): GraphState {
  if (!ours) throw new Error(`Neither side of the conflict about ${key} has a version.`);
  return { ...ours, deleted: true };
}

export const newConflicts = ({ decision, collisions }: MergePlan): Conflict[] =>
  decision.conflicts.flatMap(({ isNew, at }) => (isNew ? (collisions.get(at.key) ?? []) : []));

/** Returns the outcome that the merge would have if it were written now. */
export function previewOf(plan: MergePlan): GraphMergeOutcome {
  const { decision, page, settled, counts, open, lastSeq, hasMore } = plan;
  return {
    merged: decision.apply.length,
    skipped: settled + decision.skipped,
    looked: settled + page.length,
    total: page.length,
    conflicts: newConflicts(plan),
    conflictsOpen: open.length,
    summary: { ...counts, conflicts: decision.conflicts.length },
    lastSeq,
    hasMore,
  };
}

/** Returns the outcome of the merge after it is written. */
export function outcomeOf(plan: MergePlan): GraphMergeOutcome {
  const outcome = previewOf(plan);
  const conflicts = outcome.conflicts.map((conflict) => ({ ...conflict, status: "open" as const }));
  const { moot } = plan.decision;
  return { ...outcome, conflicts, conflictsOpen: plan.open.length - moot.length + conflicts.length };
}

/**
 * Brings an earlier plan up to date. Returns the same plan if neither branch changed, and `undefined` if too much
 * changed.
 */
export function* reviseMerge(plan: MergePlan, at: Date): MergeRounds<MergePlan | undefined> {
  const { asked, page, sides: before } = plan;
  const [from, into] = [{ branch: before.from.branch }, { branch: before.into.branch }];
  const { sides: found } = yield* ask({ sides: { from, into, doc: asked.doc } });
  const sides = pairSides({ ...asked, from, into }, found);
  if (sides.branchedAt !== before.branchedAt) return undefined;
  const { doc, lastSeq: upTo, mark } = sides;
  const ranges = [from, into].map(({ branch }) => ({ branch, after: before.lastSeq, upTo }));
  const now = yield* ask({
    written: { doc, ranges, limit: mergeLimits.transaction + 1 },
    open: { doc, from: from.branch, into: into.branch, after: mark },
    tally: { doc, view: sides.into.view },
  });
  const { written: changed, tally } = now;
  if (changed.length > mergeLimits.transaction) return undefined;
  const open = openConflicts(now.open);
  if (changed.length === 0 && isSame(open, plan.open)) return { ...plan, sides, tally };
  const book = copyFactBook(plan.book);
  const isMerged = new Set(page.map(({ key }) => key));
  const again = changed.filter((key) => isMerged.has(key));
  yield* lookAt(sides, book, again, [...changed, ...tornKeys(open)]);
  for (const key of changed) if (shapeOf(key).kind === "edge") book.edgesHere.add(key);
  const decision = yield* decideMerge(factsOf(sides, page, book, open));
  const { added, withdrawn } = compareDecisions(plan.decision, decision);
  const described = new Set(
    plan.decision.conflicts.flatMap(({ at }) => (plan.collisions.has(at.key) ? at : [])),
  );
  const news = decision.conflicts.filter(({ isNew, at }) => isNew && !described.has(at));
  const fresh = yield* describeAll(sides, added, news, at, mergeLimits.transaction);
  const counts = { ...plan.counts };
  for (const key of withdrawn) countChange(counts, key, plan.applied.get(key.key), -1);
  for (const key of added) countChange(counts, key, fresh.applied.get(key.key), 1);
  const applied = new Map([...plan.applied, ...fresh.applied]);
  const collisions = new Map([...plan.collisions, ...fresh.collisions]);
  return { ...plan, sides, open, tally, book, decision, applied, counts, collisions };
}

const isSame = (some: readonly OpenConflict[], others: readonly OpenConflict[]): boolean => {
  const ids = new Set(others.map(({ id }) => id));
  return some.length === others.length && some.every(({ id }) => ids.has(id));
};

export type MergeRevision = {
  /** Planned keys that are no longer applied, or are applied differently. */
  withdrawn: MergeKey[];
  /** Keys that are newly applied, or applied differently. */
  added: MergeKey[];
};

/** Compares the decision made for the plan with the decision made for publication. */
export function compareDecisions(before: MergeDecision, after: MergeDecision): MergeRevision {
  if (before === after) return { withdrawn: [], added: [] };
  return { withdrawn: without(before.apply, after.apply), added: without(after.apply, before.apply) };
}

function without(some: readonly MergeKey[], others: readonly MergeKey[]): MergeKey[] {
  const known = new Map(others.map((other) => [other.key, other]));
  return some.filter(({ key, theirs, ours }) => {
    const other = known.get(key);
    return !other || other.theirs?.seq !== theirs?.seq || other.ours?.seq !== ours?.seq;
  });
}

/** The stored differences between an incoming version and the version it replaces. */
type StoredDifference = {
  /** Fields that are stored differently, except `meta`. */
  fields: readonly string[];
  /** Both values of `meta`, if they are stored differently. */
  meta?: readonly [unknown, unknown] | undefined;
};

type ChangeCounts = {
  nodes_changed: number;
  edges_changed: number;
  node_fields_changed: number;
  edge_fields_changed: number;
};

/** Counts the fields that differ. Compares `meta` in canonical form, because key order does not matter. */
function countFields({ fields, meta }: StoredDifference): number {
  if (!meta) return fields.length;
  const [incoming, held] = meta;
  const isSame =
    incoming !== undefined && held !== undefined && canonicalJson(incoming) === canonicalJson(held);
  return fields.length + (isSame ? 0 : 1);
}

const noChanges: ChangeCounts = {
  nodes_changed: 0,
  edges_changed: 0,
  node_fields_changed: 0,
  edge_fields_changed: 0,
};

function countChange(
  counts: ChangeCounts,
  { kind }: MergeKey,
  applied: AppliedKey | undefined,
  by: 1 | -1,
): void {
  const fields = by * (applied?.fields ?? 0);
  if (kind === "node") {
    counts.nodes_changed += by;
    counts.node_fields_changed += fields;
  } else {
    counts.edges_changed += by;
    counts.edge_fields_changed += fields;
  }
}

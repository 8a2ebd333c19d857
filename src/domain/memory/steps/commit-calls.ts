import { ThoughtboxError } from "../../../kernel/errors.ts";
import { checkSameWrite, onceScopes } from "../../ledger/requests.ts";
import type { Agent } from "../agents.ts";
import type { MergeNeeds, MergeRound } from "../merge/merge-questions.ts";
import { hasWorkspace, openWorkspace } from "./branches.ts";
import { changeOf, type MemoryChange } from "./changes.ts";
import {
  addWrites,
  type Deciding,
  type Draft,
  hasWrites,
  keepHeard,
  keepTold,
  known,
  lastVersionIn,
  learn,
  type Numbers,
  need,
  nextSeq,
  workspaceOf,
  write,
} from "./draft.ts";
import {
  combineNeeds,
  dropPassing,
  isAboutNew,
  isUnwritten,
  keepLayer,
  type Layer,
  layerOn,
  rowsOf,
} from "./facts.ts";
import type { Need, Sequence, Writes } from "./rows.ts";
import { decideStep } from "./rules.ts";
import type { MemoryStep, StepName } from "./step.ts";

export type CommitCall = {
  workspace: string;
  steps: readonly MemoryStep[];
  at: Date;
  by?: Agent | undefined;
  once?: { key: string; fingerprint: string } | undefined;
  /** Binds the workspace to a project at its first write. */
  projectGuard?: string | undefined;
  /** The project that a new workspace belongs to. */
  project?: string | undefined;
  agent?: string | undefined;
  /** The caller's former focus. The answer reports that this focus was cleared. */
  clearedFocus?: string | undefined;
};

export type RecordedChange = { seq: number; change: MemoryChange };

export type CallResult =
  | { outcomes: readonly unknown[]; changes: readonly RecordedChange[]; refused?: undefined }
  | { refused: ThoughtboxError };

/**
 * What the store must do next in its transaction. The reply to `load` contains the facts for each need, in the order of
 * its keys. The reply to `ask` contains the results of a merge's queries.
 */
export type Request =
  | { load: readonly Need[] }
  | { apply: Writes }
  | { ask: MergeNeeds; workspace: string; wid: number }
  | { savepoint: "set" | "undo" | "release" };

type Committing<Result> = Generator<Request, Result, unknown>;

/** State shared by the calls of one transaction. */
type Batch = {
  /** The loaded facts of each workspace. */
  loaded: Map<string, Layer>;
  /** The writes of calls that are already processed. */
  pending: Writes;
  numbers: Numbers;
  /** The first seq that a large merge reserved. */
  mergeFrom: number | undefined;
  /** True if the known facts are outdated. Pending rows must be written before facts are read again. */
  isStale: boolean;
  /** True if the transaction contains a single call. */
  isAlone: boolean;
  /**
   * True if the transaction contains nothing but this batch. If its call is refused, the caller rolls back,
   * so no savepoint is needed.
   */
  isOnly: boolean;
};

/** The call being decided. The call needs a savepoint only if part of it is written early. */
type Own = {
  call: CommitCall;
  draft: Draft;
  changes: RecordedChange[];
  hasSavepoint: boolean;
  /** The last seq of a version that is written early. */
  lastVersion: number;
  /** The call's first step, if it has already yielded its needs. */
  begun: Deciding<unknown> | undefined;
};

/**
 * Processes the calls of one transaction in order. Each call takes effect completely or not at all, and sees
 * the effects of earlier calls. Loads all needs in one batch and writes all rows in one batch. If `isOnly`,
 * the transaction contains nothing else. A refused call then throws, and the caller rolls back.
 */
export function commitCalls(calls: readonly CommitCall[], isOnly: boolean): Committing<CallResult[]> {
  const [only] = calls;
  const isAlone = calls.length === 1 && only !== undefined;
  const batch: Batch = {
    loaded: new Map(),
    pending: {},
    numbers: { last: 0, counts: false, rows: {} },
    mergeFrom: undefined,
    isStale: false,
    isAlone,
    isOnly,
  };
  return isAlone ? commitAlone(batch, only) : commitInOrder(batch, calls);
}

function* commitInOrder(batch: Batch, calls: readonly CommitCall[]): Committing<CallResult[]> {
  yield* loadAhead(batch, calls);
  const results: CallResult[] = [];
  for (const call of calls) results.push(yield* settleCall(batch, createOwn(batch, call)));
  yield* flush(batch, undefined);
  return results;
}

function* commitAlone(batch: Batch, call: CommitCall): Committing<CallResult[]> {
  const own = createOwn(batch, call);
  const needs = beginFirst(own);
  noteFound(batch, needs, yield { load: needs });
  takeSequence(batch, own);
  if (!batch.isOnly) {
    const result = yield* settleCall(batch, own);
    yield* flush(batch, undefined);
    return [result];
  }
  const outcomes = yield* doSteps(batch, own);
  if (hasWrites(own.draft.writes)) yield { apply: own.draft.writes };
  return [{ outcomes, changes: own.changes }];
}

function createOwn(batch: Batch, call: CommitCall): Own {
  const loaded = loadedIn(batch, call.workspace);
  const facts = batch.isAlone ? loaded : layerOn(loaded);
  return {
    call,
    draft: createDraft(call, facts, batch.numbers),
    changes: [],
    hasSavepoint: false,
    lastVersion: 0,
    begun: undefined,
  };
}

const createDraft = ({ workspace, at, by }: CommitCall, facts: Layer, numbers: Numbers): Draft => ({
  workspace,
  at,
  by,
  facts,
  numbers,
  writes: {},
  forgets: false,
});

function* settleCall(batch: Batch, own: Own): Committing<CallResult> {
  const { last, rows } = batch.numbers;
  const before: Numbers = { last, counts: false, rows: { ...rows } };
  const { mergeFrom } = batch;
  try {
    const outcomes = yield* doSteps(batch, own);
    keepLayer(own.draft.facts);
    addWrites(batch.pending, own.draft.writes);
    if (own.hasSavepoint) yield { savepoint: "release" };
    return { outcomes, changes: own.changes };
  } catch (thrown) {
    if (!(thrown instanceof ThoughtboxError)) throw thrown;
    batch.numbers = before;
    batch.mergeFrom = mergeFrom;
    dropPassing(loadedIn(batch, own.call.workspace));
    if (own.hasSavepoint) {
      yield { savepoint: "undo" };
      batch.isStale = true;
    }
    return { refused: thrown };
  }
}

function* doSteps(batch: Batch, own: Own): Committing<readonly unknown[]> {
  const { call, draft } = own;
  if (batch.isStale) yield* startAfresh(batch, own);
  if (call.once) {
    const earlier = yield* decide(batch, own, recall(draft, call.once));
    if (earlier) return earlier;
  }
  if (!hasWorkspace(draft, call)) {
    const change = yield* decide(batch, own, openWorkspace(draft, call));
    // The change reuses the seq of the new branch.
    if (change) tell(draft, draft.numbers.last, change, own.changes);
    noteDecided(batch, draft);
  }
  const outcomes: unknown[] = [];
  const before = draft.numbers.last;
  for (const step of call.steps) {
    if (batch.isStale) yield* startAfresh(batch, own);
    const begun = own.begun ?? decideStep(draft, step);
    own.begun = undefined;
    const last = draft.numbers.last;
    const outcome = yield* decide(batch, own, begun);
    noteAuthor(own, last);
    tellStep(draft, step, outcome, last, own.changes);
    noteDecided(batch, draft);
    outcomes.push(outcome);
    if (batch.mergeFrom !== undefined && draft.numbers.last >= batch.mergeFrom) takeOver(batch, own);
  }
  if (draft.numbers.last > before) keepHeard(draft);
  if (call.clearedFocus !== undefined) keepTold(draft, call.clearedFocus);
  if (call.once && outcomes.every((outcome) => outcome !== undefined)) remember(own, call.once, outcomes);
  return outcomes;
}

function remember(
  { call, draft }: Own,
  { key, fingerprint }: NonNullable<CommitCall["once"]>,
  outcome: unknown[],
): void {
  const { workspace, at } = call;
  const scope = onceScopes.workspace(workspace);
  write(draft, "outcome", { scope, key, fingerprint, outcome, at: at.toISOString() });
  learn(draft, "outcome", key, { fingerprint, outcome });
}

/** Writes pending rows first, because the store's queries read only rows that are written. */
function* askStore(batch: Batch, own: Own, { needs }: MergeRound): Committing<unknown> {
  yield* flush(batch, own);
  return yield { ask: needs, workspace: own.call.workspace, wid: workspaceOf(own.draft).wid };
}

/** Loads the facts that a decision requests until the decision is made. */
function* decide<Result>(batch: Batch, own: Own, deciding: Deciding<Result>): Committing<Result> {
  let step = deciding.next();
  while (!step.done) {
    const asked = step.value;
    if ("needs" in asked) step = deciding.next(yield* askStore(batch, own, asked));
    else {
      yield* load(batch, own, asked);
      step = deciding.next();
    }
  }
  return step.value;
}

/** Updates the batch and the counter. Call this after each decision, once its change has a seq. */
function noteDecided(batch: Batch, draft: Draft): void {
  batch.isStale ||= draft.forgets;
  if (draft.numbers.counts) write(draft, "sequence", draft.numbers.last);
  draft.numbers.counts = false;
}

function* recall(
  draft: Draft,
  once: NonNullable<CommitCall["once"]>,
): Deciding<readonly unknown[] | undefined> {
  yield* need(draft, { kind: "outcome", keys: [once.key] });
  const earlier = known(draft, "outcome", once.key);
  if (!earlier) return undefined;
  checkSameWrite(once, earlier);
  return earlier.outcome as readonly unknown[];
}

function noteAuthor(own: Own, before: number): void {
  const { call, draft } = own;
  if (call.agent === undefined) return;
  const last = Math.max(own.lastVersion, lastVersionIn(draft.writes));
  if (last <= before) return;
  write(draft, "author", { wid: workspaceOf(draft).wid, first: before + 1, last, agent: call.agent });
}

/**
 * Announces a change with the last seq that its step used, or with a new one. The feed is therefore in the
 * order of writes, and each seq identifies one change.
 */
function tellStep(
  draft: Draft,
  step: MemoryStep,
  outcome: unknown,
  before: number,
  changes: RecordedChange[],
): void {
  const change = outcome === undefined ? undefined : changeOf(step, outcome);
  if (!change) return;
  const { last } = draft.numbers;
  tell(draft, last > before ? last : nextSeq(draft), change, changes);
}

function tell(draft: Draft, seq: number, change: MemoryChange, changes: RecordedChange[]): void {
  changes.push({ seq, change });
  // Subscribers already see this change as an appended entry.
  if (change.type !== "note_committed")
    write(draft, "change", { seq, wid: workspaceOf(draft).wid, change, tsMs: draft.at.getTime() });
}

/** Takes the seqs that a large merge reserved. That merge and everything it staged are dropped. */
function takeOver(batch: Batch, { draft }: Own): void {
  write(draft, "sequence", draft.numbers.last);
  batch.mergeFrom = undefined;
  batch.isStale = true;
}

function* startAfresh(batch: Batch, own: Own): Committing<void> {
  yield* flush(batch, own);
  batch.loaded.clear();
  batch.isStale = false;
  own.draft.forgets = false;
  const loaded = loadedIn(batch, own.call.workspace);
  own.draft.facts = batch.isAlone ? loaded : layerOn(loaded);
}

/** Starts the first step of a single call and returns the call's first needs. */
function beginFirst(own: Own): readonly Need[] {
  const { call, draft } = own;
  const { workspace, once, steps } = call;
  const needs: Need[] = [sequenceNeed(call)];
  if (once) needs.push({ kind: "outcome", keys: [once.key], workspace, wid: undefined, scope: undefined });
  const [step] = steps;
  const begun = step && decideStep(draft, step);
  const first = begun && firstNeeds(begun);
  if (!first) {
    needs.push({ kind: "workspace", keys: [""], workspace, wid: undefined, scope: undefined });
    return needs;
  }
  own.begun = begun;
  for (const one of first) needs.push(one);
  return needs;
}

/**
 * The number of rounds after which nearly all steps know their needs. Running a step to its end costs as much
 * as deciding it, so only steps that write graphs are run further.
 */
const usualRounds = 3;
const longSteps: ReadonlySet<StepName> = new Set(["apply_graph", "think", "change_task"]);

/**
 * Loads the needs of many calls in one batch, then their follow-up needs. Runs each call on the stored state only to
 * find out its needs. A call that fails here may still succeed after earlier calls are applied.
 */
function* loadAhead(batch: Batch, calls: readonly CommitCall[]): Committing<void> {
  const [first] = calls;
  if (!first) return;
  let begun = calls.flatMap((call) => {
    const numbers = { last: 0, counts: false, rows: {} };
    const draft = createDraft(call, layerOn(loadedIn(batch, call.workspace)), numbers);
    const { facts } = draft;
    const opening = [...(call.once ? [recall(draft, call.once)] : []), openWorkspace(draft, call)];
    return [
      ...opening.map((deciding) => ({ deciding, facts, isLong: false })),
      ...call.steps.map((step) => ({
        deciding: decideStep(draft, step),
        facts,
        isLong: longSteps.has(step.do),
      })),
    ];
  });
  const own = createOwn(batch, first);
  const nextNeeds = () =>
    begun.flatMap(({ deciding, facts }) =>
      (firstNeeds(deciding) ?? []).filter((one) => mayLoadAhead(facts, one)),
    );
  let needs = [sequenceNeed(first), ...nextNeeds()];
  for (let round = 1; needs.length > 0; round += 1) {
    yield* load(batch, own, combineNeeds(needs));
    if (round === usualRounds) begun = begun.filter(({ isLong }) => isLong);
    needs = nextNeeds();
  }
  takeSequence(batch, own);
}

/** True unless the need is about a new row or a tag. Earlier calls may change whether a tag is in use. */
const mayLoadAhead = (facts: Layer, one: Need): boolean => one.kind !== "carried" && !isAboutNew(facts, one);

/** Returns the step's first needs, or `undefined` if it needs nothing or fails before it yields its needs. */
function firstNeeds(deciding: Deciding<unknown>): readonly Need[] | undefined {
  try {
    const step = deciding.next();
    if (step.done) return undefined;
    if (!("needs" in step.value)) return step.value;
    // The queries of merges run later, in order.
    deciding.return(undefined);
    return undefined;
  } catch {
    return undefined;
  }
}

const sequenceNeed = ({ workspace }: CommitCall): Need => ({
  kind: "sequence",
  keys: [""],
  workspace,
  wid: undefined,
  scope: undefined,
});

function takeSequence(batch: Batch, { draft }: Own): void {
  const { last, mergeFrom }: Sequence = known(draft, "sequence", "");
  Object.assign(batch.numbers, { last, counts: false, rows: {} });
  batch.mergeFrom = mergeFrom;
}

function loadedIn({ loaded }: Batch, workspace: string): Layer {
  const known = loaded.get(workspace);
  if (known) return known;
  const layer = layerOn(undefined);
  loaded.set(workspace, layer);
  return layer;
}

function* load(batch: Batch, own: Own, needs: readonly Need[]): Committing<void> {
  if (needs.length === 0) return;
  const { facts } = own.draft;
  if (facts.isAhead && needs.some((one) => isUnwritten(facts, one))) yield* flush(batch, own);
  noteFound(batch, needs, yield { load: needs });
}

/** Records the loaded facts. `found` is the reply to `load`. */
function noteFound(batch: Batch, needs: readonly Need[], found: unknown): void {
  for (let n = 0; n < needs.length; n += 1) {
    const { kind, scope, keys, workspace } = needs[n] as Need;
    const rows = rowsOf(loadedIn(batch, workspace), kind, scope);
    const values = (found as readonly (readonly unknown[])[])[n] ?? [];
    for (let at = 0; at < keys.length; at += 1) rows.set(keys[at] as string | number, values[at]);
  }
}

function* flush(batch: Batch, own: Own | undefined): Committing<void> {
  if (hasWrites(batch.pending)) {
    yield { apply: batch.pending };
    batch.pending = {};
  }
  if (!own || !hasWrites(own.draft.writes)) return;
  if (!own.hasSavepoint && !batch.isOnly) yield { savepoint: "set" };
  own.hasSavepoint = !batch.isOnly;
  own.lastVersion = Math.max(own.lastVersion, lastVersionIn(own.draft.writes));
  yield { apply: own.draft.writes };
  own.draft.writes = {};
}

import { ThoughtboxError } from "../../../kernel/errors.ts";
import { checkSameWrite, onceScopes } from "../../ledger/requests.ts";
import { defaultBranch } from "../limits.ts";
import type { MergeNeeds, MergeRound } from "../merge/merge-questions.ts";
import { addBranch } from "./branches.ts";
import { changeOf, type MemoryChange } from "./changes.ts";
import {
  type Deciding,
  type Draft,
  known,
  learn,
  type Numbers,
  need,
  nextRow,
  nextSeq,
  workspaceOf,
  write,
} from "./draft.ts";
import {
  combineNeeds,
  factName,
  isUnwritten,
  keepLayer,
  type Layer,
  layerOn,
  noteNewWorkspace,
} from "./facts.ts";
import type { Need, Sequence, WriteKind, Writes } from "./rows.ts";
import { decideStep, isDecided } from "./rules.ts";
import type { MemoryStep } from "./step.ts";

export type CommitCall = {
  workspace: string;
  steps: readonly MemoryStep[];
  at: Date;
  once?: { key: string; fingerprint: string } | undefined;
  /** Binds the workspace to a project at its first write. */
  projectGuard?: string | undefined;
  /** The store does the steps by itself: it has prepared them, as for a large merge. */
  isPrepared?: boolean | undefined;
};

export type RecordedChange = { seq: number; change: MemoryChange };

export type CallResult =
  | { outcomes: readonly unknown[]; changes: readonly RecordedChange[]; refused?: undefined }
  | { refused: ThoughtboxError };

/**
 * What the store has to do next, inside its transaction. `load` is answered with what was found, for each need in the
 * order of its keys; `ask` with the answers to the questions of a merge; `perform` with the outcome of a step that the store does by itself.
 */
export type Request =
  | { load: readonly Need[] }
  | { apply: Writes }
  | { ask: MergeNeeds; workspace: string; wid: number }
  | { perform: MemoryStep; call: CommitCall; wid: number }
  | { savepoint: "set" | "undo" | "release" };

type Committing<Result> = Generator<Request, Result, unknown>;

/** What the calls of one transaction share. */
type Batch = {
  loaded: Map<string, Layer>;
  /** Of calls that are decided. */
  pending: Writes;
  numbers: Numbers;
  /** Where a large merge keeps numbers for itself. */
  mergeFrom: number | undefined;
  /** What is known is no longer all true; it has to be written, and read again. */
  isStale: boolean;
};

/** The call that is being decided. A savepoint is only needed once something of it was written before it was through. */
type Own = {
  call: CommitCall;
  facts: Layer;
  writes: Writes;
  changes: RecordedChange[];
  hasSavepoint: boolean;
};

/**
 * Calls of one transaction, in order, each all or nothing. What they need is loaded together, what they write is written
 * together, and each sees what those before it have done.
 */
export function* commitCalls(calls: readonly CommitCall[]): Committing<CallResult[]> {
  const batch: Batch = {
    loaded: new Map(),
    pending: {},
    numbers: { last: 0, counts: false, rows: {} },
    mergeFrom: undefined,
    isStale: false,
  };
  yield* loadAhead(batch, calls);
  const results: CallResult[] = [];
  for (const call of calls) results.push(yield* settleCall(batch, call));
  yield* flush(batch, undefined);
  return results;
}

function* settleCall(batch: Batch, call: CommitCall): Committing<CallResult> {
  const own: Own = {
    call,
    facts: layerOn(loadedIn(batch, call.workspace)),
    writes: {},
    changes: [],
    hasSavepoint: false,
  };
  const before = copyNumbers(batch.numbers);
  try {
    const outcomes = yield* doSteps(batch, own);
    keepLayer(own.facts);
    addWrites(batch.pending, own.writes);
    if (own.hasSavepoint) yield { savepoint: "release" };
    return { outcomes, changes: own.changes };
  } catch (thrown) {
    if (!(thrown instanceof ThoughtboxError)) throw thrown;
    batch.numbers = before;
    if (own.hasSavepoint) {
      yield { savepoint: "undo" };
      batch.isStale = true;
    }
    return { refused: thrown };
  }
}

function* doSteps(batch: Batch, own: Own): Committing<readonly unknown[]> {
  const { call } = own;
  const earlier = yield* inDraft(batch, own, (draft) => recall(draft, call));
  if (earlier) return earlier;
  yield* inDraft(batch, own, (draft) => openWorkspace(draft, call, own.changes));
  const outcomes: unknown[] = [];
  for (const step of call.steps) {
    const outcome =
      isDecided(step) && !call.isPrepared
        ? yield* inDraft(batch, own, (draft) => decideAndTell(draft, step, own.changes))
        : yield* perform(batch, own, step);
    outcomes.push(outcome);
    if (batch.mergeFrom !== undefined && batch.numbers.last >= batch.mergeFrom) takeOver(batch, own);
  }
  if (call.once && outcomes.every((outcome) => outcome !== undefined)) remember(own, call.once, outcomes);
  return outcomes;
}

function remember(own: Own, { key, fingerprint }: NonNullable<CommitCall["once"]>, outcome: unknown[]): void {
  const { workspace, at } = own.call;
  write(own, "outcome", {
    scope: onceScopes.workspace(workspace),
    key,
    fingerprint,
    outcome,
    at: at.toISOString(),
  });
  learn(own, "outcome", key, { fingerprint, outcome });
}

/** Nothing of what it gives out, learns and writes counts before it is through. */
function* inDraft<Result>(
  batch: Batch,
  own: Own,
  decide: (draft: Draft) => Deciding<Result>,
): Committing<Result> {
  if (batch.isStale) yield* startAfresh(batch, own);
  const draft = createDraft(own.call, own.facts, batch.numbers);
  const deciding = decide(draft);
  for (let answer: unknown; ; ) {
    const step = deciding.next(answer);
    if (!step.done) {
      answer =
        "needs" in step.value ? yield* askStore(batch, own, step.value) : yield* load(batch, own, step.value);
      continue;
    }
    keepLayer(draft.facts);
    batch.isStale ||= draft.forgets;
    if (draft.numbers.counts) write(draft, "sequence", draft.numbers.last);
    addWrites(own.writes, draft.writes);
    batch.numbers = { ...draft.numbers, counts: false };
    return step.value;
  }
}

/** Of what is stored: everything before it is written first. */
function* askStore(batch: Batch, own: Own, { needs }: MergeRound): Committing<unknown> {
  yield* flush(batch, own);
  const { wid } = workspaceOf(createDraft(own.call, own.facts, batch.numbers));
  return yield { ask: needs, workspace: own.call.workspace, wid };
}

const createDraft = ({ workspace, at }: CommitCall, facts: Layer, numbers: Numbers): Draft => ({
  workspace,
  at,
  facts: layerOn(facts),
  numbers: copyNumbers(numbers),
  writes: {},
  forgets: false,
});

const copyNumbers = ({ last, counts, rows }: Numbers): Numbers => ({ last, counts, rows: { ...rows } });

function* recall(draft: Draft, { once }: CommitCall): Deciding<readonly unknown[] | undefined> {
  if (!once) return undefined;
  yield* need(draft, { kind: "outcome", keys: [once.key] });
  const earlier = known(draft, "outcome", once.key);
  if (!earlier) return undefined;
  checkSameWrite(once, earlier);
  return earlier.outcome as readonly unknown[];
}

/** Made with its branch `main` where it is new. */
function* openWorkspace(
  draft: Draft,
  { workspace, projectGuard, at }: CommitCall,
  changes: RecordedChange[],
): Deciding<void> {
  yield* need(draft);
  const found = known(draft, "workspace", "");
  if (found) {
    if (projectGuard === undefined || found.projectGuard !== undefined) return;
    write(draft, "projectGuard", { wid: found.wid, projectGuard });
    learn(draft, "workspace", "", { ...found, projectGuard });
    return;
  }
  const wid = yield* nextRow(draft, "workspace");
  noteNewWorkspace(draft.facts);
  write(draft, "workspace", { wid, name: workspace, projectGuard, createdAtMs: at.getTime() });
  learn(draft, "workspace", "", { wid, checkout: undefined, projectGuard });
  const checkout = yield* addBranch(draft, defaultBranch, undefined);
  write(draft, "checkout", { wid, bid: checkout.bid });
  learn(draft, "workspace", "", { wid, checkout, projectGuard });
  // Under the number of its branch.
  tell(draft, draft.numbers.last, { type: "workspace_created", data: { checkout: defaultBranch } }, changes);
}

function* decideAndTell(draft: Draft, step: MemoryStep, changes: RecordedChange[]): Deciding<unknown> {
  const before = draft.numbers.last;
  const outcome = yield* decideStep(draft, step);
  tellStep(draft, step, outcome, before, changes);
  return outcome;
}

/**
 * What a step changed takes the last number that it has used, or one of its own: the feed is then in the order of the
 * writes, and each of its numbers stands for one change.
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
  // An entry that was appended says so itself.
  if (change.type !== "note_committed")
    write(draft, "change", { seq, wid: workspaceOf(draft).wid, change, tsMs: draft.at.getTime() });
}

/** A step that the store does by itself: it finds everything written, and what is known before it counts no more. */
function* perform(batch: Batch, own: Own, step: MemoryStep): Committing<unknown> {
  yield* flush(batch, own);
  if (!own.hasSavepoint) yield { savepoint: "set" };
  own.hasSavepoint = true;
  const { wid } = workspaceOf(createDraft(own.call, own.facts, batch.numbers));
  const before = batch.numbers.last;
  const outcome = yield { perform: step, call: own.call, wid };
  batch.isStale = true;
  yield* startAfresh(batch, own);
  yield* loadSequence(batch, own.call);
  return yield* inDraft(batch, own, function* (draft) {
    yield* need(draft);
    tellStep(draft, step, outcome, before, own.changes);
    return outcome;
  });
}

/** Numbers that a large merge has kept are needed: it gives way, and what it had staged is gone. */
function takeOver(batch: Batch, own: Own): void {
  write(own, "sequence", batch.numbers.last);
  batch.mergeFrom = undefined;
  batch.isStale = true;
}

function* startAfresh(batch: Batch, own: Own): Committing<void> {
  yield* flush(batch, own);
  batch.loaded.clear();
  batch.isStale = false;
  own.facts = layerOn(loadedIn(batch, own.call.workspace));
}

/**
 * What the calls need first, all at once; where there are several, what they need after that too. They are begun for
 * it, on nothing but what is stored, and dropped: one that fails here may well be right once those before it are done,
 * and fails again where it is not.
 */
function* loadAhead(batch: Batch, calls: readonly CommitCall[]): Committing<void> {
  const begun = calls.flatMap((call) => {
    const draft = createDraft(call, loadedIn(batch, call.workspace), batch.numbers);
    const steps = (call.isPrepared ? [] : call.steps)
      .filter(isDecided)
      .map((step) => decideStep(draft, step));
    return [recall(draft, call), openWorkspace(draft, call, []), ...steps];
  });
  const rounds = begun.length > 3 ? 2 : 1;
  for (let round = 0; round < rounds; round += 1) {
    // Whether a tag is carried may be different once the calls before it are done.
    const needs = begun.flatMap(firstNeeds).filter(({ kind }) => kind !== "carried");
    const [first] = calls;
    if (round === 0 && first) needs.push(sequenceNeed(first));
    yield* load(batch, undefined, needs);
  }
  const [call] = calls;
  if (call) takeSequence(batch, call);
}

function firstNeeds(deciding: Deciding<unknown>): readonly Need[] {
  try {
    const step = deciding.next();
    if (step.done) return [];
    if (!("needs" in step.value)) return step.value;
    // Whatever a merge asks is answered when its turn comes.
    deciding.return(undefined);
    return [];
  } catch {
    return [];
  }
}

const sequenceNeed = ({ workspace }: CommitCall): Need => ({
  kind: "sequence",
  keys: [""],
  workspace,
  wid: undefined,
  scope: undefined,
});

function* loadSequence(batch: Batch, call: CommitCall): Committing<void> {
  yield* load(batch, undefined, [sequenceNeed(call)]);
  takeSequence(batch, call);
}

function takeSequence(batch: Batch, { workspace }: CommitCall): void {
  const { last, mergeFrom }: Sequence = known({ facts: loadedIn(batch, workspace) }, "sequence", "");
  batch.numbers = { last, counts: false, rows: {} };
  batch.mergeFrom = mergeFrom;
}

function loadedIn({ loaded }: Batch, workspace: string): Layer {
  const known = loaded.get(workspace);
  if (known) return known;
  const layer = layerOn(undefined);
  loaded.set(workspace, layer);
  return layer;
}

function* load(batch: Batch, own: Own | undefined, needs: readonly Need[]): Committing<void> {
  if (needs.length === 0) return;
  if (own && needs.some((one) => isUnwritten(own.facts, one))) yield* flush(batch, own);
  const combined = combineNeeds(needs);
  const found = (yield { load: combined }) as readonly (readonly unknown[])[];
  for (const [n, { kind, scope, keys, workspace }] of combined.entries()) {
    const { rows } = loadedIn(batch, workspace);
    for (const [at, key] of keys.entries()) rows.set(factName(kind, scope, key), found[n]?.[at]);
  }
}

function* flush(batch: Batch, own: Own | undefined): Committing<void> {
  if (hasWrites(batch.pending)) {
    yield { apply: batch.pending };
    batch.pending = {};
  }
  if (!own || !hasWrites(own.writes)) return;
  if (!own.hasSavepoint) yield { savepoint: "set" };
  own.hasSavepoint = true;
  yield { apply: own.writes };
  own.writes = {};
}

const hasWrites = (writes: Writes): boolean => {
  for (const _kind in writes) return true;
  return false;
};

function addWrites(all: Writes, more: Writes): void {
  for (const [kind, rows] of Object.entries(more) as [WriteKind, never[]][]) {
    const known = all[kind] as never[] | undefined;
    if (known) known.push(...rows);
    else (all as Record<string, unknown>)[kind] = rows;
  }
}

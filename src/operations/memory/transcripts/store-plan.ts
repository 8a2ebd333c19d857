import { setImmediate as nextTurn } from "node:timers/promises";
import type { KeptAction } from "../../../domain/actions/kept-action.ts";
import type { SessionRecord } from "../../../domain/ledger/session.ts";
import type { ChainedThought } from "../../../domain/ledger/thought.ts";
import { type Address, describeAddress } from "../../../domain/ledger/thought.ts";
import type { SealedThought } from "../../../domain/ledger/tree/thought-file.ts";
import type { PlannedThought, ThoughtPlan } from "../../../domain/transcripts/session/plan-thoughts.ts";
import { compareWithStored, indexStored, sealPlan } from "../../../domain/transcripts/session/seal-plan.ts";
import { count } from "../../../kernel/numbers.ts";
import type { BaseContext } from "../../pipeline/context.ts";
import { describeImportRefusal } from "../../pipeline/recoveries/ledger.ts";
import { createPacer } from "./pace.ts";

const pageSize = 1_000;
/** Limits per transaction. During a transaction, no other process can write, and calls in this process wait. */
const atOnce = { thoughts: 24, chars: 50_000, actions: 96 };

/** Returns all thoughts of a session in order of arrival. */
export async function readStored(
  { ledger }: Pick<BaseContext, "ledger">,
  sessionId: string,
): Promise<ChainedThought[]> {
  const stored: ChainedThought[] = [];
  for (;;) {
    const page = await ledger.readEntries(sessionId, stored.at(-1)?.position ?? 0, pageSize);
    stored.push(...page);
    if (page.length < pageSize) return stored;
    await nextTurn();
  }
}

export function forksOf(stored: readonly ChainedThought[]): Map<string, Address> {
  const forks = new Map<string, Address>();
  for (const { data } of stored) {
    const { branchId, branchFromThought: thoughtNumber, branchFromBranch } = data;
    if (branchId === undefined || thoughtNumber === undefined) continue;
    forks.set(branchId, {
      ...(branchFromBranch !== undefined && { branchId: branchFromBranch }),
      thoughtNumber,
    });
  }
  return forks;
}

/**
 * Returns the planned thoughts that the ledger lacks. If the ledger has different thoughts at their addresses, returns
 * the end of a sentence that explains this.
 */
export async function missingOf(
  { signal }: Pick<BaseContext, "signal">,
  stored: readonly ChainedThought[],
  planned: readonly PlannedThought[],
): Promise<PlannedThought[] | string> {
  const known = indexStored(stored);
  const pace = createPacer(signal);
  const missing: PlannedThought[] = [];
  for (const thought of planned) {
    await pace(thought.text.length);
    const compared = compareWithStored(known, thought);
    if (compared === "missing") missing.push(thought);
    else if (compared !== "same") return `${compared.differs} differs from the transcript`;
  }
  return missing;
}

/** The last thought of the chain. */
export type ChainEnd = { position: number; hash: string; data?: { timestamp: string } };

/**
 * Stores thoughts in short transactions. If the import is interrupted, the next one continues. If a thought
 * is refused, returns the reason as the end of a sentence.
 */
export async function storePlan(
  { imports, signal }: Pick<BaseContext, "imports" | "signal">,
  record: SessionRecord,
  missing: readonly PlannedThought[],
  stored: ChainEnd | undefined,
): Promise<string | undefined> {
  const { id, createdAt } = record.session;
  let last: ChainEnd | undefined = stored;
  for (const slice of slicesOf(missing)) {
    const entries: SealedThought[] = sealPlan(id, slice, last, last?.data?.timestamp ?? createdAt);
    last = entries.at(-1);
    const [outcome] = await imports.importParts([{ record, entries, critiques: [] }]);
    if (outcome?.refused !== undefined) return describeImportRefusal(outcome.refused);
    await nextTurn();
    signal.throwIfAborted();
  }
  return undefined;
}

function* slicesOf(thoughts: readonly PlannedThought[]): Generator<PlannedThought[]> {
  let slice: PlannedThought[] = [];
  let chars = 0;
  for (const thought of thoughts) {
    slice.push(thought);
    chars += thought.text.length;
    if (slice.length < atOnce.thoughts && chars < atOnce.chars) continue;
    yield slice;
    slice = [];
    chars = 0;
  }
  if (slice.length > 0) yield slice;
}

/** Stores new actions and returns their number. Existing actions stay unchanged. */
export async function storeActions(
  { actions, signal }: Pick<BaseContext, "actions" | "signal">,
  sessionId: string,
  planned: readonly KeptAction[],
): Promise<number> {
  let added = 0;
  for (let from = 0; from < planned.length; from += atOnce.actions) {
    added += await actions.record(sessionId, planned.slice(from, from + atOnce.actions));
    await nextTurn();
    signal.throwIfAborted();
  }
  return added;
}

/** Masks secrets unless the setting is `off`, because no one chose to store this text. */
export async function guardPlan(
  { settings, signal, warn, transcripts }: Pick<BaseContext, "settings" | "signal" | "warn" | "transcripts">,
  plan: ThoughtPlan,
  cwd: string | undefined,
): Promise<ThoughtPlan> {
  const pace = createPacer(signal);
  const thoughts: PlannedThought[] = [];
  let first: Address | undefined;
  let leaking = 0;
  for (const thought of plan.thoughts) {
    await pace(thought.text.length);
    const text = settings.secrets.forPage(thought.text);
    thoughts.push(text === thought.text ? thought : { ...thought, text });
    if (text === thought.text) continue;
    first ??= thought.address;
    leaking += 1;
  }
  const isIgnored = (path: string | undefined): boolean =>
    path !== undefined && cwd !== undefined && transcripts.isIgnored(cwd, path);
  const actions: KeptAction[] = [];
  for (const action of plan.actions) {
    await pace(200);
    if (action.type === "read") {
      const paths = action.paths.filter((path) => !isIgnored(path));
      if (paths.length > 0) actions.push(settings.secrets.forPage({ ...action, paths }));
      continue;
    }
    const path =
      action.type === "edit" ? action.path : action.type === "refusal" ? action.change?.path : undefined;
    if (isIgnored(path)) continue;
    actions.push(action.type === "edit" ? action : settings.secrets.forPage(action));
  }
  const running =
    plan.running && !isIgnored(plan.running.path) ? settings.secrets.forPage(plan.running) : undefined;
  if (!first) return { ...plan, actions, running };
  warn({
    code: "SECRET_MASKED",
    message: `${count(leaking, "thought")} in the transcript may contain a secret. The first is ${describeAddress(first)}. The text is masked before storing.`,
  });
  return { ...plan, thoughts, actions, running };
}

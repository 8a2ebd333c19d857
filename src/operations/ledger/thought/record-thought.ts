import { parseCipher } from "../../../domain/cipher/parse.ts";
import { branchOfAgent, type ThoughtDraft } from "../../../domain/ledger/chain/append.ts";
import { isCaptured } from "../../../domain/ledger/session.ts";
import { endsSession, keepSteps, nodeId } from "../../../domain/ledger/thought.ts";
import { ThoughtboxError, toThoughtboxError } from "../../../kernel/errors.ts";
import { canonicalJson } from "../../../kernel/json/canonical-json.ts";
import { count } from "../../../kernel/numbers.ts";
import { clipWhole } from "../../../kernel/secrets/secrets-policy.ts";
import { sha256Hex } from "../../../kernel/sha256.ts";
import { clip } from "../../../kernel/text.ts";
import type { ThoughtEventData } from "../../../ports/events.ts";
import type { AppendReceipt, AppendRequest, Opening, SentAgain } from "../../../ports/ledger-store.ts";
import {
  type BaseContext,
  type Caller,
  type CallerState,
  type OperationContext,
  originOf,
} from "../../pipeline/context.ts";
import { recentSessions } from "../../pipeline/find-session.ts";
import { putIntoWords } from "../../pipeline/recoveries.ts";
import { adoptSession, draftSession } from "../open-session.ts";
import { findLostReferences } from "./lost-references.ts";

type ThoughtInput = Omit<ThoughtDraft, "sessionId"> & {
  critique?: boolean | undefined;
  sessionTitle?: string | undefined;
  sessionTags?: string[] | undefined;
  attachCritique?: object | undefined;
};

type OpeningContext = OperationContext<"SESSION_NOT_FOUND" | "THOUGHT_NOT_FOUND" | "INVALID_PAYLOAD">;

/** Records the thought. Opens a session if the caller has none. */
export async function recordOrOpen(context: OpeningContext, input: ThoughtInput): Promise<AppendReceipt> {
  const { callerState } = context;
  const { sessionId } = callerState;
  const ownBranch = chooseOwnBranch(context.caller, sessionId);
  if (sessionId !== undefined) {
    const again = mayBeAgain(context, input) ? sentAgain(context, input.thought) : undefined;
    const receipt = await recordThought(context, sessionId, input, { again, ownBranch });
    keepSession(context.caller, sessionId);
    if (receipt.opened) warnOfDuplicate(context);
    return context.once && !callerState.isNamed ? asOpening(callerState, receipt) : receipt;
  }
  const opens = await openingOf(context, input);
  const before = await findOpenedBefore(context);
  const again = sentAgain(context, input.thought);
  const receipt = await recordThought(context, opens.session.id, input, { opens, again, ownBranch });
  if (receipt.replayed) {
    if (!context.once) warnOfDuplicate(context);
  } else if (before) warnOfOther(context, before);
  return receipt;
}

/** Returns the agent's own branch. A captured session's main chain contains only its transcript. */
export const chooseOwnBranch = (
  { conversation }: Caller,
  sessionId: string | undefined,
): string | undefined =>
  branchOfAgent(conversation?.agent) ??
  (sessionId !== undefined && isCaptured(sessionId) ? "own" : undefined);

/**
 * Finds the session that a caller with the same origin opened a moment ago. The two are probably the same
 * caller.
 */
export async function findOpenedBefore({ caller, settings, conversations, clock }: OperationContext) {
  const origin = originOf(caller, settings.project);
  if (!origin || caller.conversation || caller.transport !== "http") return undefined;
  const before = await conversations.find(origin);
  const since = new Date(clock().getTime() - openedLatelyMs).toISOString();
  return before && before.at >= since ? before.sessionId : undefined;
}

function warnOfOther({ warn }: OpeningContext, sessionId: string): void {
  warn({
    code: "SESSION_OPENED_BEFORE",
    message: `A client like yours opened session ${sessionId} less than ten minutes ago. If that was you, pass this sessionId.`,
  });
}

/**
 * If the call has an idempotency key, repeats the answer to the first call with this key, even if that call
 * opened the session.
 */
function asOpening({ session, ...state }: CallerState, receipt: AppendReceipt): AppendReceipt {
  const isOpening = receipt.replayed && receipt.entry.position === 1 && session !== undefined;
  return isOpening ? { ...receipt, opened: { session, state } } : receipt;
}

/** Makes the session the caller's current session, unless the caller already has a session. */
function keepSession({ binding, lone }: Caller, sessionId: string): void {
  if (binding) binding.sessionId ??= sessionId;
  if (lone) lone.sessionId ??= sessionId;
}

/** True if the session has only its opening thought, which this call may repeat. */
function mayBeAgain({ callerState, once }: OpeningContext, input: ThoughtInput): boolean {
  return !callerState.isNamed && !once && callerState.session?.thoughtCount === 1 && canBeFirst(input);
}

/** Returns what identifies a repeated call. `undefined` if neither conversation nor process is known. */
function sentAgain({ caller, settings, clock }: OpeningContext, thought: string): SentAgain | undefined {
  const who = caller.conversation?.id ?? caller.lone?.id;
  if (who === undefined) return undefined;
  const origin = originOf(caller, settings.project);
  return {
    key: sha256Hex(
      canonicalJson([origin?.principal ?? "", origin?.project ?? "", origin?.client ?? "", who, thought]),
    ),
    since: new Date(clock().getTime() - sameForMs).toISOString(),
  };
}

/** Announces the thought as soon as it is stored. Later problems are only warnings. */
export async function recordThought(
  context: OperationContext,
  sessionId: string,
  input: ThoughtInput,
  { opens, again, ownBranch }: Pick<AppendRequest, "opens" | "again"> & Pick<ThoughtDraft, "ownBranch"> = {},
): Promise<AppendReceipt> {
  const parsed = parseCipher(input.thought);
  const receipt = await context.ledger.append({
    draft: {
      sessionId,
      thought: input.thought,
      isStep: input.isStep,
      nextThoughtNeeded: input.nextThoughtNeeded,
      thoughtNumber: input.thoughtNumber,
      totalThoughts: input.totalThoughts,
      revisesThought: input.revisesThought,
      branchId: input.branchId,
      branchFromThought: input.branchFromThought,
      branchFromBranch: input.branchFromBranch,
      needsMoreThoughts: input.needsMoreThoughts,
      agentId: input.agentId,
      ownBranch,
    },
    timestamp: context.clock().toISOString(),
    salt: context.newSalt(),
    cipher: parsed && keepSteps(parsed),
    critiqueRequested: input.critique,
    once: context.once,
    opens,
    again,
    origin: originOf(context.caller, context.settings.project),
  });
  // The store bound the conversation when it stored the thought. A replay writes nothing.
  if (opens && receipt.opened) await adoptSession(context, opens.session, receipt.opened, !receipt.replayed);
  announceThought(context, receipt);
  if (parsed) {
    const doubts = parsed.warnings.map(({ code, line, message }) => `Line ${line}, ${code}: ${message}`);
    const lost = await afterStored(context, "ANSWER_INCOMPLETE", "Its references were not checked", () =>
      findLostReferences(context, receipt.entry, parsed),
    );
    warnOfDoubts(context, [...doubts, ...(lost ?? [])]);
  }
  return receipt;
}

/** Turns a later failure into a warning, because the thought is already stored. */
export async function afterStored<Result>(
  { warn, report }: Pick<BaseContext, "warn" | "report">,
  code: string,
  lost: string,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (thrown) {
    const isOurs = thrown instanceof ThoughtboxError;
    const { cause } = toThoughtboxError(thrown);
    if (cause !== undefined) report(cause);
    const reason = isOurs ? putIntoWords(thrown).message : "Unexpected failure inside Thoughtbox.";
    warn({ code, message: `The thought is recorded. ${lost}: ${reason.replace(aboutEffect, "")}` });
    return undefined;
  }
}

/**
 * Matches the last sentence of an error message from the store if it describes only the last attempt, because
 * it would contradict the warning.
 */
const aboutEffect = / (?:Nothing was changed|A write may or may not have taken effect)\.$/;

async function openingOf(context: OpeningContext, input: ThoughtInput): Promise<Opening> {
  const { settings, caller } = context;
  if (!settings.autoCreateSession) return refuseOpening(context);
  if (!canBeFirst(input)) return caller.binding ? refuseInTheAir(context) : refuseOpening(context);
  const session = draftSession(context, {
    title: input.sessionTitle ?? titleFrom(input.thought),
    tags: input.sessionTags,
    navigation: {},
  });
  return { session };
}

function warnOfDuplicate({ warn }: OpeningContext): void {
  warn({
    code: "DUPLICATE_THOUGHT",
    message:
      "The same first thought was recorded less than a minute ago, so this call recorded nothing. To open another session, call start_new.",
  });
}

/** A caller that opens a second session within this time has probably forgotten the first. */
const openedLatelyMs = 10 * 60_000;

/** After a broken connection, clients repeat a call within this time. */
const sameForMs = 60_000;

/** The maximum number of warnings about lost references. */
const maxDoubts = 3;

function warnOfDoubts({ warn }: Pick<OperationContext, "warn">, doubts: readonly string[]): void {
  const more = doubts.length - maxDoubts;
  for (const [at, doubt] of doubts.slice(0, maxDoubts).entries()) {
    const isLast = at === maxDoubts - 1 && more > 0;
    warn({
      code: "CIPHER_DOUBT",
      message: isLast ? `${doubt} Not shown: ${count(more, "more doubt")}.` : doubt,
    });
  }
}

/**
 * The maximum length of the announced text. Listeners see less, so that a secret at the end is still
 * recognised.
 */
const announcedChars = 2_000;

function announceThought({ emit }: OperationContext, { entry, thoughtCount, replayed }: AppendReceipt): void {
  if (replayed) return;
  const { sessionId, data } = entry;
  const { timestamp } = data;
  const shown: ThoughtEventData = {
    id: nodeId(sessionId, data),
    thoughtNumber: data.thoughtNumber,
    totalThoughts: data.totalThoughts,
    nextThoughtNeeded: data.nextThoughtNeeded,
    thought: clip(data.thought, announcedChars),
    ...(data.branchId !== undefined && { branchId: data.branchId }),
    ...(data.branchFromThought !== undefined && { branchFromThought: data.branchFromThought }),
    ...(data.revisesThought !== undefined && { revisesThought: data.revisesThought }),
  };
  emit({ type: data.isRevision ? "thought_revised" : "thought_added", timestamp, sessionId, data: shown });
  if (data.branchFromThought !== undefined)
    emit({ type: "branch_created", timestamp, sessionId, data: shown });
  if (endsSession(data)) {
    const { thoughtNumber } = data;
    emit({ type: "session_completed", timestamp, sessionId, data: { thoughtNumber, thoughtCount } });
  }
}

const longestTitle = 80;

type MaybeFirst = Omit<ThoughtDraft, "sessionId"> & { attachCritique?: object | undefined };

/** False for a thought that refers to an earlier one. */
const canBeFirst = (thought: MaybeFirst): boolean =>
  (thought.branchId ?? thought.branchFromThought ?? thought.revisesThought ?? thought.attachCritique) ===
    undefined && (thought.thoughtNumber ?? 1) === 1;

/** Makes a session's title from its first thought. For cipher, uses the first words of the first step. */
function titleFrom(thought: string): string {
  const words = parseCipher(thought)?.steps[0]?.content || thought;
  const line = words.trim().split(/[\r\n]/, 1)[0] ?? "";
  if (line.length <= longestTitle) return line || clipWhole(thought, longestTitle);
  const cut = clipWhole(line, longestTitle - 1);
  const atWord = cut.lastIndexOf(" ");
  return `${atWord > longestTitle / 2 ? cut.slice(0, atWord) : cut}…`;
}

/** Refuses to open a session with a thought that refers to an earlier one, because a new session has none. */
async function refuseOpening({
  ledger,
  callerState,
  fail,
}: OperationContext<"SESSION_NOT_FOUND">): Promise<never> {
  const recent = await recentSessions(ledger, callerState.project);
  const latest = recent[0];
  return fail("SESSION_NOT_FOUND", "There is no session to record the thought in. Pass sessionId.", {
    details: { recentSessions: recent },
    recovery: latest
      ? {
          hint: "Pass the sessionId of the session you mean. This call loads the latest session.",
          operation: "load_context",
          args: { sessionId: latest.sessionId },
        }
      : { hint: "Start a session and pass its sessionId.", operation: "start_new", args: {} },
  });
}

const refuseInTheAir = ({ fail }: OperationContext<"THOUGHT_NOT_FOUND">): never =>
  fail(
    "THOUGHT_NOT_FOUND",
    "This would be the first thought of a new session, so there is nothing to fork from or revise.",
    {
      recovery: {
        hint: "Record the thought without these fields, as the first of the session.",
        operation: "thought",
        args: {
          branchId: null,
          branchFromThought: null,
          branchFromBranch: null,
          revisesThought: null,
          isRevision: null,
          attachCritique: null,
        },
        patch: true,
      },
    },
  );

import { parseCipher } from "../../../domain/cipher/parse.ts";
import { branchOfAgent, type ThoughtDraft } from "../../../domain/ledger/chain/append.ts";
import { keepSteps } from "../../../domain/ledger/read-cipher.ts";
import { canonicalJson } from "../../../kernel/json/canonical-json.ts";
import { sha256Hex } from "../../../kernel/sha256.ts";
import type { AppendReceipt, AppendRequest, Opening, SentAgain } from "../../../ports/ledger-store.ts";
import { type Caller, originOf } from "../../pipeline/caller.ts";
import type { OperationContext } from "../../pipeline/context.ts";
import { adoptSession, draftSession } from "../open-session.ts";
import { canBeFirst, refuseInTheAir, refuseOpening, titleFrom } from "./opening-thought.ts";

type ThoughtInput = Omit<ThoughtDraft, "sessionId"> & {
  critique?: boolean | undefined;
  sessionTitle?: string | undefined;
  sessionTags?: string[] | undefined;
  attachCritique?: object | undefined;
};

type OpeningContext = OperationContext<"SESSION_NOT_FOUND" | "THOUGHT_NOT_FOUND" | "INVALID_PAYLOAD">;

/** Records a thought in the caller's session; the first one opens it. */
export async function recordOrOpen(context: OpeningContext, input: ThoughtInput): Promise<AppendReceipt> {
  const { sessionId } = context.standing;
  const draft = { ...input, ownBranch: branchOfAgent(context.caller.conversation?.agent) };
  if (sessionId !== undefined) {
    const again = mayBeAgain(context, input) ? sentAgain(context, input.thought) : undefined;
    const receipt = await recordThought(context, { sessionId, ...draft }, { again });
    keepSession(context.caller, sessionId);
    if (receipt.opened) warnOfDuplicate(context);
    return receipt;
  }
  const opens = await openingOf(context, input);
  const again = sentAgain(context, input.thought);
  const receipt = await recordThought(context, { sessionId: opens.session.id, ...draft }, { opens, again });
  if (receipt.opened) await adoptSession(context, opens.session, receipt.opened.session);
  if (receipt.replayed && !context.once) warnOfDuplicate(context);
  return receipt;
}

/** A caller that has no session of its own goes on in the first one that it writes to. */
function keepSession({ binding, process }: Caller, sessionId: string): void {
  if (binding) binding.sessionId ??= sessionId;
  if (process) process.sessionId ??= sessionId;
}

/** Whether the session was opened by its only thought, of which this may be a second copy. */
function mayBeAgain({ standing, once }: OpeningContext, input: ThoughtInput): boolean {
  return !standing.isNamed && !once && standing.session?.thoughtCount === 1 && canBeFirst(input);
}

/** Only within one conversation, or one process, are the same words the same call. */
function sentAgain({ caller, settings, clock }: OpeningContext, thought: string): SentAgain | undefined {
  const who = caller.conversation?.id ?? caller.process?.id;
  if (who === undefined) return undefined;
  const origin = originOf(caller, settings.project);
  return {
    key: sha256Hex(
      canonicalJson([origin?.principal ?? "", origin?.project ?? "", origin?.client ?? "", who, thought]),
    ),
    since: new Date(clock().getTime() - sameForMs).toISOString(),
  };
}

export async function recordThought(
  context: OperationContext,
  input: ThoughtInput & { sessionId: string },
  { opens, again }: Pick<AppendRequest, "opens" | "again"> = {},
): Promise<AppendReceipt> {
  const { sessionTitle: _title, sessionTags: _tags, attachCritique: _critique, ...draft } = input;
  const parsed = parseCipher(draft.thought);
  const receipt = await context.ledger.append({
    draft,
    timestamp: context.clock().toISOString(),
    salt: context.newSalt(),
    cipher: parsed && keepSteps(parsed),
    critiqueRequested: input.critique,
    once: context.once,
    opens,
    again,
    origin: originOf(context.caller, context.settings.project),
  });
  for (const { code, line, message } of parsed?.warnings.slice(0, maxDoubts) ?? [])
    context.warn({ code: "CIPHER_DOUBT", message: `Line ${line}, ${code}: ${message}` });
  return receipt;
}

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
      "This opening was recorded less than a minute ago, so this is its receipt. To open another session, call start_new.",
  });
}

/** A broken connection makes clients send a call again, within this time. */
const sameForMs = 60_000;

/** Doubts about the notation that one answer names; the thought is recorded whatever they are. */
const maxDoubts = 3;

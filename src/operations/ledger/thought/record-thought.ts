import { parseCipher } from "../../../domain/cipher/parse.ts";
import type { ThoughtDraft } from "../../../domain/ledger/append.ts";
import { keepSteps } from "../../../domain/ledger/read-cipher.ts";
import type { AppendReceipt } from "../../../ports/ledger-store.ts";
import type { OperationContext } from "../../pipeline/context.ts";
import { openSession } from "../open-session.ts";

type ThoughtInput = Omit<ThoughtDraft, "sessionId"> & {
  critique?: boolean | undefined;
  sessionTitle?: string | undefined;
  sessionTags?: string[] | undefined;
};

/** Legacy clients get a session by merely thinking; a modern one must at least name it, or nobody could find it again. */
export async function openForThought(
  input: ThoughtInput,
  context: OperationContext<"SESSION_NOT_FOUND" | "THOUGHT_NOT_FOUND" | "INVALID_PAYLOAD">,
): Promise<string> {
  const { settings, caller, fail } = context;
  if (settings.autoCreateSession && (caller.binding || input.sessionTitle !== undefined)) {
    if (input.branchId ?? input.branchFromThought ?? input.revisesThought) {
      const args = { branchId: null, branchFromThought: null, branchFromBranch: null, revisesThought: null };
      return fail("THOUGHT_NOT_FOUND", "The session begins here: nothing to fork from or to revise yet.", {
        recovery: {
          hint: "Record it as a first thought.",
          operation: "thought",
          args: { ...args, isRevision: null },
          patch: true,
        },
      });
    }
    // A modern caller who sends this again must find the same session; a legacy one is bound to it already.
    const session = await openSession(
      { ...context, once: caller.binding ? undefined : context.once },
      { title: input.sessionTitle, tags: input.sessionTags, navigation: {} },
    );
    return session.id;
  }
  return fail("SESSION_NOT_FOUND", "There is no session to record this in.", {
    recovery: { hint: "Start one and pass its sessionId.", operation: "start_new", args: {} },
  });
}

export async function recordThought(
  context: OperationContext,
  input: ThoughtInput & { sessionId: string },
): Promise<AppendReceipt> {
  const { sessionTitle: _title, sessionTags: _tags, ...draft } = input;
  const parsed = parseCipher(draft.thought);
  const receipt = await context.ledger.append({
    draft,
    timestamp: context.clock().toISOString(),
    salt: context.newSalt(),
    cipher: parsed && keepSteps(parsed),
    critiqueRequested: input.critique,
    once: context.once,
  });
  for (const { code, line, message } of parsed?.warnings.slice(0, maxDoubts) ?? [])
    context.warn({ code: "CIPHER_DOUBT", message: `Line ${line}, ${code}: ${message}` });
  return receipt;
}

/** Doubts about the notation that one answer names; the thought is recorded whatever they are. */
const maxDoubts = 3;

import { parseCipher } from "../../../domain/cipher/parse.ts";
import type { ThoughtDraft } from "../../../domain/ledger/chain/append.ts";
import { clipWhole } from "../../../kernel/secrets/secrets-policy.ts";
import type { OperationContext } from "../../pipeline/context.ts";
import { recentSessions } from "../../pipeline/stage-gate.ts";

const longestTitle = 80;

type MaybeFirst = Omit<ThoughtDraft, "sessionId"> & { attachCritique?: object | undefined };

/** Whether nothing in it speaks of an earlier thought. */
export const canBeFirst = (thought: MaybeFirst): boolean =>
  (thought.branchId ?? thought.branchFromThought ?? thought.revisesThought ?? thought.attachCritique) ===
    undefined && (thought.thoughtNumber ?? 1) === 1;

/** The first words of the thought; of cipher, those of its first step. */
export function titleFrom(thought: string): string {
  const words = parseCipher(thought)?.steps[0]?.content || thought;
  const line = words.trim().split(/[\r\n]/, 1)[0] ?? "";
  if (line.length <= longestTitle) return line || clipWhole(thought, longestTitle);
  const cut = clipWhole(line, longestTitle - 1);
  const atWord = cut.lastIndexOf(" ");
  return `${atWord > longestTitle / 2 ? cut.slice(0, atWord) : cut}…`;
}

/** Nobody could find a session again that began in the middle: the caller means one that exists. */
export async function refuseOpening({
  ledger,
  standing,
  fail,
}: OperationContext<"SESSION_NOT_FOUND">): Promise<never> {
  const recent = await recentSessions(ledger, standing.project);
  const latest = recent[0];
  return fail("SESSION_NOT_FOUND", "There is no session to record this in: pass sessionId.", {
    details: { recentSessions: recent },
    recovery: latest
      ? {
          hint: "Load the session you mean, and pass its sessionId.",
          operation: "load_context",
          args: { sessionId: latest.sessionId },
        }
      : { hint: "Start one and pass its sessionId.", operation: "start_new", args: {} },
  });
}

export const refuseInTheAir = ({ fail }: OperationContext<"THOUGHT_NOT_FOUND">): never =>
  fail("THOUGHT_NOT_FOUND", "The session begins here: nothing to fork from or to revise yet.", {
    recovery: {
      hint: "Record it as a first thought.",
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
  });

import type { LedgerFacts } from "../../../domain/ledger/failures.ts";
import type { ImportRefusal } from "../../../domain/ledger/judge-import.ts";
import { describeAddress } from "../../../domain/ledger/thought.ts";
import type { Recovery } from "../../../kernel/errors.ts";
import type { WordsFor } from "./words.ts";

const seeStructure = (hint = "See the existing thoughts."): Recovery => ({
  hint,
  operation: "get_structure",
  args: {},
});
const listSessions = { hint: "List your project's sessions.", operation: "list_sessions", args: {} };
const again = (hint: string, args: Record<string, unknown>): Recovery => ({
  hint,
  operation: "thought",
  args,
  patch: true,
});

export const ledgerWords: WordsFor<LedgerFacts> = {
  fork_without_number: () => ({
    message: "branchFromBranch needs branchFromThought: the number to fork from in that branch.",
  }),
  branch_without_fork: ({ branchId, branches, tip }) => ({
    message: `There is no branch ${branchId} yet: a new branch needs branchFromThought.`,
    details: { branches: branches.slice(0, 20) },
    recovery:
      tip > 0
        ? again(`Fork from thought ${tip}, or pass another thought as branchFromThought.`, {
            branchFromThought: tip,
          })
        : again("Omit branchId to start on the main chain.", { branchId: null }),
  }),
  branch_forks_elsewhere: ({ branchId, fork, free }) => ({
    message: `Branch ${branchId} already forks from ${describeAddress(fork)}.`,
    recovery: again(
      `Choose another branchId for a new fork, such as ${free}, or omit branchFromThought to continue this branch.`,
      { branchId: free },
    ),
  }),
  chain_full: ({ max }) => ({
    message: `This chain is full: the highest number is ${max}.`,
    recovery: { hint: "Start a new session.", operation: "start_new", args: {} },
  }),
  thought_taken: ({ address, next }) => ({
    message: `${capitalise(describeAddress(address))} already exists. A recorded thought is never overwritten.`,
    details: { thoughtNumber: address.thoughtNumber, nextThoughtNumber: next },
    recovery: again(
      `Use thoughtNumber ${next}, or leave it out. To correct the thought, add revisesThought: ${address.thoughtNumber}.`,
      { thoughtNumber: next },
    ),
  }),
  thought_missing: ({ address, wanted, highest }) => ({
    message: `Cannot ${wanted} ${describeAddress(address)}: it does not exist.`,
    details: { ...address, highest },
    recovery: seeStructure(),
  }),
  nothing_to_criticise: ({ address }) => ({
    message: `There is no ${describeAddress(address)} to critique.`,
    recovery: seeStructure(),
  }),
  session_missing: ({ sessionId }) => ({
    message: `No session has the ID ${sessionId}.`,
    recovery: listSessions,
  }),
  session_not_in_trash: () => ({
    message: "No session with this ID is in the trash.",
    recovery: listSessions,
  }),
  session_of_key_deleted: () => ({
    message: "The session for this idempotencyKey was deleted.",
    recovery: { hint: "Use a new key, or omit idempotencyKey." },
  }),
  thought_of_key_deleted: () => ({
    message: "The thought recorded under this idempotencyKey no longer exists.",
  }),
  result_of_key_deleted: ({ what }) => ({
    message: `The ${what} for this idempotencyKey was deleted.`,
    recovery: { hint: "Use a new key, or omit idempotencyKey." },
  }),
  key_reused: () => ({
    message:
      "idempotencyKey was already used for a call with different content. The first call still applies.",
    recovery: { hint: "Use a new key for new content, or omit idempotencyKey." },
  }),
};

const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export function describeImportRefusal(refusal: ImportRefusal): string {
  switch (refusal.why) {
    case "foreign":
      return "a different session has this ID";
    case "in_trash":
      return "the session is in the store's trash";
    case "other_thought":
      return `the store has a different thought at position ${refusal.position}`;
    case "number_taken":
      return `the store has a different ${describeAddress(refusal.address)}`;
    case "not_continued":
      return `position ${refusal.position} does not follow the store's last thought`;
  }
}

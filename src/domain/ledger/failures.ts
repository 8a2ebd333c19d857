import { defineFailures } from "../../kernel/errors.ts";
import type { Address } from "./thought.ts";

/** Why the ledger refuses a request, with the facts for the message. */
export type LedgerFacts = {
  fork_without_number: Record<never, never>;
  /** `tip` is the last number in the main chain, or 0 if the chain is empty. */
  branch_without_fork: { branchId: string; branches: readonly string[]; tip: number };
  /** `free` is an unused branchId. */
  branch_forks_elsewhere: { branchId: string; fork: Address; free: string };
  chain_full: { max: number };
  thought_taken: { address: Address; next: number };
  thought_missing: { address: Address; wanted: "fork from" | "revise"; highest: number };
  nothing_to_criticise: { address: Address };
  session_missing: { sessionId: string };
  session_not_in_trash: { sessionId: string };
  session_of_key_deleted: Record<never, never>;
  thought_of_key_deleted: Record<never, never>;
  result_of_key_deleted: { what: "notebook" | "note" };
  key_reused: Record<never, never>;
};

/** The only error type that the ledger's rules and stores throw to refuse a request. */
export const ledgerFailure = defineFailures<LedgerFacts>({
  fork_without_number: "INVALID_PAYLOAD",
  branch_without_fork: "INVALID_PAYLOAD",
  branch_forks_elsewhere: "INVALID_PAYLOAD",
  chain_full: "INVALID_PAYLOAD",
  thought_taken: "INVALID_PAYLOAD",
  thought_missing: "THOUGHT_NOT_FOUND",
  nothing_to_criticise: "THOUGHT_NOT_FOUND",
  session_missing: "SESSION_NOT_FOUND",
  session_not_in_trash: "SESSION_NOT_FOUND",
  session_of_key_deleted: "SESSION_NOT_FOUND",
  thought_of_key_deleted: "STORAGE_ERROR",
  result_of_key_deleted: "INVALID_PAYLOAD",
  key_reused: "INVALID_PAYLOAD",
});

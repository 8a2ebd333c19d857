import { defineFailures } from "../../kernel/errors.ts";
import type { Address } from "./address.ts";

/** Why the ledger refuses something, and what the words about it need. */
export type LedgerFacts = {
  fork_without_number: Record<never, never>;
  /** `tip` is the last number of the main chain, 0 where there is none. */
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
  key_reused: Record<never, never>;
};

/** The one way in which rules and stores of the ledger refuse. */
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
  key_reused: "INVALID_PAYLOAD",
});

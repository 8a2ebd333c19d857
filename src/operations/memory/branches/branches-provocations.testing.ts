import {
  atOnce,
  brokenStore,
  given,
  onBranch,
  onLedger,
  type Provocations,
} from "../../../../tests/catalogue/provoke.ts";

export const provocations: Provocations = {
  macro_branch_note: {
    INVALID_PAYLOAD: atOnce({ name: "try/queue" }),
    UNKNOWN_ID: atOnce({ from: "nowhere", content: "x" }),
    STORAGE_ERROR: brokenStore,
  },
  branch_create: {
    CONFLICT: onBranch({ name: "try/cache" }),
    INVALID_PAYLOAD: atOnce({ name: "task/TASK-001" }),
    UNKNOWN_ID: atOnce({ name: "try/queue", from: "nowhere" }),
    STORAGE_ERROR: brokenStore,
  },
  branch_list: { STORAGE_ERROR: brokenStore },
  branch_rename: {
    CONFLICT: onBranch({ old: "try/cache", new: "main" }),
    UNKNOWN_ID: onBranch({ old: "nowhere", new: "somewhere" }),
    INVALID_PAYLOAD: onBranch({ old: "try/cache", new: "plan/PLAN-001" }),
    STORAGE_ERROR: brokenStore,
  },
  branch_delete: {
    CONFLICT: onBranch({ name: "main" }),
    UNKNOWN_ID: onBranch({ name: "nowhere" }),
    INVALID_PAYLOAD: onBranch({ name: "task/TASK-001" }),
    STORAGE_ERROR: brokenStore,
  },
  branch_restore: {
    CONFLICT: given("a workspace with a deleted branch", { name: "try/cache", as: "main" }),
    UNKNOWN_ID: onBranch({ name: "nowhere" }),
    INVALID_PAYLOAD: given("a workspace with a deleted branch", { name: "try/cache", as: "plan/PLAN-001" }),
    STORAGE_ERROR: brokenStore,
  },
  checkout: {
    UNKNOWN_ID: atOnce({ ref: "nowhere" }),
    INVALID_PAYLOAD: onLedger((ref) => ({ ref })),
    STORAGE_ERROR: brokenStore,
  },
};

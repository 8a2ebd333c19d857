import {
  atOnce,
  brokenStore,
  onBranch,
  onCommits,
  type Provocations,
  wrongDoc,
} from "../../../../tests/catalogue/provoke.ts";

export const provocations: Provocations = {
  commit: { STORAGE_ERROR: brokenStore },
  log: {
    INVALID_PAYLOAD: onCommits(wrongDoc),
    UNKNOWN_ID: onCommits({ ref: "notes@999" }),
    STORAGE_ERROR: brokenStore,
  },
  tag_create: {
    CONFLICT: onCommits({ name: "v1" }),
    INVALID_PAYLOAD: onCommits({ name: "v2", from: "plan@2" }),
    UNKNOWN_ID: onBranch({ name: "v1" }),
    NO_CHECKOUT: atOnce({ name: "v1" }),
    STORAGE_ERROR: brokenStore,
  },
  tag_list: { STORAGE_ERROR: brokenStore },
  tag_delete: { UNKNOWN_ID: atOnce({ name: "v1" }), STORAGE_ERROR: brokenStore },
  reflog: {
    INVALID_PAYLOAD: onCommits(wrongDoc),
    UNKNOWN_ID: onCommits({ ref: "nowhere" }),
    STORAGE_ERROR: brokenStore,
  },
  reset: {
    INVALID_PAYLOAD: onCommits(wrongDoc),
    UNKNOWN_ID: onBranch({ ref: "notes@2" }),
    NO_CHECKOUT: atOnce({ ref: "notes@2" }),
    STORAGE_ERROR: brokenStore,
  },
};

import {
  atOnce,
  brokenStore,
  nowhere,
  onBranch,
  onCommits,
  type Provocations,
  twoPlaces,
  wrongDoc,
} from "../../../../tests/catalogue/provoke.ts";

export const provocations: Provocations = {
  notes_commit: {
    INVALID_PAYLOAD: atOnce({ content: "x", ...twoPlaces }),
    UNKNOWN_ID: atOnce({ content: "x", ...nowhere }),
    STORAGE_ERROR: brokenStore,
  },
  show: {
    INVALID_PAYLOAD: onBranch(twoPlaces),
    UNKNOWN_ID: onBranch(nowhere),
    STORAGE_ERROR: brokenStore,
  },
  docs_list: {
    INVALID_PAYLOAD: onCommits(wrongDoc),
    UNKNOWN_ID: onCommits({ ref: "nowhere" }),
    STORAGE_ERROR: brokenStore,
  },
  diff: { UNKNOWN_ID: onBranch({ from: "main", to: "nowhere" }), STORAGE_ERROR: brokenStore },
  merge: {
    MERGE_NOT_SUPPORTED: onBranch({ from: "main", merge_to_base: true }),
    UNKNOWN_ID: onBranch({ from: "nowhere" }),
    INVALID_PAYLOAD: onBranch({ from: "main", into: "main" }),
    NO_CHECKOUT: atOnce({ from: "main" }),
    STORAGE_ERROR: brokenStore,
  },
  open: {
    UNKNOWN_ID: atOnce({ id: "nothing" }),
    INVALID_PAYLOAD: onCommits({ id: "plan@2" }),
    STORAGE_ERROR: brokenStore,
  },
};

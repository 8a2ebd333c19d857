import { atOnce, brokenStore, given, type Provocations } from "../../../../tests/catalogue/provoke.ts";

const onAnchors = (args: Record<string, unknown>) => given("a workspace with anchors", args);

export const provocations: Provocations = {
  macro_anchor_note: {
    INVALID_PAYLOAD: atOnce({ anchor: "a:core", content: "x" }),
    UNKNOWN_ID: atOnce({
      anchor: "a:core",
      title: "Core",
      kind: "component",
      content: "x",
      target: "TASK-999",
    }),
    CONFLICT: onAnchors({ anchor: "a:storage", content: "x", aliases: ["a:login"] }),
    STORAGE_ERROR: brokenStore,
  },
  anchors_list: { STORAGE_ERROR: brokenStore },
  anchor_snapshot: { UNKNOWN_ID: onAnchors({ anchor: "a:nowhere" }), STORAGE_ERROR: brokenStore },
  anchors_export: { STORAGE_ERROR: brokenStore },
  anchors_rename: {
    UNKNOWN_ID: onAnchors({ from: "a:nowhere", to: "a:else" }),
    CONFLICT: onAnchors({ from: "a:storage", to: "a:login" }),
    INVALID_PAYLOAD: onAnchors({ from: "storage", to: "a:else" }),
    STORAGE_ERROR: brokenStore,
  },
  anchors_merge: {
    UNKNOWN_ID: onAnchors({ from: ["a:nowhere"], into: "a:storage" }),
    INVALID_PAYLOAD: onAnchors({ from: [], into: "a:storage" }),
    STORAGE_ERROR: brokenStore,
  },
  anchors_lint: { STORAGE_ERROR: brokenStore },
};

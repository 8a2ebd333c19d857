import {
  after,
  atOnce,
  brokenStore,
  byRef,
  nowhere,
  onCards,
  onTask,
  type Provocations,
} from "../../../../tests/catalogue/provoke.ts";

export const provocations: Provocations = {
  think_context: {
    ...byRef(),
    INVALID_PAYLOAD: onTask({ target: "TASK-001", graph_doc: "graph" }),
    UNKNOWN_ID: onCards(nowhere),
  },
  think_frontier: byRef(),
  think_next: byRef(),
  think_pack: byRef(),
  think_watch: byRef(),
  context_pack: {
    INVALID_PAYLOAD: onCards({ target: "TASK-001", ref: "main" }),
    UNKNOWN_ID: onCards({ ref: "nowhere" }),
    STORAGE_ERROR: brokenStore,
  },
  context_pack_export: { ...byRef({ out_file: "pack.json" }) },
  export: {
    INVALID_PAYLOAD: after("tasks_focus_clear", {}, {}),
    UNKNOWN_ID: atOnce({ target: "TASK-999" }),
    STORAGE_ERROR: brokenStore,
  },
};

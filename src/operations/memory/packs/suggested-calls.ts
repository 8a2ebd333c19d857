import type { Calls } from "../../../domain/engine/calls.ts";

/** Where suggested calls go: a plan or task, or a branch with its documents. */
export type EngineScope =
  | { workspace: string; target: string }
  | { workspace: string; branch: string; graph_doc: string; trace_doc: string };

/** The calls that the engine proposes, into the scope of its slice; `step` puts new cards where it was cut. */
export function createCalls(scope: EngineScope, step?: string): Calls {
  const { workspace } = scope;
  const byBranch =
    "target" in scope
      ? { target: scope.target }
      : { branch: scope.branch, graph_doc: scope.graph_doc, trace_doc: scope.trace_doc };
  const byRef =
    "target" in scope
      ? { target: scope.target }
      : { ref: scope.branch, graph_doc: scope.graph_doc, trace_doc: scope.trace_doc };
  return {
    openCard: (id) => ({ operation: "open", args: { workspace, id } }),
    playbook: (name) => ({ operation: "think_playbook", args: { workspace, name } }),
    publish: (id) => ({
      operation: "think_publish",
      args: { workspace, ...byRef, card_id: id, pin: true },
    }),
    addCard: (card, edges) => ({
      operation: "think_card",
      args: { workspace, ...byBranch, ...(step !== undefined && { step }), card, ...edges },
    }),
  };
}

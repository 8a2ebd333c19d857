import type { CardType } from "../memory/cards/card.ts";
import type { EngineScope } from "./slice.ts";

/** A call as data: it works when executed as it stands. */
export type SuggestedCall = { operation: string; args: Record<string, unknown> };

type StubCard = { type: CardType; title: string; text?: string; tags?: string[] };

export type Calls = {
  openCard(id: string): SuggestedCall;
  playbook(name: string): SuggestedCall;
  publish(id: string): SuggestedCall;
  addCard(card: StubCard, edges: { supports?: string[]; blocks?: string[] }): SuggestedCall;
};

/** Calls into the scope of the slice; `step` puts new cards where the slice was cut. */
export function createCalls(scope: EngineScope, step: string | undefined): Calls {
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

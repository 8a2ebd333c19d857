import type { Calls } from "../../../domain/engine/findings.ts";
import { type Engine, runEngine } from "../../../domain/engine/run-engine.ts";
import type { SliceEntry } from "../../../domain/engine/slice.ts";
import { byAge, type CardNode, isOpen, nameOf } from "../../../domain/memory/cards/card.ts";
import {
  buildCapsule,
  type Capsule,
  type CapsuleKind,
  type CapsuleKnown,
  type OwnStep,
} from "../../../domain/memory/views/capsule.ts";
import { highlight } from "../../../domain/memory/views/highlights.ts";
import { clipWhole } from "../../../kernel/secrets/secrets-policy.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import type { CardSlice, ViewScope } from "./load-slice.ts";
import { type BoardView, nextTask } from "./read-board.ts";

export type CardsInView = Pick<CardSlice, "scope" | "cards" | "edges">;

type EngineLimits = {
  engine_signals_limit: number;
  engine_actions_limit: number;
  stale_after_days?: number | undefined;
};

export function engineFor(
  memory: Pick<MemoryContext, "workspace" | "warn">,
  { scope: { place, step }, cards, edges }: CardsInView,
  beside: { trace?: readonly SliceEntry[]; drafts?: readonly CardNode[] },
  limits: EngineLimits,
): Engine {
  const { branch, graph_doc, trace_doc, target } = place;
  const { workspace } = memory;
  return runEngine(
    { cards, edges, ...beside },
    {
      calls: createCalls(
        target ? { workspace, target: target.id } : { workspace, branch, graph_doc, trace_doc },
        step?.step_id,
      ),
      stepTag: step?.tag,
      signalsLimit: limits.engine_signals_limit,
      actionsLimit: limits.engine_actions_limit,
      staleAfterDays: limits.stale_after_days,
    },
  );
}

/** `known` lists the few most important cards, if no other block shows them. */
export function capsuleFor(
  type: CapsuleKind,
  { workspace }: Pick<MemoryContext, "workspace">,
  { scope: { place, current, drafts } }: CardsInView,
  engine: Pick<Engine, "signals" | "actions">,
  board: Pick<BoardView, "shown" | "openSteps">,
  known?: CapsuleKnown,
): Capsule {
  const { target, branch, graph_doc, trace_doc } = place;
  // In the other packs, the header contains the documents.
  const docs = type === "watch_capsule" || type === "think_pack_capsule";
  return buildCapsule(
    type,
    {
      workspace,
      branch,
      ...(docs && { graph_doc, trace_doc, lane: drafts ? "all" : "shared" }),
      target: target?.id,
      title: target?.title,
      step: current && `${current.path} ${current.title} (${current.step_id})`,
    },
    known,
    engine,
    nextStep(workspace, place, current, board),
  );
}

const shownHypotheses = 4;
const brief = (card: CardNode) => ({ id: card.id, title: clipWhole(nameOf(card), 80) });

export function knownCards({ cards, edges }: Pick<CardSlice, "cards" | "edges">): CapsuleKnown {
  const open = cards.filter((card) => card.type === "hypothesis" && isOpen(card)).toSorted(byAge);
  const { decisions, evidence } = highlight(cards, edges, { decisions: 1, evidence: 50, blockers: 0 });
  const [decision] = decisions;
  const basis = new Set(
    edges
      .filter(({ rel, from, to }) => rel === "supports" && (from === decision?.id || to === decision?.id))
      .flatMap(({ from, to }) => [from, to]),
  );
  return {
    hypotheses: open.slice(0, shownHypotheses).map(brief),
    ...(decision && {
      decision: Object.assign(brief(decision), {
        status: decision.status,
        evidence: evidence
          .filter(({ id }) => basis.has(id))
          .slice(0, 3)
          .map(brief),
      }),
    }),
  };
}

function nextStep(
  workspace: string,
  { target }: ViewScope["place"],
  current: ViewScope["current"],
  { shown, openSteps }: Pick<BoardView, "shown" | "openSteps">,
): OwnStep {
  const call = (operation: string, id: string) => [{ operation, args: { workspace, target: id } }];
  const [plan] = shown.plans ?? [];
  if (!target && plan !== undefined) {
    const [id = ""] = plan.split(" ", 1);
    return { title: `Continue ${plan}`, calls: call("context_pack", id) };
  }
  if (!target)
    return {
      title: "Write down what you want to find out",
      calls: [{ operation: "think_template", args: { workspace, type: "frame" } }],
    };
  if (target.kind === "plan") {
    const task = nextTask(shown);
    if (!task) return { title: `See the state of ${target.id}`, calls: call("tasks_radar", target.id) };
    const step = task.step === undefined ? "" : `: ${task.step}`;
    return { title: `${task.id} ${task.title}${step}`, calls: call("context_pack", task.id) };
  }
  const step = openSteps.find(({ step_id }) => step_id === current?.step_id);
  if (!current || !step)
    return { title: `See the state of ${target.id}`, calls: call("tasks_radar", target.id) };
  const { success_criteria, tests, blockers } = step;
  return {
    title: `${step.path} ${step.title}`,
    ...(success_criteria.length > 0 && { criteria: [...success_criteria] }),
    ...(tests.length > 0 && { tests: [...tests] }),
    ...(blockers.length > 0 && { blockers: [...blockers] }),
    calls: call("tasks_radar", target.id),
  };
}

export type EngineScope =
  | { workspace: string; target: string }
  | { workspace: string; branch: string; graph_doc: string; trace_doc: string };

/** `step` attaches new cards to the requested step. */
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

import { type Engine, runEngine } from "../../../domain/engine/run-engine.ts";
import type { SliceEntry } from "../../../domain/engine/slice.ts";
import { byAge, type CardNode, isOpen, nameOf } from "../../../domain/memory/cards/card.ts";
import {
  buildCapsule,
  type Capsule,
  type CapsuleKind,
  type CapsuleKnown,
} from "../../../domain/memory/views/capsule.ts";
import { highlight } from "../../../domain/memory/views/highlights.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import type { CardSlice, ViewScope } from "./load-slice.ts";
import { createCalls } from "./suggested-calls.ts";

export type CardsInView = Pick<CardSlice, "scope" | "cards" | "edges">;

type EngineLimits = {
  engine_signals_limit: number;
  engine_actions_limit: number;
  stale_after_days?: number | undefined;
};

export function engineFor(
  memory: Pick<MemoryContext, "workspace" | "warn">,
  { scope: { place, step }, cards, edges }: CardsInView,
  trace: readonly SliceEntry[],
  limits: EngineLimits,
): Engine {
  const { branch, graph_doc, trace_doc, target } = place;
  const { workspace } = memory;
  return runEngine(
    { cards, edges, trace },
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

/** Where, why, next; `known` tells of the few cards that everything else hangs on, if no other block does. */
export function capsuleFor(
  type: CapsuleKind,
  { workspace }: Pick<MemoryContext, "workspace">,
  { scope: { place, current } }: CardsInView,
  engine: Pick<Engine, "signals" | "actions">,
  known?: CapsuleKnown,
): Capsule {
  const { target, branch, graph_doc, trace_doc } = place;
  return buildCapsule(
    type,
    {
      workspace,
      branch,
      graph_doc,
      trace_doc,
      lane: "shared",
      target: target?.id,
      title: target?.title,
      step: current && `${current.path} ${current.step_id}`,
    },
    known,
    engine,
    nextStep(workspace, place, current),
  );
}

const shownHypotheses = 4;
const brief = (card: CardNode) => ({ id: card.id, title: nameOf(card).slice(0, 80) });

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
      decision: {
        ...brief(decision),
        status: decision.status,
        evidence: evidence
          .filter(({ id }) => basis.has(id))
          .slice(0, 3)
          .map(brief),
      },
    }),
  };
}

function nextStep(workspace: string, { target }: ViewScope["place"], current: ViewScope["current"]) {
  if (target && current)
    return {
      title: `${current.path} ${current.title}`,
      calls: [{ operation: "tasks_radar", args: { workspace, target: target.id } }],
    };
  if (target)
    return {
      title: `See where ${target.id} stands`,
      calls: [{ operation: "tasks_radar", args: { workspace, target: target.id } }],
    };
  return {
    title: "Write down what is to be found out",
    calls: [{ operation: "think_template", args: { workspace, type: "frame" } }],
  };
}

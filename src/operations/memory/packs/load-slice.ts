import type { CardEdge, CardNode } from "../../../domain/memory/cards/card.ts";
import { chooseView, stepTag } from "../../../domain/memory/cards/visibility.ts";
import {
  assembleCards,
  type FrontierLimits,
  planSelection,
  type Selected,
} from "../../../domain/memory/views/selection.ts";
import type { Item, Step } from "../../../domain/tasks/item.ts";
import { firstOpen } from "../../../domain/tasks/steps.ts";
import type { SliceExtras, StoredSlice } from "../../../ports/memory/memory-store.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { docsOfTarget, type ResolvedDocs } from "../scope.ts";
import { type NamedStep, nameStep, stepChooser } from "../think/resolve-step.ts";
import { type AskedRef, resolveRef } from "../think/think-change.ts";

type Codes = "INVALID_PAYLOAD" | "UNKNOWN_ID";

export type AskedView = AskedRef & {
  step?: string | undefined;
  view?: "smart" | "explore" | "audit" | undefined;
  all_lanes?: boolean | undefined;
  include_drafts?: boolean | undefined;
  context_budget?: number | undefined;
};

export type StepFocus = NamedStep & { tag: string };

type ViewChoice = { place: ResolvedDocs; view: "smart" | "explore" | "audit"; drafts: boolean };

export type ViewPlan = ViewChoice & {
  chooseStep: ((steps: readonly Step[]) => NamedStep) | undefined;
};

/** The steps are resolved in the snapshot that the view reads. */
export type ViewScope = ViewChoice & {
  /** If set, only the cards of this step are shown. */
  step: StepFocus | undefined;
  /** The requested step or, if no step was requested, the first open step of the task. */
  current: StepFocus | undefined;
  /** `undefined` means no limit. */
  asOfSeq: number | undefined;
};

export async function planView(memory: MemoryContext<Codes>, asked: AskedView): Promise<ViewPlan> {
  const { ref, graph_doc, trace_doc, notes_doc } = asked;
  const place = await resolveRef(memory, asked);
  const explicit = [ref, graph_doc, trace_doc, notes_doc].some((named) => named !== undefined);
  const chooseStep = stepChooser(memory, place.target, asked.step, explicit);
  return { place, ...chooseView(asked), chooseStep };
}

/** Plans the view of a plan or task that the caller has already loaded. */
export const planTargetView = (
  memory: MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID">,
  target: Item,
  asked: Omit<AskedView, keyof AskedRef>,
): ViewPlan => ({
  place: docsOfTarget(target),
  ...chooseView(asked),
  chooseStep: stepChooser(memory, target, asked.step, false),
});

const withTag = (step: NamedStep): StepFocus => ({ ...step, tag: stepTag(step.step_id) });

function focusIn({ place: { target }, chooseStep }: ViewPlan, steps: readonly Step[]) {
  const chosen = chooseStep?.(steps);
  const step = chosen && withTag(chosen);
  const open = target && firstOpen(steps);
  return { step, current: step ?? (open && withTag(nameStep(target, open))) };
}

export const frontierLimits = (
  asked: { [Name in `limit_${keyof FrontierLimits}`]: number },
): FrontierLimits => ({
  hypotheses: asked.limit_hypotheses,
  questions: asked.limit_questions,
  subgoals: asked.limit_subgoals,
  tests: asked.limit_tests,
});

export type CardSlice = {
  scope: ViewScope;
  cards: CardNode[];
  edges: CardEdge[];
  selected: Selected;
} & Pick<StoredSlice<Section>, "overview" | "difference">;

type SliceRequest = {
  limit: number;
  /** Seq of the last card on the previous page. Omit for the first page. */
  after?: number | undefined;
  frontier?: FrontierLimits;
  highlights?: number;
  extras?: SliceExtras;
};

const maxEdges = 1_000;
const maxNeighbours = 12;
const decisionsWithEvidence = 3;

/** Reads cards, edges, evidence for the newest decisions, and the steps of the task from one snapshot. */
export async function loadSlice(
  memory: MemoryContext,
  plan: ViewPlan,
  { limit, after, frontier, highlights = 0, extras = {} }: SliceRequest,
): Promise<CardSlice> {
  const { place, view, drafts } = plan;
  const at = { branch: place.branch, doc: place.graph_doc };
  // A later page has no limit here, because the cards that are read include some from earlier pages.
  const most = after === undefined ? limit : Number.POSITIVE_INFINITY;
  const found = await memory.memory.readSlice<Section>(memory.workspace, at, {
    task: place.target?.kind === "task" ? place.target.id : undefined,
    filters(steps) {
      const { step, current } = focusIn(plan, steps);
      const scoped = step ? { tag: step.tag, only: true } : current && { tag: current.tag, only: false };
      const decided = { types: ["decision"], drafts, tags: step ? [step.tag] : [], limit: highlights };
      const selection = planSelection({ view, drafts, step: scoped, frontier, limit, after });
      return Object.assign(selection, { decided, proven: { ...decided, types: ["evidence"] } });
    },
    neighbours: {
      of: ({ decided }) => decided.slice(0, decisionsWithEvidence).map(({ id }) => id),
      limit: maxNeighbours,
    },
    edges: { among: (read) => cardsOf(plan, most, read).map(({ id }) => id), limit: maxEdges },
    ...extras,
  });
  const { decided: _decided, proven: _proven, ...selected } = found.selected;
  const { step, current } = focusIn(plan, found.steps);
  const { overview, difference, asOfSeq } = found;
  return {
    scope: {
      place: overview ? { ...place, target: overview.item } : place,
      view,
      drafts,
      step,
      current,
      asOfSeq,
    },
    cards: cardsOf(plan, most, found),
    edges: found.edges.flatMap((edge) =>
      edge.kind === "edge" ? [{ from: edge.from, rel: edge.rel, to: edge.to }] : [],
    ),
    selected,
    overview,
    difference,
  };
}

type Section = keyof Selected | "decided" | "proven";

/** Returns each card of the slice once. Of a decision's neighbours, returns only evidence. */
function cardsOf(
  plan: ViewPlan,
  limit: number,
  { steps, selected, neighbours }: Pick<StoredSlice<Section>, "steps" | "selected" | "neighbours">,
): CardNode[] {
  const { decided, proven, ...sections } = selected;
  const { step } = focusIn(plan, steps);
  const around = neighbours.filter(
    ({ type, tags }) => type === "evidence" && (!step || tags.includes(step.tag)),
  );
  const all = [...assembleCards(sections, limit), ...decided, ...around, ...proven];
  return [...new Map(all.map((card) => [card.id, card])).values()];
}

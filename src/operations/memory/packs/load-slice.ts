import type { CardEdge, CardNode } from "../../../domain/memory/cards/card.ts";
import { chooseView, stepTag } from "../../../domain/memory/cards/visibility.ts";
import {
  assembleCards,
  type FrontierLimits,
  planSelection,
  type Selected,
} from "../../../domain/memory/views/selection.ts";
import type { Item } from "../../../domain/tasks/item.ts";
import { firstOpen } from "../../../domain/tasks/steps.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { clampLimit } from "../paging.ts";
import type { ResolvedDocs } from "../scope.ts";
import { resolveStep } from "../think/resolve-step.ts";
import { type AskedRef, resolveRef } from "../think/think-change.ts";

type Codes = "INVALID_PAYLOAD" | "UNKNOWN_ID" | "NO_CHECKOUT";

export type AskedView = AskedRef & {
  step?: string | undefined;
  view?: "smart" | "explore" | "audit" | undefined;
  all_lanes?: boolean | undefined;
  include_drafts?: boolean | undefined;
  context_budget?: number | undefined;
};

export type StepFocus = { task_id: string; step_id: string; path: string; title: string; tag: string };

/** Where a view looks and how, resolved once. */
export type ViewScope = {
  place: ResolvedDocs;
  view: "smart" | "explore" | "audit";
  drafts: boolean;
  /** The step that the caller asked for: nothing else is shown. */
  step: StepFocus | undefined;
  /** The first open step of the task, asked for or not. */
  current: StepFocus | undefined;
};

export async function resolveView(memory: MemoryContext<Codes>, asked: AskedView): Promise<ViewScope> {
  const { ref, graph_doc, trace_doc, notes_doc } = asked;
  const place = await resolveRef(memory, asked);
  const explicit = [ref, graph_doc, trace_doc, notes_doc].some((named) => named !== undefined);
  const found = await resolveStep(memory, place.target, asked.step, explicit);
  const step = found && { ...found, tag: stepTag(found.step_id) };
  return { place, ...chooseView(asked), step, current: step ?? (await currentStep(memory, place.target)) };
}

async function currentStep(memory: MemoryContext, target: Item | undefined): Promise<StepFocus | undefined> {
  if (target?.kind !== "task") return undefined;
  const open = firstOpen(await memory.memory.readSteps(memory.workspace, target.id));
  if (!open) return undefined;
  const { step_id, path, title } = open;
  return { task_id: target.id, step_id, path, title, tag: stepTag(step_id) };
}

export const frontierLimits = (
  memory: Pick<MemoryContext, "warn">,
  asked: { [Name in `limit_${keyof FrontierLimits}`]: number },
): FrontierLimits => ({
  hypotheses: clampLimit(memory, asked.limit_hypotheses, 50, 0),
  questions: clampLimit(memory, asked.limit_questions, 50, 0),
  subgoals: clampLimit(memory, asked.limit_subgoals, 50, 0),
  tests: clampLimit(memory, asked.limit_tests, 50, 0),
});

export type CardSlice = { cards: CardNode[]; edges: CardEdge[]; selected: Selected };

const maxEdges = 1_000;
const decisionsWithEvidence = 3;

/** The cards that a view is about, with the edges between them and the evidence of the newest decisions. */
export async function loadSlice(
  memory: MemoryContext,
  { place, view, drafts, step, current }: ViewScope,
  { limit, frontier, highlights }: { limit: number; frontier?: FrontierLimits; highlights?: number },
): Promise<CardSlice> {
  const at = { branch: place.branch, doc: place.graph_doc };
  const scoped = step ? { tag: step.tag, only: true } : current && { tag: current.tag, only: false };
  const decisions = { types: ["decision"], drafts, tags: step ? [step.tag] : [], limit: highlights ?? 0 };
  const selection = planSelection({ view, drafts, step: scoped, frontier, limit });
  const { decided, proven, ...selected } = await memory.memory.selectCards(memory.workspace, at, {
    ...selection,
    decided: decisions,
    proven: { ...decisions, types: ["evidence"] },
  });
  const newest = decided.slice(0, decisionsWithEvidence).map(({ id }) => id);
  const basis = newest.length === 0 ? [] : await memory.memory.neighboursOf(memory.workspace, at, newest, 12);
  const around = basis.filter(({ type, tags }) => type === "evidence" && (!step || tags.includes(step.tag)));
  const chosen = assembleCards(selected, limit);
  const all = new Map([...chosen, ...decided, ...around, ...proven].map((card) => [card.id, card]));
  const edges = await memory.memory.edgesAmong(memory.workspace, at, [...all.keys()], maxEdges);
  return {
    cards: [...all.values()],
    edges: edges.flatMap((edge) =>
      edge.kind === "edge" ? [{ from: edge.from, rel: edge.rel, to: edge.to }] : [],
    ),
    selected,
  };
}

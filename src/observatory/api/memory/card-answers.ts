import { confidence, evidenceScore } from "../../../domain/engine/confidence.ts";
import type { Action, Signal } from "../../../domain/engine/findings.ts";
import { runEngine } from "../../../domain/engine/run-engine.ts";
import { type Linked, linkSlice } from "../../../domain/engine/slice.ts";
import {
  type CardEdge,
  type CardNode,
  isPinned,
  nameOf,
  thinkTypes,
} from "../../../domain/memory/cards/card.ts";
import { isFallen, nameFile, readDecision } from "../../../domain/memory/decisions/decision.ts";
import { defaultDocs } from "../../../domain/memory/limits.ts";
import { createCalls } from "../../../operations/memory/packs/describe-slice.ts";
import type {
  CardsAnswer,
  MemoryCard,
  MemoryDecision,
  MemorySignal,
  SignalsAnswer,
} from "../../wire-memory.ts";
import type { Query } from "../answer.ts";
import { askGraph, type MemorySource, plainEdge } from "./memory-source.ts";

type Marks = Pick<MemoryCard, "ground" | "ground_moved" | "ground_now" | "rests_on_reversed">;
type Node = Omit<CardNode, "status" | "tags" | "last_ts_ms"> &
  Partial<Pick<CardNode, "status" | "tags" | "last_ts_ms">> &
  Marks;

const maxSignals = 50;

function readCards({ ask }: MemorySource, query: Query) {
  const cursor = query.number("cursor", { min: 0, max: Number.MAX_SAFE_INTEGER, standard: 0 });
  const target = query.text("target");
  const place = target === undefined ? { branch: query.text("branch"), doc: query.text("doc") } : { target };
  return askGraph<Node, CardEdge>(ask, {
    workspace: query.text("workspace"),
    ...place,
    types: [...thinkTypes],
    marks: true,
    cursor: cursor === 0 ? undefined : cursor,
  });
}

const toCard = (node: Node): CardNode & Marks => ({ status: "open", tags: [], last_ts_ms: 0, ...node });

export async function answerCards(source: MemorySource, query: Query): Promise<CardsAnswer> {
  const { branch, doc, nodes, edges, pagination } = await readCards(source, query);
  const cards = nodes.map(toCard);
  const linked = linkSlice({ cards, edges });
  return {
    workspace: query.text("workspace") ?? source.workspace,
    branch,
    doc,
    cards: cards.map((card) => toWireCard(card, linked)),
    edges: edges.map(plainEdge),
    pagination,
  };
}

function toWireCard(card: CardNode & Marks, linked: Linked): MemoryCard {
  const { id, type, text, status, tags, meta, last_seq, last_ts_ms } = card;
  const thought = type === "decision" ? (readDecision(card).thought ?? meta?.["thought"]) : meta?.["thought"];
  return {
    id,
    type,
    title: nameOf(card),
    ...(text !== undefined && { text }),
    status,
    tags: [...tags],
    pinned: isPinned(card),
    ...((type === "hypothesis" || type === "decision") && { confidence: confidence(card, linked) }),
    ...(type === "evidence" && { score: evidenceScore(card, linked) }),
    ...(typeof thought === "string" && { thought }),
    ...marksOf(card),
    ...(type === "decision" && { decision: toWireDecision(card) }),
    last_seq,
    last_ts_ms,
  };
}

const marksOf = ({ ground, ground_moved, ground_now, rests_on_reversed }: Marks): Marks => ({
  ...(ground && { ground }),
  ...(ground_moved && { ground_moved }),
  ...(ground_now && { ground_now }),
  ...(rests_on_reversed && { rests_on_reversed }),
});

function toWireDecision(card: CardNode & Marks): MemoryDecision {
  const { chosen, because, rejected, files, commit, reverses, reversedBy } = readDecision(card);
  return {
    state: isFallen(card) ? "reversed" : card.rests_on_reversed ? "in_doubt" : "holds",
    ...(chosen !== undefined && { chosen }),
    ...(because !== undefined && { because }),
    ...(rejected.length > 0 && {
      rejected: rejected.map(({ option, why }) => ({ option, ...(why !== undefined && { why }) })),
    }),
    ...(files.length > 0 && { files: files.map(nameFile) }),
    ...(commit !== undefined && { commit }),
    ...(reverses.length > 0 && { reverses: [...reverses] }),
    ...(reversedBy !== undefined && { reversed_by: reversedBy }),
  };
}

/** Returns the engine's signals about the newest cards. */
export async function answerSignals(source: MemorySource, query: Query): Promise<SignalsAnswer> {
  const { branch, doc, nodes, edges } = await readCards(source, query);
  const workspace = query.text("workspace") ?? source.workspace;
  const target = query.text("target");
  const scope =
    target === undefined
      ? { workspace, branch, graph_doc: doc, trace_doc: defaultDocs.trace }
      : { workspace, target };
  const { signals, actions } = runEngine(
    { cards: nodes.map(toCard), edges },
    { calls: createCalls(scope), signalsLimit: maxSignals, actionsLimit: maxSignals },
  );
  return { workspace, signals: signals.map((signal) => toWireSignal(signal, actions)) };
}

function toWireSignal(
  { severity, code, message, refs = [] }: Signal,
  actions: readonly Action[],
): MemorySignal {
  const action = actions.find((candidate) => remedies[code] === candidate.kind && concerns(candidate, refs));
  const call = action?.calls?.[0];
  return {
    severity,
    code,
    message,
    refs,
    ...(action && { action: { title: action.title, priority: action.priority, ...(call && { call }) } }),
  };
}

/** Maps a signal's code to the kind of action that resolves the signal. */
const remedies: Readonly<Record<string, Action["kind"]>> = {
  BM_LANE_DECISION_NOT_PUBLISHED: "publish_decision",
  BM4_HYPOTHESIS_NO_TEST: "add_test_stub",
  BM1_CONTRADICTION_SUPPORTS_BLOCKS: "resolve_contradiction",
  BM3_DECISION_LOW_CONFIDENCE: "use_playbook",
  BM6_ASSUMPTION_NOT_OPEN_BUT_USED: "recheck_assumption",
  BM8_EVIDENCE_STALE: "run_test",
  BM10_STUCK_NO_EVIDENCE: "use_playbook",
  BM10_NO_COUNTER_EDGES: "add_counter_hypothesis",
};

function concerns(action: Action, refs: readonly string[]): boolean {
  const json = JSON.stringify(action);
  return refs.length === 0 || refs.some((id) => json.includes(JSON.stringify(id).slice(1, -1)));
}

import type { Meta } from "../entry.ts";
import type { NodeContent } from "../graph.ts";
import { cardFailure, nameOf, openStatus } from "./card.ts";
import { canonTag } from "./visibility.ts";

export const subgoalId = (questionId: string): string => `CARD-SUB-${questionId}`;
export const subgoalRelation = "subgoal_of";
export const closedStatus = "closed";

type Child = { branch: string; graph_doc: string; trace_doc: string };

/** `result` is the resulting card, once it is closed. */
type StoredSubgoal = { question_id: string; child: Partial<Child>; result: string };

/** A card for a question that is answered in another graph. */
export function openSubgoal(
  question: NodeContent,
  child: Child,
  { message, meta }: { message?: string | undefined; meta?: Meta | undefined },
): NodeContent {
  return {
    id: subgoalId(question.id),
    type: "subgoal",
    title: nameOf(question),
    ...(message !== undefined && { text: message }),
    status: openStatus,
    tags: [...new Set([canonTag, ...(question.tags ?? []).filter((tag) => tag.startsWith("step:"))])].sort(),
    meta: { ...meta, subgoal: { question_id: question.id, child } },
  };
}

/** Where a subgoal leads. Refuses any other card. */
export function readSubgoal(
  node: NodeContent,
  workspace: string,
): { question_id: string; child: Partial<Child>; result: string | undefined } {
  const subgoal = node.meta?.["subgoal"] as Partial<StoredSubgoal> | undefined;
  if (node.type === "subgoal" && typeof subgoal?.question_id === "string")
    return { question_id: subgoal.question_id, child: subgoal.child ?? {}, result: subgoal.result };
  throw cardFailure("wrong_card_type", {
    workspace,
    id: node.id,
    type: node.type,
    wanted: "subgoal",
    field: "subgoal_id",
  });
}

/** A subgoal needs a question. */
export function requireQuestion({ id, type }: NodeContent, workspace: string): void {
  if (type === "question") return;
  throw cardFailure("wrong_card_type", { workspace, id, type, wanted: "question", field: "question_id" });
}

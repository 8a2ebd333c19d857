import type { TaskDecision } from "./decision.ts";
import { taskFailure } from "./failures.ts";
import { planId, taskId } from "./ids.ts";
import type { Item, ItemFields, ItemKind, NewStep } from "./item.ts";
import { addSteps } from "./step-changes.ts";

export type Creation = ItemFields & {
  kind?: ItemKind | undefined;
  parent?: string | undefined;
  title: string;
  steps?: readonly NewStep[] | undefined;
};

type CreationFacts = {
  workspace: string;
  /** The item that `parent` names. */
  parent: Item | undefined;
  next: { plan: number; task: number; step: number };
  now_ms: number;
};

/** With a parent it is a task, without one a plan, where the caller does not say. */
export function createItem(facts: CreationFacts, creation: Creation): TaskDecision {
  const { kind: asked, parent, title, steps = [], ...fields } = creation;
  const kind = asked ?? (parent === undefined ? "plan" : "task");
  checkPlace(facts, kind, parent);
  if (kind === "plan" && steps.length > 0)
    throw invalid("A plan has tasks; steps belong to a task.", "type", "steps");
  const item: Item = {
    id: kind === "plan" ? planId(facts.next.plan) : taskId(facts.next.task),
    kind,
    ...(parent !== undefined && { parent }),
    title,
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
    status: "TODO",
    revision: 1,
    created_at_ms: facts.now_ms,
    updated_at_ms: facts.now_ms,
  };
  const added = addSteps(
    { workspace: facts.workspace, item, steps: [], nextStep: facts.next.step },
    undefined,
    steps,
  );
  return {
    item,
    steps: added,
    event: {
      kind: `${kind}_created`,
      summary: `${item.id}: ${title}`,
      data: { title, ...(parent !== undefined && { parent }), steps: added.length },
    },
    nextStep: facts.next.step + added.length,
  };
}

function checkPlace(
  { workspace, parent: found }: CreationFacts,
  kind: ItemKind,
  parent: string | undefined,
): void {
  if (kind === "plan") {
    if (parent !== undefined) throw invalid("A plan stands alone: give no parent.", "type", "parent");
    return;
  }
  if (parent === undefined) throw invalid("A task needs a plan: give parent.", "missing", "parent");
  if (!found) throw taskFailure("unknown_target", { workspace, target: parent });
  if (found.kind !== "plan")
    throw taskFailure("wrong_target", { workspace, target: parent, wanted: "plan", field: "parent" });
}

const invalid = (problem: string, kind: string, field: string) =>
  taskFailure("invalid_task", { problem, kind, field, doing: "creating" });

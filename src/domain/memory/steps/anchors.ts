import { type Deciding, type Draft, known, need, workspaceOf, write } from "./draft.ts";
import type { StepInput, StepOutcome } from "./step.ts";

export function* changeAnchors(
  draft: Draft,
  { names, decide }: StepInput<"change_anchors">,
): Deciding<StepOutcome<"change_anchors">> {
  yield* need(draft, { kind: "anchors", keys: [""] }, { kind: "carried", keys: names });
  const decision = decide({
    workspace: draft.workspace,
    now_ms: draft.at.getTime(),
    anchors: new Map(known(draft, "anchors", "").map((anchor) => [anchor.id, anchor])),
    carried: new Set(names.filter((name) => known(draft, "carried", name))),
  });
  const { wid } = workspaceOf(draft);
  for (const id of decision.removed) write(draft, "anchor", { wid, id, anchor: undefined });
  for (const anchor of decision.put) write(draft, "anchor", { wid, id: anchor.id, anchor });
  draft.forgets = true;
  return decision;
}

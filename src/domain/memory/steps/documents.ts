import { addEntry, branchOrCheckout, type Deciding, type Draft, need, wantBranch } from "./draft.ts";
import type { StepInput, StepOutcome } from "./step.ts";

export function* append(
  draft: Draft,
  { branch: name, doc, entry }: StepInput<"append">,
): Deciding<StepOutcome<"append">> {
  yield* need(draft, wantBranch(name));
  return yield* addEntry(draft, branchOrCheckout(draft, name), doc, entry, { appended: true });
}

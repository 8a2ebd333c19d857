import { type Address, describeAddress } from "../../../domain/ledger/address.ts";
import type { PlannedThought, ThoughtPlan } from "../../../domain/transcripts/session/plan-thoughts.ts";
import { count } from "../../../kernel/numbers.ts";
import type { BaseContext } from "../../pipeline/context.ts";
import { createPacer } from "./pace.ts";

/** The rule for secrets holds for what comes from a file as for what comes from a caller. */
export async function guardPlan(
  { settings, signal, warn }: Pick<BaseContext, "settings" | "signal" | "warn">,
  plan: ThoughtPlan,
): Promise<ThoughtPlan> {
  const pace = createPacer(signal);
  const thoughts: PlannedThought[] = [];
  let first: Address | undefined;
  let leaking = 0;
  let masked = false;
  for (const thought of plan.thoughts) {
    await pace(thought.text.length);
    const { stored, places, isMasked } = settings.secrets.forInput(thought.text);
    thoughts.push(isMasked ? { ...thought, text: stored } : thought);
    if (places.length === 0) continue;
    masked ||= isMasked;
    first ??= thought.address;
    leaking += 1;
  }
  if (!first) return plan;
  const done = masked ? "they are masked before storing" : "they are stored as written";
  warn({
    code: masked ? "SECRET_MASKED" : "SECRET_DETECTED",
    message: `${count(leaking, "thought")} of the transcript may hold a secret, the first of them ${describeAddress(first)}; ${done}.`,
  });
  return { ...plan, thoughts };
}

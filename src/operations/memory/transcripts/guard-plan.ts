import { type Address, describeAddress } from "../../../domain/ledger/address.ts";
import type { PlannedThought, ThoughtPlan } from "../../../domain/transcripts/session/plan-thoughts.ts";
import { findSecrets, maskSecrets } from "../../../kernel/secrets/secrets.ts";
import type { BaseContext } from "../../pipeline/context.ts";
import { createPacer } from "./pace.ts";

/** The rule for secrets holds for what comes from a file as for what comes from a caller. */
export async function guardPlan(
  { settings, signal, warn }: Pick<BaseContext, "settings" | "signal" | "warn">,
  plan: ThoughtPlan,
): Promise<ThoughtPlan> {
  if (settings.secrets === "off") return plan;
  const redacts = settings.secrets === "redact";
  const pace = createPacer(signal);
  const thoughts: PlannedThought[] = [];
  let first: Address | undefined;
  let leaking = 0;
  for (const thought of plan.thoughts) {
    await pace(thought.text.length);
    const leaks = findSecrets(thought.text).length > 0;
    thoughts.push(leaks && redacts ? { ...thought, text: maskSecrets(thought.text) } : thought);
    if (!leaks) continue;
    first ??= thought.address;
    leaking += 1;
  }
  if (!first) return plan;
  const done = redacts ? "they are masked before storing" : "they are stored as written";
  warn({
    code: redacts ? "SECRET_MASKED" : "SECRET_DETECTED",
    message: `${leaking} thoughts of the transcript look as if they held a secret, the first of them ${describeAddress(first)}; ${done}.`,
  });
  return { ...plan, thoughts };
}

import { describeAddress } from "../../../domain/ledger/address.ts";
import type { ThoughtPlan } from "../../../domain/transcripts/session/plan-thoughts.ts";
import { findSecrets, maskSecrets } from "../../../kernel/secrets/secrets.ts";
import type { BaseContext } from "../../pipeline/context.ts";

/** The rule for secrets holds for what comes from a file as for what comes from a caller. */
export function guardPlan(
  { settings, warn }: Pick<BaseContext, "settings" | "warn">,
  plan: ThoughtPlan,
): ThoughtPlan {
  if (settings.secrets === "off") return plan;
  const leaking = plan.thoughts.filter(({ text }) => findSecrets(text).length > 0);
  const [first] = leaking;
  if (!first) return plan;
  const redacts = settings.secrets === "redact";
  const done = redacts ? "they are masked before storing" : "they are stored as written";
  warn({
    code: redacts ? "SECRET_MASKED" : "SECRET_DETECTED",
    message: `${leaking.length} thoughts of the transcript look as if they held a secret, the first of them ${describeAddress(first.address)}; ${done}.`,
  });
  if (!redacts) return plan;
  return { ...plan, thoughts: plan.thoughts.map((each) => ({ ...each, text: maskSecrets(each.text) })) };
}

import { findSecrets, maskSecrets } from "../../kernel/secrets.ts";
import type { OperationContext } from "../define.ts";

/** `warn` stores what was written and says where the secret stands; `redact` masks it before storing. */
export function guardSecrets(text: string, { settings, warn }: OperationContext): string {
  if (settings.secrets === "off") return text;
  const found = findSecrets(text);
  if (found.length === 0) return text;
  const places = found.slice(0, 5).map(({ kind, start }) => `${kind} at character ${start}`);
  const masked = settings.secrets === "redact";
  warn({
    code: masked ? "SECRET_MASKED" : "SECRET_DETECTED",
    message: `The text looks as if it held a secret (${places.join(", ")}); it was ${masked ? "masked before storing" : "stored as written"}.`,
  });
  return masked ? maskSecrets(text) : text;
}

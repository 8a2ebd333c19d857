import { findSecrets, maskSecrets } from "../../kernel/secrets.ts";
import type { OperationContext } from "./define.ts";

type Guard = Pick<OperationContext, "settings" | "warn">;

/** `warn` stores what was written and says where the secret stands; `redact` masks it before storing. */
export function guardSecrets(text: string, { settings, warn }: Guard, field: string): string {
  if (settings.secrets === "off") return text;
  const found = findSecrets(text);
  if (found.length === 0) return text;
  const places = found.slice(0, 5).map(({ kind, start }) => `${kind} at character ${start}`);
  const masked = settings.secrets === "redact";
  warn({
    code: masked ? "SECRET_MASKED" : "SECRET_DETECTED",
    message: `The ${field} looks as if it held a secret (${places.join(", ")}); it was ${masked ? "masked before storing" : "stored as written"}.`,
  });
  return masked ? maskSecrets(text) : text;
}

/** The same for every text of an object; lists are looked through item by item, other values stay as they are. */
export function guardFields<Fields extends object>(fields: Fields, guard: Guard): Fields {
  const guarded = Object.entries(fields).map(([field, value]) => [field, guardValue(field, value, guard)]);
  return Object.fromEntries(guarded) as Fields;
}

function guardValue(field: string, value: unknown, guard: Guard): unknown {
  if (typeof value === "string") return guardSecrets(value, guard, field);
  return Array.isArray(value) ? value.map((item) => guardValue(field, item, guard)) : value;
}

import { findSecrets, maskSecretsDeep } from "../../kernel/secrets.ts";
import type { OperationContext } from "../pipeline/define.ts";

const mostPlaces = 5;

/** What is about to be written: `warn` stores it as it is and says where the secret stands, `redact` masks it first. */
export function guardInput<Input extends Record<string, unknown>>(
  input: Input,
  { settings, warn }: OperationContext,
): Input {
  if (settings.secrets === "off") return input;
  const places = [...findPlaces(input, "")];
  if (places.length === 0) return input;
  const masked = settings.secrets === "redact";
  const told = places.slice(0, mostPlaces).join(", ");
  warn({
    code: masked ? "SECRET_MASKED" : "SECRET_DETECTED",
    message: `It looks as if there were a secret (${told}); it was ${masked ? "masked before storing" : "stored as written and is masked in answers"}.`,
  });
  return masked ? (maskSecretsDeep(input) as Input) : input;
}

function* findPlaces(value: unknown, path: string): Generator<string> {
  if (typeof value === "string") {
    for (const { kind, start } of findSecrets(value)) yield `${kind} in ${path} at character ${start}`;
    return;
  }
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value))
    yield* findPlaces(
      member,
      Array.isArray(value) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`,
    );
}

/** Answers never show a secret, whatever was stored. */
export function maskAnswer(answer: Record<string, unknown>, { settings }: OperationContext) {
  return settings.secrets === "off" ? answer : (maskSecretsDeep(answer) as Record<string, unknown>);
}

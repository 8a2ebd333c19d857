import { ThoughtboxError } from "../../kernel/errors.ts";
import { createTurns } from "../../kernel/steps.ts";
import type { Answers, BaseContext } from "./context.ts";
import type { Args, Operation } from "./operation.ts";

type Guarding = Pick<BaseContext, "settings" | "warn">;

const maxPlaces = 5;

/**
 * If the setting is `redact`, a name that contains a secret is refused, because two masked names could become
 * identical.
 */
const names = new Set([
  "idempotencyKey",
  "project",
  "agentId",
  "destination",
  "path",
  "rootUri",
  "workspace",
]);

/** Applies the setting. `warn` leaves a secret in the input and reports where it is. `redact` masks it. */
export function guardInput({ name, secrets, effect }: Operation, input: Args, context: Guarding): Args {
  const { guard = "all" } = secrets;
  if (effect === "read") return input;
  let guarded = input;
  // The first write to a workspace stores the workspace's name, so the name is always checked.
  for (const field of guard === "all" ? Object.keys(input) : [...guard, "workspace"]) {
    const value = input[field];
    const safe = guardValue(field, value, context);
    if (safe === value) continue;
    if (names.has(field)) throw refuseName(name, field);
    guarded = { ...guarded, [field]: safe };
  }
  return guarded;
}

function refuseName(operation: string, field: string): ThoughtboxError {
  return new ThoughtboxError(
    "INVALID_PAYLOAD",
    `${operation}: ${field} looks like it contains a secret. Names are stored unchanged, so the call was refused.`,
    { details: { field }, recovery: { hint: `Choose another ${field}.` } },
  );
}

/** Applies the secrets setting to the answer of the client's model, which is stored too. */
export function guardAnswers({ secrets }: Operation, answers: Answers, context: Guarding): Answers {
  const { critique } = answers;
  if (!critique || "failed" in critique || secrets.guard?.length === 0) return answers;
  const text = String(guardValue("critique", critique.text, context));
  const model = String(guardValue("critique's model", critique.model, context));
  return { ...answers, critique: { ...critique, text, model } };
}

/** Applies the secrets setting to text that was created during the call, such as a program's output. */
export const guardText = (what: string, text: string, context: Guarding): string =>
  String(guardValue(what, text, context));

/** Returns the value itself unless it contains text to mask. */
function guardValue(field: string, value: unknown, { settings, warn }: Guarding): unknown {
  const { stored, places, isMasked } = settings.secrets.forInput(value);
  if (places.length === 0) return value;
  const shown = places.slice(0, maxPlaces).join(", ");
  const done = isMasked ? "masked before storing" : "stored as written and is masked in answers";
  warn({
    code: isMasked ? "SECRET_MASKED" : "SECRET_DETECTED",
    message: `The ${field} looks like it contains a secret (${shown}). It was ${done}.`,
  });
  return stored;
}

export function showAnswer<Shown extends object>(
  { secrets }: Operation,
  answer: Shown,
  { settings }: Guarding,
): Shown {
  return secrets.mask === false ? answer : settings.secrets.forAnswer(answer);
}

/** Like `showAnswer`, but yields to other calls between the items of lists with long text. */
export async function showLongAnswer<Shown extends object>(
  operation: Operation,
  answer: Shown,
  context: Guarding,
): Promise<Shown> {
  if (operation.secrets.mask === false || !Object.values(answer).some(isLongList))
    return showAnswer(operation, answer, context);
  const turn = createTurns();
  const shown: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(answer)) {
    if (!isLongList(value)) {
      Object.assign(shown, showAnswer(operation, { [key]: value }, context));
      continue;
    }
    const items: unknown[] = [];
    for (const item of value) {
      items.push(...(Object.values(showAnswer(operation, { [key]: [item] }, context))[0] as unknown[]));
      await turn();
    }
    shown[key] = items;
  }
  return shown as Shown;
}

/** Lists with at most this many characters are masked at once, which takes a few milliseconds. */
const shortList = 512 * 1024;

function isLongList(value: unknown): value is unknown[] {
  if (!Array.isArray(value)) return false;
  let length = 0;
  for (const item of value) {
    if (typeof item !== "object" || item === null) continue;
    for (const member of Object.values(item)) if (typeof member === "string") length += member.length;
    if (length > shortList) return true;
  }
  return false;
}

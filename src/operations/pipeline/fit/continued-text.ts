import { clip } from "../../../kernel/text.ts";
import { cutLongest, highestThatFits, isWithin, type Limits } from "./budget.ts";
import type { Fitted, Json } from "./trim.ts";

/** A text that may be longer than one answer. The answer reports the offset of the part that follows. */
export type ContinuedText = {
  /** The key of the object that contains the text. */
  key: string;
  text: string;
  offset: number;
};

export function continueText(
  answer: Json,
  { key, text: field, offset }: ContinuedText,
  limits: Limits,
): Fitted {
  const item = answer[key] as Json;
  const whole = String(item[field] ?? "");
  const start = clip(whole, offset).length;
  const rest = whole.slice(start);
  const shown = { ...answer, [key]: { ...item, [field]: rest } };
  if (isWithin(shown, limits)) return asFitted(shown, false);
  // The other fields leave at least half of the budget for the text.
  const around = cutLongest({ ...answer, [key]: { ...item, [field]: "" } }, halfOf(limits)).result;
  const withText = (length: number): Json => ({
    ...around,
    [key]: { ...(around[key] as Json), [field]: clip(rest, length) },
    truncated: true,
    ...(length < rest.length && { nextOffset: start + clip(rest, length).length }),
  });
  // Shows at least two units, because with one unit, a text that begins with a surrogate pair would never
  // advance.
  return asFitted(
    withText(highestThatFits(2, rest.length, (length) => isWithin(withText(length), limits))),
    true,
  );
}

const halfOf = ({ chars, bytes }: Limits): Limits => ({
  chars: Math.floor(chars / 2),
  bytes: bytes === undefined ? undefined : Math.floor(bytes / 2),
});

const asFitted = (result: Json, truncated: boolean): Fitted => ({
  result,
  truncated,
  minimal: false,
  used: JSON.stringify(result).length,
});

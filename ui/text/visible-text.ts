/** A piece of plain text, or the code point of a character that could hide, reorder or smuggle text. */
export type Run = { text: string } | { hidden: string };

/** Control and format characters, lone surrogates, line separators, and everything that fonts may draw as nothing. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** Hidden by class, but used in ordinary text: tab, newline, joiners, variation selectors, Arabic signs. */
const HONEST = /[\t\n\p{Variation_Selector}\p{Join_Control}\u0600-\u0605\u06dd\u070f\u08e2]/u;
/** Supplementary variation selectors can encode a hidden message. */
const isSmuggler = (character: string): boolean => (character.codePointAt(0) ?? 0) >= 0xe0000;

const isHidden = (character: string): boolean =>
  HIDDEN.test(character) && (!HONEST.test(character) || isSmuggler(character));

const nameOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

export function splitHidden(text: string): Run[] {
  if (!HIDDEN.test(text)) return text === "" ? [] : [{ text }];
  const runs: Run[] = [];
  let plain = "";
  for (const character of text.replaceAll("\r\n", "\n")) {
    if (!isHidden(character)) {
      plain += character;
      continue;
    }
    if (plain !== "") runs.push({ text: plain });
    plain = "";
    runs.push({ hidden: nameOf(character) });
  }
  if (plain !== "") runs.push({ text: plain });
  return runs;
}

/** Like `splitHidden`, for places that accept only a string: canvas, title, accessible names. */
export function toVisible(text: string): string {
  if (!HIDDEN.test(text)) return text;
  return splitHidden(text)
    .map((run) => ("text" in run ? run.text : `[${run.hidden}]`))
    .join("");
}

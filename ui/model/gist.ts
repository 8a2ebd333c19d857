import { parseInline, plainOf } from "../text/inline.ts";
import { FENCE, HEADING } from "../text/markdown.ts";

/** `S12|H|S3,S4|` at the start of a text: number, type and references, which the card already shows. */
const reference = "\\s{0,4}\\^?\\[?(?:[a-z\\d-]{1,64}:)?S?\\d{1,15}(?:-S?\\d{1,15})?\\]?\\s{0,4}";
const cipherHeader = new RegExp(
  `^\\s{0,3}S?\\d{1,15}\\s{0,4}\\|\\s{0,4}[A-Z]\\s{0,4}\\|(?:(?:${reference}(?:,${reference}){0,200})?\\s{0,4}\\|)?`,
  "i",
);
/** The first line of a recorded decision is its title. Cards show only the title. */
const decision = /^Decision DEC-[\w-]{1,40}: ([^\n]+)[\s\S]*$/;
/** A quoted line, such as a command's output. */
const quotation = /^> ?/gm;
const leadingSign = /^\s*[∴∵→]\s*/;
/** `⊖ [S7]` after the last word: a contradiction, which the page draws as a link. */
const trailingLink = /(?<=[^\s\]]) {0,4}⊖ {0,4}\[(?:[a-z\d-]{1,64}:)?S?\d{1,15}\]$/i;

/** The number of characters that fill the largest card. */
const MOST_CHARACTERS = 400;

/** Returns a text in plain words, without the marks for emphasis, code, headings and links. */
function withoutMarks(text: string): string {
  const parts: string[] = [];
  let words: string[] = [];
  let fence: string | undefined;
  const flush = () => {
    if (words.length > 0) parts.push(plainOf(parseInline(words.join("\n"))));
    words = [];
  };
  for (const line of text.split("\n")) {
    const opens = fence === undefined ? FENCE.exec(line)?.[1] : undefined;
    if (opens !== undefined) {
      flush();
      fence = opens;
    } else if (fence === undefined) words.push(line.replace(HEADING, "$1"));
    else if (line.trimStart().startsWith(fence)) fence = undefined;
    else parts.push(line);
  }
  flush();
  return parts.join("\n");
}

/** Returns a text without the header of the notation, which other elements show. */
export const withoutHeader = (text: string): string => text.replace(cipherHeader, "").trimStart();

/** Returns a text without the sign of its type, such as `∴`, which its letter already shows. */
export const withoutSign = (text: string): string => text.replace(leadingSign, "");

/** Returns a card's text: the first words of a thought, without what its letter, number and marks show. */
export function gist(text: string): string {
  const beginning = text
    .slice(0, 2 * MOST_CHARACTERS)
    .replace(cipherHeader, "")
    .replace(decision, "$1");
  return withoutMarks(withoutSign(beginning).replace(quotation, ""))
    .replace(/\s+/g, " ")
    .trim()
    .replace(trailingLink, "")
    .slice(0, MOST_CHARACTERS);
}

import { unseenOnTerminal } from "../../src/kernel/text.ts";

/** A piece of plain text, or the code point of a character that could hide, reorder or smuggle text. */
export type Run = { text: string } | { hidden: string };

const nameOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

export function splitHidden(text: string): Run[] {
  const lines = text.replaceAll("\r\n", "\n");
  const runs: Run[] = [];
  let done = 0;
  for (const { 0: hidden, index } of lines.matchAll(unseenOnTerminal)) {
    if (index > done) runs.push({ text: lines.slice(done, index) });
    for (const character of hidden) runs.push({ hidden: nameOf(character) });
    done = index + hidden.length;
  }
  if (done < lines.length) runs.push({ text: lines.slice(done) });
  return runs;
}

/** Like `splitHidden`, but returns a string, for canvas text, titles and accessible names. */
export function toVisible(text: string): string {
  return splitHidden(text)
    .map((run) => ("text" in run ? run.text : `[${run.hidden}]`))
    .join("");
}

import { toTerminal } from "../../kernel/text.ts";

const escapeCharacter = "\x1b";

/** The colours that `createPaint` uses; nothing else that begins with an escape character leaves the program. */
const ownColours = new RegExp(`(${escapeCharacter}\\[(?:1|2|22|3[1-6]|39)m)`);

/** Everything that a command prints, whatever it drew it from. */
export function toScreen(text: string, coloured: boolean): string {
  if (!coloured) return toTerminal(text);
  return text
    .split(ownColours)
    .map((part, index) => (index % 2 === 1 ? part : toTerminal(part)))
    .join("");
}

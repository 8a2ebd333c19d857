import { toTerminal } from "../../kernel/text.ts";

const escapeCharacter = "\x1b";

/**
 * Everything that a command prints, whatever it drew it from. Colours that `createPaint` marked go through; a text that
 * was stored cannot know the mark, so whatever begins with an escape character there is shown instead.
 */
export function toScreen(text: string, mark: string | undefined): string {
  if (mark === undefined) return toTerminal(text);
  return text
    .split(escapeCharacter + mark)
    .map((part, index) => (index === 0 ? toTerminal(part) : escapeCharacter + toTerminal(part)))
    .join("");
}

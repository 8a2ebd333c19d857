import { highlight } from "../../text/highlight.ts";
import { PlainText } from "../basics/plain-text.tsx";

/** Lines with more characters than this are cut on the screen, because they would make the page slow. */
const LONGEST_LINE = 2_000;

/** Shows a line of code as it was written: no ligatures, no Markdown. */
export const Code = ({ text, language }: { text: string; language: string }) => (
  <>
    {highlight(text.slice(0, LONGEST_LINE), language).map((token, part) => (
      <span key={part} class={token.kind}>
        <PlainText text={token.text} />
      </span>
    ))}
    {text.length > LONGEST_LINE && (
      <span class="comment"> … {(text.length - LONGEST_LINE).toLocaleString("en")} more characters</span>
    )}
  </>
);

export const languageOf = (path: string): string => path.split(".").at(-1)?.toLowerCase() ?? "";

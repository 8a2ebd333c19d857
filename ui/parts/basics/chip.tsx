import type { ThoughtType } from "../../state/thought.ts";

type Look = { type: ThoughtType; size?: "s" | "l"; hollow?: boolean; isYours?: boolean };

/** Shows a type, always by both colour and letter. */
export const Chip = ({ type, size, hollow, isYours }: Look) => (
  <span
    class={`chip k-${type}${size ? ` ${size}` : ""}${hollow ? " hollow" : ""}${isYours ? " you" : ""}`}
    aria-hidden="true"
  >
    {isYours ? "U" : type}
  </span>
);

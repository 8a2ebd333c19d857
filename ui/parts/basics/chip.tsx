import type { ThoughtType } from "../../state/thought.ts";

type Look = { type: ThoughtType; size?: "s" | "l"; hollow?: boolean };

/** Colour and letter, always together. */
export const Chip = ({ type, size, hollow }: Look) => (
  <span class={`chip k-${type}${size ? ` ${size}` : ""}${hollow ? " hollow" : ""}`} aria-hidden="true">
    {type}
  </span>
);

import { gist } from "../gist.ts";
import { TYPE_NAMES, type TypeLetter } from "../thought-types.ts";

type Line = { type: TypeLetter; thoughtNumber: number; text: string };
/** `ending` is the end of a long text. */
type Story = { stands?: Line; last: Line & { ending?: string } };
export type Told = { lead?: string; type?: TypeLetter; text: string };

const MOST_QUOTED = 160;
/** The number of characters at the end of a text in which to look for its last sentence. */
const LOOKED_AT = 1_200;

/** Returns the last sentence of a prose text, without code, tables and headings. */
export function lastSentence(text: string): string {
  const lines = text
    .slice(-LOOKED_AT)
    .replace(/```[\s\S]*?(?:```|$)/g, "\n")
    .split("\n")
    .map((line) => gist(line.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, "")))
    .filter((line, _, all) => line !== "" && (all.length === 1 || !/^(?:#|\||[-=*_]{3,}$)/.test(line)));
  const sentences = (lines.at(-1) ?? "").split(/(?<=[.!?])\s+(?=\S)/);
  return shorten(sentences.findLast((one) => one.length > 3) ?? sentences.at(-1) ?? "");
}

/** Shortens a text after a whole word. */
const shorten = (text: string): string =>
  text.length <= MOST_QUOTED ? text : `${text.slice(0, MOST_QUOTED).replace(/\s+\S*$/, "")} …`;

/**
 * Summarises a session in one line: its question, its conclusion, a rejected idea, or where it stopped. A
 * session that an agent is still working on has neither ended nor stopped.
 */
export function tellStory({ stands, last }: Story, isAtWork: boolean): Told {
  if (last.type === "Q") return { lead: "Asked", type: "Q", text: gist(last.text) };
  if (stands) return { type: "C", text: gist(stands.text) };
  if (last.type === "X") return { lead: "Gave up", type: "X", text: gist(last.text) };
  if (last.type === "P") return { lead: "Plans", type: "P", text: gist(last.text) };
  if (last.type === "N") {
    const lead = isAtWork ? "Last statement" : "Ended with";
    return { lead, type: "N", text: `“${lastSentence(last.ending ?? last.text)}”` };
  }
  const step = `${TYPE_NAMES[last.type]} ${last.thoughtNumber}`;
  return isAtWork
    ? { lead: "No conclusion yet", text: `now at ${step}` }
    : { lead: "No conclusion", text: `stopped at ${step}` };
}

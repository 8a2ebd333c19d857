import { gist } from "../gist.ts";
import { TYPE_NAMES, type TypeLetter } from "../thought-types.ts";

type Line = { type: TypeLetter; thoughtNumber: number; text: string };
type Story = { stands?: Line; last: Line };
export type Told = { lead?: string; type?: TypeLetter; text: string };

const MOST_QUOTED = 160;

/** The last sentence of a prose text. */
export function lastSentence(text: string): string {
  const sentences = gist(text).split(/(?<=[.!?])\s+(?=\S)/);
  return (sentences.findLast((one) => one.length > 3) ?? sentences.at(-1) ?? "").slice(0, MOST_QUOTED);
}

/** A session in one line: its question, conclusion, rejected ideas, or where it stopped. */
export function tellStory({ stands, last }: Story): Told {
  if (last.type === "Q") return { lead: "Asked", type: "Q", text: gist(last.text) };
  if (stands) return { type: "C", text: gist(stands.text) };
  if (last.type === "X") return { lead: "Gave up", type: "X", text: gist(last.text) };
  if (last.type === "P") return { lead: "Plans", type: "P", text: gist(last.text) };
  if (last.type === "N") return { lead: "Ended with", type: "N", text: `“${lastSentence(last.text)}”` };
  return { lead: "No conclusion", text: `stopped at ${TYPE_NAMES[last.type]} ${last.thoughtNumber}` };
}

import { canonicalJson } from "../../kernel/canonical-json.ts";
import { sha256Hex } from "../../kernel/sha256.ts";
import { fingerprint, type GraphState } from "./graph.ts";

/** One key as three branches hold it: where they parted, what comes in, what is there. */
export type ThreeStates = {
  base: GraphState | undefined;
  theirs: GraphState;
  ours: GraphState | undefined;
};

export type Verdict = "skip" | "apply" | "conflict";

/** Their fingerprints. Absent and deleted are one: neither can be seen. */
type ThreeMarks = { base: string | undefined; theirs: string; ours: string | undefined };

export function decide({ base = "deleted", theirs, ours = "deleted" }: ThreeMarks): Verdict {
  if (theirs === base || theirs === ours) return "skip";
  return ours === base ? "apply" : "conflict";
}

const mark = (state: GraphState | undefined): string => (state ? fingerprint(state) : "deleted");

/** The same collision has the same id, so that finding it again is no news. */
export function conflictId(
  place: { from: string; into: string; doc: string; key: string },
  { base, theirs, ours }: ThreeStates,
): string {
  const inputs = { ...place, base: mark(base), theirs: mark(theirs), ours: mark(ours) };
  return `CONFLICT-${sha256Hex(canonicalJson(inputs)).slice(0, 32)}`;
}

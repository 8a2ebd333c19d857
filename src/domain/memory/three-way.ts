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

/** Absent and deleted are one: neither can be seen. */
const mark = (state: GraphState | undefined): string => (state ? fingerprint(state) : "deleted");

export function decide({ base, theirs, ours }: ThreeStates): Verdict {
  const incoming = mark(theirs);
  if (incoming === mark(base) || incoming === mark(ours)) return "skip";
  return mark(ours) === mark(base) ? "apply" : "conflict";
}

/** The same collision has the same id, so that finding it again is no news. */
export function conflictId(
  place: { from: string; into: string; doc: string; key: string },
  { base, theirs, ours }: ThreeStates,
): string {
  const inputs = { ...place, base: mark(base), theirs: mark(theirs), ours: mark(ours) };
  return `CONFLICT-${sha256Hex(canonicalJson(inputs)).slice(0, 32)}`;
}

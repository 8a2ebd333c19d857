import { canonicalJson } from "../../../kernel/json/canonical-json.ts";
import { sha256Hex } from "../../../kernel/sha256.ts";
import { deletedFingerprint, fingerprint, type GraphState } from "../graph.ts";

/** A version without its contents. */
export type Mark = { seq: number; fingerprint: string };

export const isLive = (mark: Mark | undefined): boolean =>
  mark !== undefined && mark.fingerprint !== deletedFingerprint;

type ThreeMarks = { base: string; theirs: string; ours: string };

export type Verdict = "unchanged" | "equal" | "apply" | "conflict";

/** `unchanged`: the source has nothing new. `equal`: both sides already have the same. */
export function compareThree({ base, theirs, ours }: ThreeMarks): Verdict {
  if (theirs === base) return "unchanged";
  if (theirs === ours) return "equal";
  return ours === base ? "apply" : "conflict";
}

export const markOf = (state: GraphState | undefined): string =>
  state ? fingerprint(state) : deletedFingerprint;

/** The same conflict always has the same ID, so finding it again does not create another. */
export function conflictId(
  place: { from: string; into: string; doc: string; key: string },
  { base, theirs, ours }: ThreeMarks,
): string {
  return `CONFLICT-${sha256Hex(canonicalJson({ ...place, base, theirs, ours })).slice(0, 32)}`;
}

import { type Contradictions, readContradictions } from "./contradictions.ts";
import type { CipherReference, CipherStep } from "./notation.ts";

/**
 * Weakest first. If one step relates to another in two ways, the stronger relation is kept. `unclear` only prevents
 * `supports` and is never returned.
 */
const relations = ["supports", "unclear", "contradicts", "rejects", "revises"] as const;

type NamedRelation = (typeof relations)[number];
export type CipherRelation = Exclude<NamedRelation, "unclear">;

/** `fromBranch` and `toBranch` are set only if the text includes the branch. */
export type CipherEdge = {
  from: number;
  fromBranch?: string;
  to: number;
  toBranch?: string;
  relation: CipherRelation;
};

/** The maximum number of edges. Ordinary texts need fewer, but a megabyte of ranges would create 16 million. */
const maxNamings = 50_000;

/**
 * Returns one edge per pair of steps, ordered by number. `^` revises. A step contradicts the references right
 * of `⊖` or, if there are none, the reference left of it. An X step rejects the steps in its reference field.
 * An X step with an empty field rejects the steps it contradicts or, if there are none, every step it refers
 * to. A step supports its other references, except any that are right of `⊖`. `[S3] ⊖ [S5]` also means that
 * S3 contradicts S5. A question with this text contradicts neither step and supports both.
 */
export function deriveEdges(steps: readonly CipherStep[], max = maxNamings): CipherEdge[] {
  const strongest = new Map<string, NamedEdge>();
  let namings = 0;
  for (const edge of nameEdges(steps)) {
    if (namings++ === max) break;
    const key = `${edge.fromBranch ?? ""} ${edge.from} ${edge.toBranch ?? ""} ${edge.to}`;
    const known = strongest.get(key);
    if (known === undefined || strength(edge) > strength(known)) strongest.set(key, edge);
  }
  return [...strongest.values()]
    .filter((edge): edge is CipherEdge => edge.relation !== "unclear")
    .sort(
      (a, b) =>
        compareNames(a.fromBranch, b.fromBranch) ||
        a.from - b.from ||
        compareNames(a.toBranch, b.toBranch) ||
        a.to - b.to,
    );
}

/** Compares branch names for sorting. Steps without a branch name sort first. */
function compareNames(a = "", b = ""): number {
  return a < b ? -1 : Number(a > b);
}

type NamedEdge = Omit<CipherEdge, "relation"> & { relation: NamedRelation };

function strength(edge: NamedEdge): number {
  return relations.indexOf(edge.relation);
}

function* nameEdges(steps: readonly CipherStep[]): Generator<NamedEdge> {
  for (const step of steps) {
    const inline = step.references.filter((reference) => reference.inline);
    const found = readContradictions(step.content, step.end - step.content.length, inline);
    const opposed = new Set(found.pairs.map(([, right]) => right));
    for (const reference of step.references) {
      const relation = relationOf(step, reference, found.sides, opposed);
      if (relation) yield* connect(step, reference, relation);
    }
    for (const [left, right] of found.pairs) yield* connect(left, right, "contradicts");
  }
}

function relationOf(
  { type, references }: CipherStep,
  reference: CipherReference,
  sides: Contradictions<CipherReference>["sides"],
  opposed: ReadonlySet<CipherReference>,
): NamedRelation | undefined {
  if (reference.revises) return "revises";
  const isX = type === "X";
  if (!reference.inline) return isX ? "rejects" : "supports";
  const side = sides.get(reference);
  if (side === "doubtful") return undefined;
  if (side === "unclear") return side;
  const hasField = references[0]?.inline === false;
  if (side === "right" || side === "alone") {
    if (isX && !hasField) return "rejects";
    const isAsked = type === "Q" && opposed.has(reference);
    return isAsked ? "supports" : "contradicts";
  }
  return isX && !hasField && sides.size === 0 ? "rejects" : "supports";
}

type Steps = { number: number; to?: number; branchId?: string };

function* connect(source: Steps, target: Steps, relation: NamedRelation): Generator<NamedEdge> {
  const branches = {
    ...(source.branchId !== undefined && { fromBranch: source.branchId }),
    ...(target.branchId !== undefined && { toBranch: target.branchId }),
  };
  for (let from = source.number; from <= (source.to ?? source.number); from++) {
    for (let to = target.number; to <= (target.to ?? target.number); to++) {
      if (from !== to || source.branchId !== target.branchId) yield { from, to, ...branches, relation };
    }
  }
}

import type { CipherReference, CipherStep } from "./notation.ts";

/** Weakest first: if one step relates to another in two ways, the stronger relation is kept. */
const relations = ["supports", "rejects", "contradicts", "revises"] as const;

export type CipherRelation = (typeof relations)[number];

/** `fromBranch` and `toBranch` are set only if the text names the step's branch. */
export type CipherEdge = {
  from: number;
  fromBranch?: string;
  to: number;
  toBranch?: string;
  relation: CipherRelation;
};

/**
 * Far more than an honest text needs. A megabyte of ranges would create 16 million edges. Edges past the limit are
 * dropped.
 */
const maxNamings = 50_000;

/**
 * One edge per pair of steps, ordered by number. `^` revises. An inline reference next to `⊖` is contradicted by the
 * step. The references of an X step are rejected (inline ones only if it has no reference field: `S9|X|S4|killed by
 * [S8]` does not reject S8). Every other reference is supported. `[S3] ⊖ [S5]` sets S3 against S5: the step that
 * contains it relies on S3 and contradicts S5, unless it is a question, which claims nothing and relies on both.
 */
export function deriveEdges(steps: readonly CipherStep[], max = maxNamings): CipherEdge[] {
  const strongest = new Map<string, CipherEdge>();
  let namings = 0;
  for (const edge of nameEdges(steps)) {
    if (namings++ === max) break;
    const key = `${edge.fromBranch ?? ""} ${edge.from} ${edge.toBranch ?? ""} ${edge.to}`;
    const known = strongest.get(key);
    if (known === undefined || strength(edge) > strength(known)) strongest.set(key, edge);
  }
  return [...strongest.values()].sort(
    (a, b) =>
      compareNames(a.fromBranch, b.fromBranch) ||
      a.from - b.from ||
      compareNames(a.toBranch, b.toBranch) ||
      a.to - b.to,
  );
}

/** Steps without a branch name sort first. */
function compareNames(a = "", b = ""): number {
  return a < b ? -1 : Number(a > b);
}

function strength(edge: CipherEdge): number {
  return relations.indexOf(edge.relation);
}

function* nameEdges(steps: readonly CipherStep[]): Generator<CipherEdge> {
  for (const step of steps) {
    for (const reference of step.references) {
      yield* connect(step, reference, relationByTypeOrCaret(step, reference));
    }
    yield* nameContradictions(step);
  }
}

function relationByTypeOrCaret(step: CipherStep, reference: CipherReference): CipherRelation {
  if (reference.revises) return "revises";
  const hasField = step.references[0]?.inline === false;
  return step.type === "X" && !(reference.inline && hasField) ? "rejects" : "supports";
}

/** The parser leaves lists in brackets and steps without brackets as text, so what `⊖` refers to is unknown. */
const beforeText = /^⊖\s*(?:\[[^\]]{0,70}?S\d{1,15}\s*[,;]|S\d{1,15}(?![\w\]-])|\[\d{1,15}\])/;

function* nameContradictions(step: CipherStep): Generator<CipherEdge> {
  const inline = step.references.filter((reference) => reference.inline);
  const contentStart = step.end - step.content.length;
  let gapStart = 0;
  for (const [position, reference] of [...inline, undefined].entries()) {
    const previous = inline[position - 1];
    const gapEnd = reference === undefined ? step.content.length : reference.start - contentStart;
    const gap = step.content.slice(gapStart, gapEnd).trim();
    if (gap === "⊖" && previous && reference) {
      yield* connect(previous, reference, "contradicts");
      if (step.type !== "Q") yield* connect(step, reference, "contradicts");
    } else {
      if (previous && gap.startsWith("⊖") && !beforeText.test(gap))
        yield* connect(step, previous, "contradicts");
      if (reference && gap.endsWith("⊖")) yield* connect(step, reference, "contradicts");
    }
    if (reference) gapStart = reference.end - contentStart;
  }
}

type Steps = { number: number; to?: number; branchId?: string };

function* connect(source: Steps, target: Steps, relation: CipherRelation): Generator<CipherEdge> {
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

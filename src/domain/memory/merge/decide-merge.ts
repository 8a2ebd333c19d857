import { compareThree, conflictId, isLive, type Mark, nothing, type Verdict } from "./three-way.ts";

/** What a merge has to know of one key. */
export type MergeKey = {
  key: string;
  kind: "node" | "edge";
  /** The ids of its two nodes, for an edge. */
  ends?: readonly [string, string] | undefined;
  /** As the source shows it; `undefined` where it never had the key. */
  theirs: Mark | undefined;
  /** As the two branches last settled it, else as it was when one was made from the other. */
  base: Mark | undefined;
  ours: Mark | undefined;
};

export type MergeFacts = {
  names: { from: string; into: string; doc: string };
  /** The keys of this page, in the order in which the source changed them. */
  keys: readonly MergeKey[];
  /** `keys`, and besides the ends of incoming edges, `edgesHere`, and the edges of `open` that have `ends`, with those. */
  byKey: ReadonlyMap<string, MergeKey>;
  /** Live edges of the target at the nodes that the source deleted. */
  edgesHere: readonly MergeKey[];
  /** Conflicts between the two branches that wait for a decision. */
  open: readonly OpenConflict[];
};

/** `ends` only for an edge of which the source has nothing new: it is in the way of a deleted node. */
export type OpenConflict = { id: string; key: string; ends?: readonly [string, string] | undefined };

export type FoundConflict = { id: string; isNew: boolean; at: MergeKey };

export type MergeDecision = {
  /** Keys whose incoming version is written to the target, in this order. */
  apply: MergeKey[];
  conflicts: FoundConflict[];
  /** Keys on which both sides agree from now on, with the source's version. */
  settle: { key: string; seq: number | undefined }[];
  /** Keys of the page that are not settled: they collide, or wait for one that does. */
  pending: string[];
  /** Keys of the page on which the two sides may differ once the merge is written. */
  unsure: string[];
  /** Open conflicts that have nothing left to decide. */
  moot: string[];
  skipped: number;
};

export const verdictOf = ({ base, theirs, ours }: MergeKey): Verdict =>
  compareThree({
    base: base?.fingerprint ?? nothing,
    theirs: theirs?.fingerprint ?? nothing,
    ours: ours?.fingerprint ?? nothing,
  });

/**
 * Decides every key of a page by what both branches last agreed on, and sees to it that no edge loses an end: an edge
 * whose end is missing is a conflict, and so is an edge of the target whose end the source deleted.
 */
export function decideMerge(facts: MergeFacts): MergeDecision {
  const verdicts = new Map(facts.keys.map((key) => [key, verdictOf(key)]));
  const unclear = findUnclearEdges(verdicts, facts.byKey);
  for (const edge of unclear) verdicts.delete(edge);
  const brought = bringEnds(verdicts, facts.byKey);
  const { waiting, torn } = findTornEdges(facts, verdicts, unclear);
  for (const node of waiting) verdicts.delete(node);
  for (const edge of unclear) waiting.add(edge);

  const found = [...torn, ...facts.keys.filter((key) => verdicts.get(key) === "conflict")];
  const conflicts = describeConflicts(facts, found);
  const pending = facts.keys.filter((key) => waiting.has(key) || verdicts.get(key) === "conflict");
  const applied = [...brought, ...facts.keys.filter((key) => verdicts.get(key) === "apply")];
  const equal = facts.keys.filter((key) => verdicts.get(key) === "equal");
  const unchanged = facts.keys.filter((key) => verdicts.get(key) === "unchanged");
  const known = conflicts.filter(({ isNew, at }) => !isNew && verdicts.get(at) === "conflict");
  return {
    apply: applied,
    conflicts,
    settle: [...applied, ...equal].map(({ key, theirs }) => ({ key, seq: theirs?.seq })),
    pending: pending.map(({ key }) => key),
    unsure: [...pending, ...unchanged].map(({ key }) => key),
    moot: findMoot(facts, conflicts),
    skipped: equal.length + unchanged.length + known.length + waiting.size,
  };
}

/** An edge says something about its ends, so it waits until a conflict about one of them is decided. */
function findUnclearEdges(
  verdicts: ReadonlyMap<MergeKey, Verdict>,
  byKey: ReadonlyMap<string, MergeKey>,
): Set<MergeKey> {
  const isUnclear = (end: string) => {
    const node = byKey.get(end);
    return node !== undefined && (verdicts.get(node) ?? verdictOf(node)) === "conflict";
  };
  return new Set(
    [...verdicts].flatMap(([edge, verdict]) =>
      verdict === "apply" && edge.ends?.some(isUnclear) ? [edge] : [],
    ),
  );
}

/** Nodes changed after the edge that needs them come with the edge; an edge that cannot have its ends is a conflict. */
function bringEnds(verdicts: Map<MergeKey, Verdict>, byKey: ReadonlyMap<string, MergeKey>): Set<MergeKey> {
  const brought = new Set<MergeKey>();
  for (const [edge, verdict] of verdicts) {
    if (verdict !== "apply" || !edge.ends || !isLive(edge.theirs)) continue;
    const needed = edge.ends.map((end) => byKey.get(end));
    const fits = needed.every((node) => node !== undefined && willBeLive(node, verdicts));
    if (!fits) verdicts.set(edge, "conflict");
    else for (const node of needed) if (node && !verdicts.has(node) && !isLive(node.ours)) brought.add(node);
  }
  return brought;
}

function willBeLive(node: MergeKey, verdicts: ReadonlyMap<MergeKey, Verdict>): boolean {
  const verdict = verdicts.get(node) ?? verdictOf(node);
  const isTaken = verdict === "apply" && (verdicts.has(node) || isLive(node.theirs));
  return isTaken ? isLive(node.theirs) : isLive(node.ours);
}

/** A deletion waits while an edge of the target would lose its end by it; `torn` are those edges. */
function findTornEdges(
  { edgesHere, byKey }: MergeFacts,
  verdicts: ReadonlyMap<MergeKey, Verdict>,
  unclear: ReadonlySet<MergeKey>,
): { waiting: Set<MergeKey>; torn: MergeKey[] } {
  const waiting = new Set<MergeKey>();
  const torn: MergeKey[] = [];
  for (const here of edgesHere) {
    const verdict = verdicts.get(here);
    if (verdict === "apply" && !isLive(here.theirs)) continue;
    const lost = (here.ends ?? [])
      .map((end) => byKey.get(end))
      .filter(
        (node): node is MergeKey =>
          node !== undefined && verdicts.get(node) === "apply" && !isLive(node.theirs),
      );
    if (lost.length === 0) continue;
    for (const node of lost) waiting.add(node);
    if (verdict !== "conflict" && !unclear.has(here)) torn.push(here);
  }
  return { waiting, torn };
}

function describeConflicts({ names, open }: MergeFacts, found: readonly MergeKey[]): FoundConflict[] {
  const known = new Set(open.map(({ id }) => id));
  return found.map((at) => {
    const marks = {
      base: at.base?.fingerprint ?? nothing,
      theirs: at.theirs?.fingerprint ?? nothing,
      ours: at.ours?.fingerprint ?? nothing,
    };
    const id = conflictId({ ...names, key: at.key }, marks);
    return { id, isNew: !known.has(id), at };
  });
}

/** Of the keys that were looked at, whatever is no conflict any more; and edges that lose no end any more. */
function findMoot({ open, keys, byKey }: MergeFacts, conflicts: readonly FoundConflict[]): string[] {
  const standing = new Set(conflicts.map(({ id }) => id));
  const decided = new Set([...keys, ...conflicts.map(({ at }) => at)].map(({ key }) => key));
  const isTorn = (key: string, ends: readonly string[]) =>
    isLive(byKey.get(key)?.ours) && ends.some((end) => isLeaving(byKey.get(end)));
  return open
    .filter(({ id, key, ends }) => !standing.has(id) && (decided.has(key) || (ends && !isTorn(key, ends))))
    .map(({ id }) => id);
}

const isLeaving = (node: MergeKey | undefined): boolean =>
  node !== undefined && !isLive(node.theirs) && verdictOf(node) === "apply";

import { canonicalJson } from "../../../kernel/json/canonical-json.ts";
import { sha256Hex } from "../../../kernel/sha256.ts";
import { deletedFingerprint, fingerprint, type GraphState } from "../graph.ts";
import { type MergeRounds, pause } from "./merge-questions.ts";

/** A version without its contents. Equal contents have equal fingerprints. */
export type Mark = { seq: number; fingerprint: string };

export const isLive = (mark: Mark | undefined): boolean =>
  mark !== undefined && mark.fingerprint !== deletedFingerprint;

type ThreeMarks = { base: string; theirs: string; ours: string };

type Verdict = "unchanged" | "equal" | "apply" | "conflict";

/** Compares versions. `unchanged`: the source has no new one. `equal`: both sides have the same contents. */
function compareThree({ base, theirs, ours }: ThreeMarks): Verdict {
  if (theirs === base) return "unchanged";
  if (theirs === ours) return "equal";
  return ours === base ? "apply" : "conflict";
}

export const markOf = (state: GraphState | undefined): string =>
  state ? fingerprint(state) : deletedFingerprint;

/** Derives the ID from the conflict, so that finding the conflict again does not create another one. */
function conflictId(
  place: { from: string; into: string; doc: string; key: string },
  { base, theirs, ours }: ThreeMarks,
): string {
  return `CONFLICT-${sha256Hex(canonicalJson({ ...place, base, theirs, ours })).slice(0, 32)}`;
}

/** The facts about one key of a merge. */
export type MergeKey = {
  key: string;
  kind: "node" | "edge";
  /** The IDs of its two nodes, if it is an edge. */
  ends?: readonly [string, string] | undefined;
  /** The source's version. `undefined` if the source never had the key. */
  theirs: Mark | undefined;
  /**
   * The version that the two branches last agreed on. If they never agreed, the version at the creation of
   * the newer branch.
   */
  base: Mark | undefined;
  ours: Mark | undefined;
};

export type MergeFacts = {
  names: { from: string; into: string; doc: string };
  /** The keys of this page, in the order in which the source changed them. */
  keys: readonly MergeKey[];
  /**
   * Contains `keys`, `edgesHere`, the nodes of incoming edges, and the edges in `open` that have `ends`, with
   * their nodes.
   */
  byKey: ReadonlyMap<string, MergeKey>;
  /** Live edges of the target at the nodes that the source deleted. */
  edgesHere: readonly MergeKey[];
  /** Unresolved conflicts between the two branches. */
  open: readonly OpenConflict[];
};

/** `ends` is set only for an edge that the source did not change and that blocks a node's deletion. */
export type OpenConflict = { id: string; key: string; ends?: readonly [string, string] | undefined };

export type FoundConflict = { id: string; isNew: boolean; at: MergeKey };

export type MergeDecision = {
  /** Keys whose incoming version is written to the target, in this order. */
  apply: MergeKey[];
  conflicts: FoundConflict[];
  /** Keys that are the same on both sides after the merge, with the source's version. */
  settle: { key: string; seq: number | undefined }[];
  /** Keys of the page that are not settled, because they or keys that they depend on are in conflict. */
  pending: string[];
  /** Keys of the page that may differ between the two sides after the merge. */
  unsure: string[];
  /** IDs of open conflicts that no longer need a decision. */
  moot: string[];
  skipped: number;
};

export const verdictOf = ({ base, theirs, ours }: MergeKey): Verdict =>
  compareThree({
    base: base?.fingerprint ?? deletedFingerprint,
    theirs: theirs?.fingerprint ?? deletedFingerprint,
    ours: ours?.fingerprint ?? deletedFingerprint,
  });

/**
 * Compares every key of a page with the version that both branches last agreed on. An incoming edge with a missing node
 * is a conflict. So is an edge of the target if the source deleted one of its nodes. Yields to other work after every
 * `pace` keys.
 */
export function* decideMerge(facts: MergeFacts, pace = Number.POSITIVE_INFINITY): MergeRounds<MergeDecision> {
  const { keys, byKey } = facts;
  const verdicts = new Map<MergeKey, Verdict>();
  yield* each(keys, pace, (key) => verdicts.set(key, verdictOf(key)));
  const unclear = yield* findUnclearEdges(verdicts, byKey, pace);
  for (const edge of unclear) verdicts.delete(edge);
  const brought = yield* bringEnds(verdicts, byKey, pace);
  const { waiting, torn } = yield* findTornEdges(facts, verdicts, unclear, pace);
  for (const node of waiting) verdicts.delete(node);
  for (const edge of unclear) waiting.add(edge);

  const found = [...torn];
  const pending: MergeKey[] = [];
  const applied = [...brought];
  const equal: MergeKey[] = [];
  const unchanged: MergeKey[] = [];
  yield* each(keys, pace, (key) => {
    const verdict = verdicts.get(key);
    if (verdict === "conflict") found.push(key);
    if (verdict === "conflict" || waiting.has(key)) pending.push(key);
    else if (verdict === "apply") applied.push(key);
    else if (verdict === "equal") equal.push(key);
    else if (verdict === "unchanged") unchanged.push(key);
  });
  const conflicts = yield* describeConflicts(facts, found, pace);
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

function* each<Item>(items: Iterable<Item>, pace: number, look: (item: Item) => void): MergeRounds<void> {
  let looked = 0;
  for (const item of items) {
    look(item);
    looked += 1;
    if (looked % pace === 0) yield pause;
  }
}

/** Finds edges that have to wait until conflicts about their nodes are resolved. */
function* findUnclearEdges(
  verdicts: ReadonlyMap<MergeKey, Verdict>,
  byKey: ReadonlyMap<string, MergeKey>,
  pace: number,
): MergeRounds<Set<MergeKey>> {
  const isUnclear = (end: string) => {
    const node = byKey.get(end);
    return node !== undefined && (verdicts.get(node) ?? verdictOf(node)) === "conflict";
  };
  const unclear = new Set<MergeKey>();
  yield* each(verdicts, pace, ([edge, verdict]) => {
    if (verdict === "apply" && edge.ends?.some(isUnclear)) unclear.add(edge);
  });
  return unclear;
}

/**
 * Adds nodes that incoming edges need and that this page does not contain. An edge with a missing node becomes a
 * conflict.
 */
function* bringEnds(
  verdicts: Map<MergeKey, Verdict>,
  byKey: ReadonlyMap<string, MergeKey>,
  pace: number,
): MergeRounds<Set<MergeKey>> {
  const brought = new Set<MergeKey>();
  yield* each(verdicts, pace, ([edge, verdict]) => {
    if (verdict !== "apply" || !edge.ends || !isLive(edge.theirs)) return;
    const needed = edge.ends.map((end) => byKey.get(end));
    const fits = needed.every((node) => node !== undefined && willBeLive(node, verdicts));
    if (!fits) verdicts.set(edge, "conflict");
    else for (const node of needed) if (node && !verdicts.has(node) && !isLive(node.ours)) brought.add(node);
  });
  return brought;
}

function willBeLive(node: MergeKey, verdicts: ReadonlyMap<MergeKey, Verdict>): boolean {
  const verdict = verdicts.get(node) ?? verdictOf(node);
  const isTaken = verdict === "apply" && (verdicts.has(node) || isLive(node.theirs));
  return isTaken ? isLive(node.theirs) : isLive(node.ours);
}

/** Postpones the deletion of a node while an edge of the target needs the node. `torn` lists those edges. */
function* findTornEdges(
  { edgesHere, byKey }: MergeFacts,
  verdicts: ReadonlyMap<MergeKey, Verdict>,
  unclear: ReadonlySet<MergeKey>,
  pace: number,
): MergeRounds<{ waiting: Set<MergeKey>; torn: MergeKey[] }> {
  const waiting = new Set<MergeKey>();
  const torn: MergeKey[] = [];
  const isLost = (node: MergeKey | undefined): node is MergeKey =>
    node !== undefined && verdicts.get(node) === "apply" && !isLive(node.theirs);
  yield* each(edgesHere, pace, (here) => {
    const verdict = verdicts.get(here);
    if (verdict === "apply" && !isLive(here.theirs)) return;
    const lost = (here.ends ?? []).map((end) => byKey.get(end)).filter(isLost);
    if (lost.length === 0) return;
    for (const node of lost) waiting.add(node);
    if (verdict !== "conflict" && !unclear.has(here)) torn.push(here);
  });
  return { waiting, torn };
}

function* describeConflicts(
  { names, open }: MergeFacts,
  found: readonly MergeKey[],
  pace: number,
): MergeRounds<FoundConflict[]> {
  const known = new Set(open.map(({ id }) => id));
  const conflicts: FoundConflict[] = [];
  yield* each(found, pace, (at) => {
    const marks = {
      base: at.base?.fingerprint ?? deletedFingerprint,
      theirs: at.theirs?.fingerprint ?? deletedFingerprint,
      ours: at.ours?.fingerprint ?? deletedFingerprint,
    };
    const id = conflictId({ ...names, key: at.key }, marks);
    conflicts.push({ id, isNew: !known.has(id), at });
  });
  return conflicts;
}

/** Returns the IDs of open conflicts about the examined keys if the keys no longer conflict. */
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

import { endsOf } from "../graph.ts";
import { isLive, type MergeFacts, type MergeKey, type OpenConflict, verdictOf } from "./decide-merge.ts";
import { ask, type KeyMarks, type MergeNeeds, type MergeRounds } from "./merge-questions.ts";
import type { MergeSides } from "./merge-sides.ts";

/** The facts loaded so far. Loading a key again replaces its facts. */
export type FactBook = {
  byKey: Map<string, MergeKey>;
  /** Keys of the target's edges at nodes that the source deleted. */
  edgesHere: Set<string>;
};

export const newFactBook = (): FactBook => ({ byKey: new Map(), edgesHere: new Set() });

export const copyFactBook = ({ byKey, edgesHere }: FactBook): FactBook => ({
  byKey: new Map(byKey),
  edgesHere: new Set(edgesHere),
});

export function marksOf(
  { doc, child, from, into, base }: MergeSides,
  keys: readonly string[],
): MergeNeeds["marks"] {
  const views = { theirs: from.view, ours: into.view, base };
  return keys.length > 0 ? { doc, child, views, keys } : undefined;
}

export function shapeOf(key: string): Pick<MergeKey, "kind" | "ends"> {
  const ends = endsOf(key);
  return ends ? { kind: "edge", ends } : { kind: "node" };
}

export function writeDown({ byKey }: FactBook, found: readonly KeyMarks[] = []): MergeKey[] {
  return found.map((marks) => {
    const key = { ...shapeOf(marks.key), ...marks };
    byKey.set(key.key, key);
    return key;
  });
}

/** Returns each edge that blocks a deletion, with its two nodes, because the decision needs all three. */
export const tornKeys = (open: readonly OpenConflict[]): string[] =>
  open.flatMap(({ key, ends }) => (ends ? [key, ...ends] : []));

/**
 * Loads these keys and everything needed to decide them, in three rounds for any number of keys. For `others`, loads
 * only the keys themselves.
 */
export function* lookAt(
  sides: MergeSides,
  book: FactBook,
  keys: readonly string[],
  others: readonly string[] = [],
): MergeRounds<void> {
  const all = others.length > 0 ? [...new Set([...keys, ...others])] : keys;
  const first = yield* ask({ marks: marksOf(sides, all) });
  writeDown(book, first.marks);
  const arriving = keys.flatMap((key) => {
    const found = book.byKey.get(key);
    return found && verdictOf(found) === "apply" ? found : [];
  });
  const ends = arriving.flatMap(({ ends = [], theirs }) => (isLive(theirs) ? ends : []));
  const nodes = arriving.flatMap(({ kind, key, theirs }) => (kind === "node" && !isLive(theirs) ? key : []));
  const fresh = [...new Set(ends)].filter((end) => !book.byKey.has(end));
  const { doc, into } = sides;
  if (fresh.length === 0 && nodes.length === 0) return;
  const second = yield* ask({
    marks: marksOf(sides, fresh),
    edges: nodes.length > 0 ? { doc, view: into.view, nodes } : undefined,
  });
  writeDown(book, second.marks);
  const edges = second.edges ?? [];
  for (const edge of edges) book.edgesHere.add(edge);
  const unknown = edges.filter((edge) => !book.byKey.has(edge));
  if (unknown.length === 0) return;
  const third = yield* ask({ marks: marksOf(sides, unknown) });
  writeDown(book, third.marks);
}

export function factsOf(
  { from, into, docName }: MergeSides,
  page: readonly { key: string }[],
  { byKey, edgesHere }: FactBook,
  open: readonly OpenConflict[],
): MergeFacts {
  const known = (key: string) => byKey.get(key) ?? [];
  return {
    names: { from: from.uid, into: into.uid, doc: docName },
    keys: page.flatMap(({ key }) => known(key)),
    byKey,
    edgesHere: [...edgesHere].flatMap(known).filter(({ ours }) => isLive(ours)),
    open,
  };
}

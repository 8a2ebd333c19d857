import { type HeldVersion, type PlannedVersion, planVersions, type Written } from "../graph/plan-versions.ts";
import { fingerprint, type GraphState, type GraphVersion, keyOf } from "../graph.ts";
import { nodeFacets } from "../views/selection.ts";
import { type Deciding, type Draft, known, learn, maybeKnown, need, openStream, write } from "./draft.ts";
import { noteUnwritten } from "./facts.ts";
import type { BranchRow, GraphScope, Head, VersionRow } from "./rows.ts";

/** A new version: a state, or a copy of an existing version. If it is a copy, only its facets are known. */
export type VersionContent = Written &
  ({ state: GraphState } | { copyOf: number; facets: readonly string[] });

export const contentOf = (state: GraphState): VersionContent => ({
  key: keyOf(state),
  kind: state.kind,
  deleted: state.deleted,
  state,
});

/** Returns the view of a document on a branch. `undefined` if no branch has a document with this name. */
export function* viewOf(draft: Draft, { bid }: BranchRow, docName: string): Deciding<GraphScope | undefined> {
  yield* need(draft, { kind: "doc", keys: [docName] }, { kind: "lineage", keys: [bid] });
  const doc = known(draft, "doc", docName);
  return doc === undefined ? undefined : { bid, lineage: known(draft, "lineage", bid), doc };
}

/** Adds new versions to this branch, in order. Returns the last seq, or `undefined` if there were none. */
export function* addVersions(
  draft: Draft,
  branch: Pick<BranchRow, "bid">,
  docName: string,
  contents: readonly VersionContent[],
): Deciding<number | undefined> {
  if (contents.length === 0) return undefined;
  const { bid } = branch;
  yield* need(
    draft,
    { kind: "lineage", keys: [bid] },
    { kind: "graph", keys: [docName], scope: { bid } },
    { kind: "branchedAt", keys: [bid] },
  );
  const firstSeq = draft.numbers.last + 1;
  const doc = yield* openStream(draft, branch, docName, "graph", firstSeq);
  const scope: GraphScope = { bid, lineage: known(draft, "lineage", bid), doc };
  yield* needHeads(
    draft,
    scope,
    contents.map(({ key }) => key),
    { kind: "tally", keys: [doc], scope },
  );
  const heads = new Map(contents.map(({ key }) => [key, headOf(draft, scope, key)]));
  const facts = {
    held: heldBy(bid, heads),
    tally: known(draft, "tally", doc, scope),
    branchedAt: known(draft, "branchedAt", bid),
    firstSeq,
  };
  const { rows, superseded } = planVersions(facts, contents);
  for (const row of rows) addVersion(draft, scope, toRow(row, scope, draft.at.getTime()));
  learnEdges(
    draft,
    scope,
    contents.flatMap((content) => ("state" in content ? [content.state] : [])),
  );
  const bySeq = new Map([...heads.values()].map((head) => [head?.seq, head]));
  for (const { seq, by, hidden } of superseded) {
    const head = bySeq.get(seq);
    const facets = hidden && head ? headFacets(head) : [];
    write(draft, "superseded", { seq, by, hidden, doc, bid, facets });
  }
  draft.numbers.last = rows.at(-1)?.seq ?? firstSeq;
  draft.numbers.counts = true;
  noteUnwritten(draft.facts, "carried");
  learn(draft, "tally", doc, rows.at(-1)?.tally ?? facts.tally, scope);
  return draft.numbers.last;
}

/** Builds each row as one literal, because object spread takes a microsecond in V8. */
function toRow(
  { item, seq, replaces, tally, superseded }: PlannedVersion<VersionContent>,
  { doc, bid }: GraphScope,
  tsMs: number,
): VersionRow {
  const { key, kind, deleted } = item;
  if ("state" in item) {
    const { state } = item;
    const facets = superseded === undefined ? facetsOf(state) : [];
    const print = fingerprint(state);
    return {
      seq,
      doc,
      bid,
      key,
      kind,
      deleted,
      superseded,
      replaces,
      tally,
      facets,
      tsMs,
      state,
      fingerprint: print,
    };
  }
  const facets = superseded === undefined ? item.facets : [];
  const { copyOf } = item;
  return { seq, doc, bid, key, kind, deleted, superseded, replaces, tally, facets, tsMs, copyOf };
}

function heldBy(bid: number, heads: ReadonlyMap<string, Head | undefined>): Map<string, HeldVersion> {
  const held = new Map<string, HeldVersion>();
  for (const [key, head] of heads)
    if (head)
      held.set(key, { seq: head.seq, own: head.bid === bid, deleted: head.deleted, replaces: head.replaces });
  return held;
}

const facetsOf = (state: GraphState): string[] =>
  state.kind === "node" && !state.deleted ? [...new Set(nodeFacets(state))] : [];

const headFacets = ({ kind, deleted, type, status, tags }: Head): string[] =>
  kind === "node" && !deleted ? [...new Set(nodeFacets({ type, status, tags }))] : [];

/** Loads the version of each key that is visible on the branch. Loads text only on request. */
export function* needHeads(
  draft: Draft,
  scope: GraphScope,
  keys: readonly string[],
  ...others: Parameters<typeof need>[1][]
): Deciding<void> {
  const light = [...new Set(keys)].filter((key) => !maybeKnown(draft, "current", key, scope));
  yield* need(draft, { kind: "head", keys: light, scope }, ...others);
}

export function headOf(draft: Draft, scope: GraphScope, key: string): Head | undefined {
  const current = maybeKnown(draft, "current", key, scope);
  return current ? current.found?.head : known(draft, "head", key, scope);
}

/**
 * Writes the version and updates the known facts about this branch. The new version is not visible on any
 * other branch.
 */
function addVersion(draft: Draft, scope: GraphScope, row: VersionRow): void {
  write(draft, "version", row);
  if (!("state" in row)) {
    draft.forgets = true;
    return;
  }
  const { seq, bid, key, kind, deleted, replaces, state, tsMs } = row;
  const node = state.kind === "node" ? state : undefined;
  const head: Head = {
    seq,
    bid,
    kind,
    deleted,
    fingerprint: row.fingerprint,
    replaces,
    type: state.kind === "node" ? state.type : state.rel,
    status: node?.status,
    tags: node?.tags,
  };
  const version: GraphVersion = Object.assign({}, state, { last_seq: seq, last_ts_ms: tsMs });
  // `headOf` looks here first.
  learn(draft, "current", key, { head, version }, scope);
}

/** Updates the known edges at each node. Updates all edges at once, because a node may have many. */
function learnEdges(draft: Draft, scope: GraphScope, states: readonly GraphState[]): void {
  const byEnd = new Map<string, Set<string>>();
  for (const state of states)
    if (state.kind === "edge")
      for (const end of [state.from, state.to])
        byEnd.set(end, (byEnd.get(end) ?? new Set()).add(keyOf(state)));
  for (const [end, changed] of byEnd) {
    const edges = maybeKnown(draft, "edgesAt", end, scope)?.found;
    if (!edges) {
      noteUnwritten(draft.facts, "edgesAt");
      continue;
    }
    const now = [...changed].flatMap((key) => known(draft, "current", key, scope)?.version ?? []);
    const others = edges.filter((edge) => !changed.has(keyOf(edge)));
    learn(draft, "edgesAt", end, [...others, ...now.filter(({ deleted }) => !deleted)], scope);
  }
}

import type { CardNode } from "../../domain/memory/cards/card.ts";
import { type CardFilter, facetsFor } from "../../domain/memory/views/selection.ts";
import type { SlicePlan, StoredSlice } from "../../ports/memory/memory-store.ts";
import type { Stored } from "../rows/graph-rows.ts";
import { toCard } from "../rows/memory-rows.ts";
import { queryEdges } from "./graph/edge-query.ts";
import { diffBranches } from "./graph/graph-diff.ts";
import { findMarked, type LookUps, queryNodes } from "./graph/graph-query.ts";
import { currentAmong, currentRows, edgesAtNodes, type GraphView, readVersions } from "./graph/graph-view.ts";
import { all, get, just, type Query, together } from "./query.ts";
import { readOverview, readSteps } from "./tasks.ts";

/**
 * Returns the newest cards for each filter. The lists overlap, so the longest are read first, and a card that
 * is already in one of them is not read again.
 */
export function* selectCards<Name extends string>(
  view: GraphView,
  filters: Readonly<Record<Name, CardFilter>>,
): Query<Record<Name, CardNode[]>> {
  const longestFirst = Object.entries<CardFilter>(filters).toSorted(
    ([, one], [, other]) => other.limit - one.limit,
  );
  const facets = longestFirst.flatMap(([, filter]) => (filter.limit > 0 ? facetsFor(filter).any : []));
  const lookUps = { current: rememberCurrent(view), markedBranches: findMarked(view, facets) };
  const found: [string, CardNode[]][] = [];
  for (const [name, filter] of longestFirst) found.push([name, yield* select(view, filter, lookUps)]);
  return Object.fromEntries(found) as Record<Name, CardNode[]>;
}

function rememberCurrent(view: GraphView): LookUps["current"] {
  const known = new Map<number, Stored | undefined>();
  return function* (seqs) {
    const missing = seqs.filter((seq) => !known.has(seq));
    for (const seq of missing) known.set(seq, undefined);
    const read = missing.length === 0 ? [] : yield* currentAmong(view, missing);
    for (const stored of read) known.set(stored.version.last_seq, stored);
    return seqs.flatMap((seq) => known.get(seq) ?? []);
  };
}

function* select(view: GraphView, filter: CardFilter, lookUps: LookUps): Query<CardNode[]> {
  if (filter.limit === 0) return [];
  const query = {
    branch: "",
    doc: "",
    facets: facetsFor(filter),
    includeDeleted: false,
    before: filter.before,
    limit: filter.limit,
  };
  return (yield* queryNodes(view, query, undefined, lookUps)).nodes.flatMap(toCard);
}

export function* readSlice<Name extends string>(
  view: GraphView,
  { task, filters, neighbours: near, edges, overview, difference }: SlicePlan<Name>,
): Query<StoredSlice<Name>> {
  const { place } = view;
  const steps = task === undefined ? [] : yield* readSteps(place, task);
  const selected = yield* selectCards(view, filters(steps));
  const neighbours = yield* neighboursOf(view, near.of(selected), near.limit);
  const found = { steps, selected, neighbours };
  const between = { ids: edges.among(found), ends: "among", limit: edges.limit } as const;
  const [beside, shown, changed, last] = yield* together(
    queryEdges(view, between),
    overview ? readOverview(place, overview.target, overview.limits) : just(undefined),
    difference ? diffBranches(place, difference) : just(undefined),
    get("SELECT @last AS seq"),
  );
  return {
    steps,
    selected,
    neighbours,
    edges: beside.edges,
    overview: shown,
    difference: changed,
    asOfSeq: Number(last?.["seq"] ?? 0),
  };
}

const edgesNear = `SELECT e.seq FROM (${edgesAtNodes("?1", "?2")}) e ORDER BY e.seq DESC LIMIT ?3`;

/** Returns the cards that share a live edge with one of these cards, newest edge first. */
function* neighboursOf(view: GraphView, ids: readonly string[], limit: number): Query<CardNode[]> {
  if (view.doc === undefined || ids.length === 0 || limit === 0) return [];
  const rows = yield* all(edgesNear, ids, view.doc, limit * 4);
  if (rows.length === 0) return [];
  const seqs = rows.map((row) => Number(row["seq"]));
  const others = (yield* currentAmong(view, seqs)).flatMap(({ version }) =>
    version.kind === "edge" ? [version.from, version.to].filter((id) => !ids.includes(id)) : [],
  );
  if (others.length === 0) return [];
  const live = [...(yield* currentRows(view, others)).values()].filter(({ deleted }) => !deleted);
  const stored = yield* readVersions(live.map(({ seq }) => seq));
  return [...stored.values()].flatMap(({ version }) => toCard(version)).slice(0, limit);
}

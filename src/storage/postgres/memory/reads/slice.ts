import type { CardNode } from "../../../../domain/memory/cards/card.ts";
import type { GraphVersion } from "../../../../domain/memory/graph.ts";
import { type CardFilter, facetsFor } from "../../../../domain/memory/views/card-facets.ts";
import type { NodeQuery } from "../../../../ports/memory/graph.ts";
import type { SlicePlan, StoredSlice } from "../../../../ports/memory/memory-store.ts";
import type { Stored } from "../../../rows/graph-rows.ts";
import { toCard } from "../../../rows/memory-rows.ts";
import { leadingFacets } from "../../../rows/node-filters.ts";
import { currentSeq } from "../../connection/sequence.ts";
import { queryEdges } from "../graph/edge-query.ts";
import { diffBranches } from "../graph/graph-diff.ts";
import { type BranchesWith, type CurrentAmong, queryNodes, rememberBranches } from "../graph/graph-query.ts";
import { currentAmong, currentRows, type GraphView, readVersions } from "../graph/graph-view.ts";
import { edgesAtNodes } from "../rows/graph-facts.ts";
import { readOverview, readSteps } from "./task-rows.ts";

/**
 * The newest cards for each filter, by the marks that they carry. Lists overlap: the longest are made first, and a card
 * that one of them has found is not read again.
 */
export async function selectCards<Name extends string>(
  view: GraphView,
  filters: Readonly<Record<Name, CardFilter>>,
): Promise<Record<Name, CardNode[]>> {
  const current = rememberCurrent(view);
  const wanted = Object.values<CardFilter>(filters).flatMap((filter) => leadingFacets(queryOf(filter)));
  const branchesWith = rememberBranches(view, wanted);
  const found: [string, CardNode[]][] = [];
  for (const [name, filter] of Object.entries<CardFilter>(filters).toSorted(
    ([, one], [, other]) => other.limit - one.limit,
  ))
    found.push([name, await select(view, filter, current, branchesWith)]);
  return Object.fromEntries(found) as Record<Name, CardNode[]>;
}

function rememberCurrent(view: GraphView): CurrentAmong {
  const known = new Map<number, Stored | undefined>();
  return async (seqs) => {
    const missing = seqs.filter((seq) => !known.has(seq));
    for (const seq of missing) known.set(seq, undefined);
    const read = missing.length === 0 ? [] : await currentAmong(view, missing);
    for (const stored of read) known.set(stored.version.last_seq, stored);
    return seqs.flatMap((seq) => known.get(seq) ?? []);
  };
}

const queryOf = (filter: CardFilter): NodeQuery => ({
  branch: "",
  doc: "",
  facets: facetsFor(filter),
  includeDeleted: false,
  before: filter.before,
  limit: filter.limit,
});

async function select(
  view: GraphView,
  filter: CardFilter,
  current: CurrentAmong,
  branchesWith: BranchesWith,
): Promise<CardNode[]> {
  if (filter.limit === 0) return [];
  return (await queryNodes(view, queryOf(filter), current, branchesWith)).nodes.flatMap(toCard);
}

/** Call inside one read, so that all of it is of one moment. */
export async function readSlice<Name extends string>(
  view: GraphView,
  { task, filters, neighbours: near, edges, overview, difference }: SlicePlan<Name>,
): Promise<StoredSlice<Name>> {
  const { place } = view;
  const steps = task === undefined ? [] : await readSteps(place, task);
  const selected = await selectCards(view, filters(steps));
  const neighbours = await neighboursOf(view, near.of(selected), near.limit);
  const found = { steps, selected, neighbours };
  const between = { ids: edges.among(found), ends: "among", limit: edges.limit } as const;
  const [beside, overviewFound, differenceFound, asOfSeq] = await Promise.all([
    queryEdges(view, between),
    overview && readOverview(place, overview.target, overview.limits),
    difference && diffBranches(place, difference),
    currentSeq(place.connection),
  ]);
  return {
    steps,
    selected,
    neighbours,
    edges: beside.edges,
    overview: overviewFound,
    difference: differenceFound,
    asOfSeq,
  };
}

/** The live nodes with these ids, as the view shows them. */
async function loadNodes(view: GraphView, ids: Iterable<string>): Promise<GraphVersion[]> {
  const rows = [...(await currentRows(view, ids)).values()];
  const seqs = rows.filter(({ deleted }) => !deleted).map(({ seq }) => seq);
  return [...(await readVersions(view.place, seqs)).values()].map(({ version }) => version);
}

/** Cards that share a live edge with one of these, newest edge first. */
async function neighboursOf(view: GraphView, ids: readonly string[], limit: number): Promise<CardNode[]> {
  if (view.doc === undefined || ids.length === 0 || limit === 0) return [];
  const rows = await view.place.connection
    .sql(`SELECT seq FROM (${edgesAtNodes("?1", "?2")}) e ORDER BY seq DESC LIMIT ?3`)
    .all(ids, view.doc, limit * 4);
  const seqs = rows.map((row) => Number(row["seq"]));
  const others = (await currentAmong(view, seqs)).flatMap(({ version }) =>
    version.kind === "edge" ? [version.from, version.to].filter((id) => !ids.includes(id)) : [],
  );
  return (await loadNodes(view, others)).flatMap(toCard).slice(0, limit);
}

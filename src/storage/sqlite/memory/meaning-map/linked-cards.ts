import { type CardNode, isThinkType, openStatus } from "../../../../domain/memory/cards/card.ts";
import { isHidden } from "../../../../domain/memory/cards/visibility.ts";
import { byMeaning } from "../../../../domain/memory/meaning-map/meaning-anchor.ts";
import { hasFacets } from "../../../../domain/memory/views/card-facets.ts";
import {
  type LinkedCard,
  type LinkPage,
  type LinkQuery,
  maxLinks,
} from "../../../../ports/memory/memory-store.ts";
import { toCard } from "../../../rows/memory-rows.ts";
import { parseColumn } from "../../connection/driver.ts";
import { newestAnywhere } from "../graph/find-node.ts";
import { currentRows, isPublished, readVersions, viewAlong } from "../graph/graph-view.ts";
import { branchById, docName, findBranch, loadLineage, type Place } from "../places.ts";
import { liveGraphs } from "./anchors.ts";

type Version = Pick<CardNode, "type" | "status" | "tags" | "last_seq" | "last_ts_ms"> & { doc: number };

/** Each card as it is opened from the checkout: a facet that only another branch shows counts if the checkout has none. */
export function linkedCards(place: Place, { checkout, facets, drafts, after, limit }: LinkQuery): LinkPage {
  const found = candidates(place, facets);
  const branch = findBranch(place, checkout);
  const lineage = branch ? loadLineage(place, branch.bid) : [];
  const linked: Version[] = [];
  const seen = new Set<number>();
  for (const [doc, keys] of found.keys) {
    const view = viewAlong(place, lineage, doc);
    const here = new Map(
      [...currentRows(view, keys)].flatMap(([key, { seq, deleted }]) =>
        deleted ? [] : [[key, seq] as const],
      ),
    );
    for (const seq of here.values()) seen.add(seq);
    const elsewhere = newestAnywhere(
      place,
      doc,
      [...keys].filter((key) => !here.has(key)),
    );
    linked.push(...describe(place, doc, [...here.values(), ...elsewhere.values()]));
  }
  const belongs = linked.filter((card) => hasFacets(card, { any: facets, all: [] }));
  const shown = belongs.filter((card) => drafts || !isHidden(card)).sort(byMeaning);
  // The version that the page before ended with is still there, whatever became of its card.
  const [last] = after === undefined ? [] : describe(place, 0, [after]);
  const rest = last ? shown.filter((card) => byMeaning(last, card) < 0) : shown;
  return {
    cards: show(place, rest.slice(0, limit), { seen, checkout }),
    total: belongs.length,
    hasMore: found.hasMore,
    goesOn: rest.length > limit,
  };
}

/** Cards of which some version has one of the facets, by document. */
function candidates({ connection, wid }: Place, facets: readonly string[]) {
  const rows = connection
    .sql(`SELECT v.doc, v.key FROM json_each(?) t CROSS JOIN ${liveGraphs}
          JOIN graph_versions v ON v.seq = f.seq
          WHERE b.wid = ? AND b.deleted_at_ms IS NULL AND f.facet = t.value AND ${isPublished("f")}
          GROUP BY v.doc, v.key
          ORDER BY max(EXISTS (SELECT 1 FROM graph_facets p WHERE p.doc = f.doc AND p.bid = f.bid
            AND p.facet = 'tag:pinned' AND p.seq = f.seq)) DESC, max(v.type = 'decision') DESC, max(v.seq) DESC
          LIMIT ?`)
    .all(JSON.stringify(facets), wid, maxLinks + 1);
  const keys = new Map<number, Set<string>>();
  for (const row of rows.slice(0, maxLinks)) {
    const doc = Number(row["doc"]);
    const known = keys.get(doc);
    if (known) known.add(String(row["key"]));
    else keys.set(doc, new Set([String(row["key"])]));
  }
  return { keys, hasMore: rows.length > maxLinks };
}

/** As much of the versions as tells which are shown first; their texts are read for those alone. */
function describe({ connection }: Place, doc: number, seqs: readonly number[]): Version[] {
  return connection
    .sql(`SELECT v.seq, v.type, v.status, v.tags, v.ts_ms FROM json_each(?) s JOIN graph_versions v ON v.seq = s.value
          WHERE v.kind = 'node'`)
    .all(JSON.stringify(seqs))
    .flatMap((row): Version[] => {
      const type = String(row["type"]);
      if (!isThinkType(type)) return [];
      const tags = row["tags"] === null ? [] : parseColumn<string[]>(row["tags"]);
      const status = String(row["status"] ?? openStatus);
      return [{ doc, type, status, tags, last_seq: Number(row["seq"]), last_ts_ms: Number(row["ts_ms"]) }];
    });
}

function show(
  place: Place,
  versions: readonly Version[],
  { seen, checkout }: { seen: ReadonlySet<number>; checkout: string },
): LinkedCard[] {
  const stored = readVersions(
    place,
    versions.map(({ last_seq }) => last_seq),
  );
  return versions.flatMap(({ last_seq, doc }) => {
    const found = stored.get(last_seq);
    if (!found) return [];
    const branch = seen.has(last_seq) ? checkout : branchById(place, found.bid).name;
    return toCard(found.version).map((card) => ({ ...card, branch, doc: docName(place, doc) }));
  });
}

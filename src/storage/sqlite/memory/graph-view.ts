import { cutoffs, type Lineage, sees } from "../../../domain/memory/lineage.ts";
import type { Row } from "../driver.ts";
import { decodeVersion, type Stored } from "./graph-rows.ts";
import { findDoc, loadLineage, type Place } from "./places.ts";

/** A graph as one branch sees it: the newest version of each key along its lineage. */
export type GraphView = {
  place: Place;
  /** `undefined` where no branch has such a document: then there is nothing to see. */
  doc: number | undefined;
  lineage: Lineage;
  cutoffs: ReadonlyMap<number, number>;
};

export function openView(place: Place, bid: number, docName: string): GraphView {
  return viewAlong(place, loadLineage(place, bid), findDoc(place, docName));
}

export function viewAlong(place: Place, lineage: Lineage, doc: number | undefined): GraphView {
  return { place, doc, lineage, cutoffs: cutoffs(lineage) };
}

const versionsOfKey =
  "SELECT seq, bid, deleted FROM graph_versions WHERE doc = ? AND key = ? AND visible = 1 ORDER BY seq DESC";

/** The row of the key's current version in this view, without its contents. */
function currentRow({ place, doc, cutoffs: view }: GraphView, key: string): Row | undefined {
  if (doc === undefined) return undefined;
  return place.connection
    .sql(versionsOfKey)
    .all(doc, key)
    .find((row) => sees(view, Number(row["bid"]), Number(row["seq"])));
}

export function isCurrent(view: GraphView, key: string, seq: number): boolean {
  return Number(currentRow(view, key)?.["seq"]) === seq;
}

export function isLive(view: GraphView, key: string): boolean {
  return currentRow(view, key)?.["deleted"] === 0;
}

export function currentVersion(view: GraphView, key: string): Stored | undefined {
  const row = currentRow(view, key);
  return row && readVersion(view.place, Number(row["seq"]));
}

export function readVersion({ connection }: Place, seq: number): Stored | undefined {
  const row = connection.sql("SELECT * FROM graph_versions WHERE seq = ?").get(seq);
  return row && decodeVersion(row);
}

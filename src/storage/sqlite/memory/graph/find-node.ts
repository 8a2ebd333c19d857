import type { GraphVersion } from "../../../../domain/memory/graph.ts";
import type { GraphPlace } from "../../../../domain/memory/steps/outcomes.ts";
import { branchById, docName, findBranch, loadLineage, type Place } from "../places.ts";
import { currentVersion, isHead, readVersions, viewAlong } from "./graph-view.ts";

/** As the branch shows it, in whichever document, the live and the newest first; else as it was last anywhere. */
export function findNode(
  place: Place,
  branchName: string,
  id: string,
): { node: GraphVersion; place: GraphPlace } | undefined {
  const docs = place.connection
    .sql(
      `SELECT DISTINCT d.doc FROM memory_docs d JOIN graph_versions v ON v.doc = d.doc
       WHERE d.wid = ? AND v.key = ? AND v.visible = 1 AND v.kind = 'node'`,
    )
    .all(place.wid, id)
    .map((row) => Number(row["doc"]));
  const branch = findBranch(place, branchName);
  const lineage = branch ? loadLineage(place, branch.bid) : [];
  const here = docs
    .map((doc) => ({ doc, stored: currentVersion(viewAlong(place, lineage, doc), id) }))
    .flatMap(({ doc, stored }) => (stored && !stored.version.deleted ? [{ doc, stored }] : []))
    .sort((one, other) => other.stored.version.last_seq - one.stored.version.last_seq)[0];
  if (here)
    return { node: here.stored.version, place: { branch: branchName, doc: docName(place, here.doc) } };
  return newestElsewhere(place, docs, id);
}

function newestElsewhere(place: Place, docs: readonly number[], id: string) {
  const newest = docs
    .flatMap((doc) => [...newestAnywhere(place, doc, [id]).values()].map((seq) => ({ doc, seq })))
    .sort((one, other) => other.seq - one.seq)[0];
  const stored = newest && readVersions(place, [newest.seq]).get(newest.seq);
  if (!stored) return undefined;
  const branch = branchById(place, stored.bid).name;
  return { node: stored.version, place: { branch, doc: docName(place, newest.doc) } };
}

/** Of each key the newest live version that a branch which is there shows. */
export function newestAnywhere(
  { connection }: Place,
  doc: number,
  keys: readonly string[],
): Map<string, number> {
  const rows = connection
    .sql(
      `SELECT v.key, max(v.seq) AS seq FROM json_each(?) k
       CROSS JOIN graph_versions v INDEXED BY graph_by_key ON v.doc = ? AND v.key = k.value AND v.visible = 1
       JOIN memory_branches b ON b.bid = v.bid AND b.deleted_at_ms IS NULL
       WHERE v.deleted = 0
       AND (${isHead("v")} OR EXISTS (SELECT 1 FROM memory_branches c WHERE c.base = v.bid
         AND c.deleted_at_ms IS NULL AND c.base_seq >= v.seq AND c.base_seq < v.superseded)) GROUP BY v.key`,
    )
    .all(JSON.stringify(keys), doc);
  return new Map(rows.map((row) => [String(row["key"]), Number(row["seq"])]));
}

/** The version with this seq; not what a deleted branch hides. */
export function readVersion(
  place: Place,
  seq: number,
): { version: GraphVersion; place: GraphPlace } | undefined {
  const row = place.connection
    .sql(
      `SELECT d.name AS doc, b.name AS branch FROM graph_versions v JOIN memory_docs d ON d.doc = v.doc
       JOIN memory_branches b ON b.bid = v.bid WHERE v.seq = ? AND d.wid = ? AND b.deleted_at_ms IS NULL`,
    )
    .get(seq, place.wid);
  const stored = row && readVersions(place, [seq]).get(seq);
  return (
    stored && { version: stored.version, place: { branch: String(row["branch"]), doc: String(row["doc"]) } }
  );
}

import type { GraphVersion } from "../../../../domain/memory/graph.ts";
import type { GraphPlace } from "../../../../ports/memory/graph.ts";
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
  return newestAnywhere(place, docs, id);
}

function newestAnywhere(place: Place, docs: readonly number[], id: string) {
  const rows = docs.flatMap((doc) =>
    place.connection
      .sql(
        `SELECT v.seq FROM graph_versions v JOIN memory_branches b ON b.bid = v.bid AND b.deleted_at_ms IS NULL
         WHERE v.doc = ? AND v.key = ? AND v.visible = 1 AND v.deleted = 0
         AND (${isHead("v")} OR EXISTS (SELECT 1 FROM memory_branches c WHERE c.base = v.bid
           AND c.deleted_at_ms IS NULL AND c.base_seq >= v.seq AND c.base_seq < v.superseded)) ORDER BY v.seq DESC LIMIT 1`,
      )
      .all(doc, id)
      .map((row) => ({ doc, seq: Number(row["seq"]) })),
  );
  const newest = rows.sort((one, other) => other.seq - one.seq)[0];
  const stored = newest && readVersions(place, [newest.seq]).get(newest.seq);
  if (!stored) return undefined;
  const branch = branchById(place, stored.bid).name;
  return { node: stored.version, place: { branch, doc: docName(place, newest.doc) } };
}

import type { GraphVersion } from "../../../../domain/memory/graph.ts";
import type { GraphPlace } from "../../../../domain/memory/steps/outcomes.ts";
import { branchById, docName, findBranch, loadLineage, type Place } from "../places.ts";
import { currentRows, isHead, readVersions, viewAlong } from "./graph-view.ts";

/** As the branch shows it, in whichever document, the live and the newest first; else as it was last anywhere. */
export async function findNode(
  place: Place,
  branchName: string,
  id: string,
): Promise<{ node: GraphVersion; place: GraphPlace } | undefined> {
  const rows = await place.connection
    .sql(`SELECT DISTINCT d.doc FROM {memory_docs} d JOIN {graph_versions} v ON v.doc = d.doc
      WHERE d.wid = ? AND v.key = ? AND v.visible = 1 AND v.kind = 'node'`)
    .all(place.wid, id);
  const docs = rows.map((row) => Number(row["doc"]));
  const branch = await findBranch(place, branchName);
  const lineage = branch ? await loadLineage(place, branch.bid) : [];
  const shown = await Promise.all(
    docs.map(async (doc) => {
      const row = (await currentRows(viewAlong(place, lineage, doc), [id])).get(id);
      return row && !row.deleted ? [{ doc, seq: row.seq }] : [];
    }),
  );
  const [here] = shown.flat().sort((one, other) => other.seq - one.seq);
  const stored = here && (await readVersions(place, [here.seq])).get(here.seq);
  if (here && stored)
    return { node: stored.version, place: { branch: branchName, doc: await docName(place, here.doc) } };
  return newestElsewhere(place, docs, id);
}

async function newestElsewhere(place: Place, docs: readonly number[], id: string) {
  const found = await Promise.all(
    docs.map(async (doc) =>
      [...(await newestAnywhere(place, doc, [id])).values()].map((seq) => ({ doc, seq })),
    ),
  );
  const [newest] = found.flat().sort((one, other) => other.seq - one.seq);
  const stored = newest && (await readVersions(place, [newest.seq])).get(newest.seq);
  if (!stored) return undefined;
  const branch = (await branchById(place, stored.bid)).name;
  return { node: stored.version, place: { branch, doc: await docName(place, newest.doc) } };
}

/** Of each key the newest live version that a branch which is there shows. */
export async function newestAnywhere(
  { connection }: Place,
  doc: number,
  keys: readonly string[],
): Promise<Map<string, number>> {
  const rows = await connection
    .sql(`SELECT v.key, max(v.seq) AS seq FROM {graph_versions} v
      JOIN {memory_branches} b ON b.bid = v.bid AND b.deleted_at_ms IS NULL
      WHERE v.doc = ? AND v.key = ANY (?::text[]) AND v.visible = 1 AND v.deleted = 0
      AND (${isHead("v")} OR EXISTS (SELECT 1 FROM {memory_branches} c WHERE c.base = v.bid
        AND c.deleted_at_ms IS NULL AND c.base_seq >= v.seq AND c.base_seq < v.superseded)) GROUP BY v.key`)
    .all(doc, keys);
  return new Map(rows.map((row) => [String(row["key"]), Number(row["seq"])]));
}

/** The version with this seq; not what a deleted branch hides. */
export async function readVersion(
  place: Place,
  seq: number,
): Promise<{ version: GraphVersion; place: GraphPlace } | undefined> {
  const row = await place.connection
    .sql(`SELECT d.name AS doc, b.name AS branch FROM {graph_versions} v JOIN {memory_docs} d ON d.doc = v.doc
      JOIN {memory_branches} b ON b.bid = v.bid WHERE v.seq = ? AND d.wid = ? AND b.deleted_at_ms IS NULL`)
    .get(seq, place.wid);
  const stored = row && (await readVersions(place, [seq])).get(seq);
  return (
    stored && { version: stored.version, place: { branch: String(row["branch"]), doc: String(row["doc"]) } }
  );
}

import type { GraphVersion } from "../../../domain/memory/graph.ts";
import type { GraphPlace } from "../../../domain/memory/steps/outcomes.ts";
import { branchById, docName, findBranch, loadLineage, type Place } from "../places.ts";
import { all, each, get, type Query } from "../query.ts";
import { currentRows, isHead, readVersions, viewAlong } from "./graph-view.ts";

/**
 * Returns the newest live version that is visible on the branch, in any document. If no version is visible
 * there, returns the newest one on any branch.
 */
export function* findNode(
  place: Place,
  branchName: string,
  id: string,
): Query<{ node: GraphVersion; place: GraphPlace } | undefined> {
  const rows = yield* all(
    `SELECT DISTINCT d.doc FROM {memory_docs} d JOIN {graph_versions} v ON v.doc = d.doc
     WHERE d.wid = ? AND v.key = ? AND v.visible = 1 AND v.kind = 'node'`,
    ...[place.wid, id],
  );
  const docs = rows.map((row) => Number(row["doc"]));
  const branch = yield* findBranch(place, branchName);
  const lineage = branch ? yield* loadLineage(branch.bid) : [];
  const shown = yield* each(docs, function* (doc) {
    const row = (yield* currentRows(viewAlong(place, lineage, doc), [id])).get(id);
    return row && !row.deleted ? [{ doc, seq: row.seq }] : [];
  });
  const [here] = shown.flat().sort((one, other) => other.seq - one.seq);
  const stored = here && (yield* readVersions([here.seq])).get(here.seq);
  if (here && stored)
    return { node: stored.version, place: { branch: branchName, doc: yield* docName(here.doc) } };
  return yield* newestElsewhere(docs, id);
}

function* newestElsewhere(docs: readonly number[], id: string) {
  const found = yield* each(docs, function* (doc) {
    return [...(yield* newestAnywhere(doc, [id])).values()].map((seq) => ({ doc, seq }));
  });
  const [newest] = found.flat().sort((one, other) => other.seq - one.seq);
  const stored = newest && (yield* readVersions([newest.seq])).get(newest.seq);
  if (!stored) return undefined;
  const branch = (yield* branchById(stored.bid)).name;
  return { node: stored.version, place: { branch, doc: yield* docName(newest.doc) } };
}

/** Returns, for each key, the newest live version that is visible on an existing branch. */
export function* newestAnywhere(doc: number, keys: readonly string[]): Query<Map<string, number>> {
  const rows = yield* all(
    `SELECT v.key, max(v.seq) AS seq FROM TEXTS(?) k
     CROSS JOIN {graph_versions} v INDEXED BY graph_by_key ON v.doc = ? AND v.key = k.value AND v.visible = 1
     JOIN {memory_branches} b ON b.bid = v.bid AND b.deleted_at_ms IS NULL
     WHERE v.deleted = 0
     AND (${isHead("v")} OR EXISTS (SELECT 1 FROM {memory_branches} c WHERE c.base = v.bid
       AND c.deleted_at_ms IS NULL AND c.base_seq >= v.seq AND c.base_seq < v.superseded)) GROUP BY v.key`,
    ...[keys, doc],
  );
  return new Map(rows.map((row) => [String(row["key"]), Number(row["seq"])]));
}

/** Returns the version with this seq, or `undefined` if a deleted branch hides it. */
export function* readVersion(
  { wid }: Place,
  seq: number,
): Query<{ version: GraphVersion; place: GraphPlace } | undefined> {
  const row = yield* get(
    `SELECT d.name AS doc, b.name AS branch FROM {graph_versions} v JOIN {memory_docs} d ON d.doc = v.doc
     JOIN {memory_branches} b ON b.bid = v.bid WHERE v.seq = ? AND d.wid = ? AND b.deleted_at_ms IS NULL`,
    ...[seq, wid],
  );
  const stored = row && (yield* readVersions([seq])).get(seq);
  return (
    stored && { version: stored.version, place: { branch: String(row["branch"]), doc: String(row["doc"]) } }
  );
}

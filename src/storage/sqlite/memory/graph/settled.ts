import type { Mark } from "../../../../domain/memory/merge/decide-merge.ts";
import { nothing } from "../../../../domain/memory/merge/three-way.ts";
import type { Place } from "../places.ts";

/** The graph of a branch that is merged with its base, whichever way. */
export type SettledGraph = { place: Place; child: number; doc: number };

/** What the two last agreed on; `undefined` as the mark of a key that the source did not have then. */
export function settledMarks(
  { place, child, doc }: SettledGraph,
  keys: readonly string[],
): Map<string, Mark | undefined> {
  const rows = place.connection
    .sql(
      `SELECT s.key, s.seq, v.fingerprint FROM json_each(?) k
       CROSS JOIN graph_settled s ON s.bid = ? AND s.doc = ? AND s.key = k.value
       LEFT JOIN graph_versions v ON v.seq = s.seq`,
    )
    .all(JSON.stringify(keys), child, doc);
  return new Map(
    rows.map((row) => [
      String(row["key"]),
      typeof row["seq"] === "number"
        ? { seq: row["seq"], fingerprint: String(row["fingerprint"] ?? nothing) }
        : undefined,
    ]),
  );
}

/** Call inside a write. */
export function settle(
  { place, child, doc }: SettledGraph,
  keys: readonly { key: string; seq: number | undefined }[],
): void {
  if (keys.length === 0) return;
  place.connection
    .sql(
      `INSERT INTO graph_settled (wid, bid, doc, key, seq)
       SELECT ?2, ?3, ?4, value ->> 0, value ->> 1 FROM json_each(?1) WHERE true
       ON CONFLICT (bid, doc, key) DO UPDATE SET seq = excluded.seq`,
    )
    .run(JSON.stringify(keys.map(({ key, seq }) => [key, seq ?? null])), place.wid, child, doc);
}

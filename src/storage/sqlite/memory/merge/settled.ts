import type { Place } from "../places.ts";

/** The graph of a branch that is merged with its base, whichever way. */
export type SettledGraph = { place: Place; child: number; doc: number };

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

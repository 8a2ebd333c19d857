import type { Connection, WriteConnection } from "./access.ts";

/** Returns the next number. Call inside a write. */
export function nextSeq(connection: WriteConnection): number {
  reachSeq(connection, connection.last + 1);
  return connection.last;
}

/** Returns the highest number assigned so far, as readers see it. */
export async function currentSeq({ sql }: Connection): Promise<number> {
  return Number((await sql("SELECT seq FROM {tenants} t").get())?.["seq"] ?? 0);
}

/**
 * Raises the counter to at least `seq`. Call inside a write that assigned its own numbers. If a merge has
 * reserved one of them, that merge is discarded and starts again.
 */
export function reachSeq(connection: WriteConnection, seq: number): void {
  connection.last = Math.max(connection.last, seq);
  const { mergeFrom } = connection;
  if (mergeFrom === undefined || connection.last < mergeFrom) return;
  connection.mergeFrom = undefined;
  giveWay(connection, mergeFrom);
}

/** Writes the counter to the tenant's row. Call inside a write, before reads that depend on published versions. */
export function tellSeq(connection: WriteConnection): void {
  if (connection.told === connection.last) return;
  connection.told = connection.last;
  connection.send(connection.sql("UPDATE tenants SET seq = ? WHERE tenant = @tenant").run(connection.last));
}

function giveWay({ sql, send }: WriteConnection, from: number): void {
  send(
    sql(`DELETE FROM graph_facets f USING {graph_merges} m WHERE f.tenant = @tenant AND m.published = 0
      AND m.doc = f.doc AND m.into_bid = f.bid AND f.seq >= m.first_seq`).run(),
  );
  send(sql("DELETE FROM graph_words WHERE tenant = @tenant AND seq >= ?").run(from));
  send(sql("DELETE FROM graph_versions WHERE tenant = @tenant AND seq >= ?").run(from));
  send(sql("DELETE FROM graph_conflicts WHERE tenant = @tenant AND status = 'staged'").run());
  send(
    sql(`DELETE FROM graph_settled_ahead WHERE tenant = @tenant
      AND mid IN (SELECT m.mid FROM {graph_merges} m WHERE m.published = 0)`).run(),
  );
  send(sql("DELETE FROM graph_merges WHERE tenant = @tenant AND published = 0").run());
}

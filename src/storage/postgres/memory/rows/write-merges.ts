import type { WriteKinds } from "../../../../domain/memory/steps/rows.ts";
import type { WriteConnection } from "../../connection/access.ts";
import { bulkInsert, json } from "../../connection/insert.ts";

type Writer<Kind extends keyof WriteKinds> = (
  connection: WriteConnection,
  rows: readonly WriteKinds[Kind][],
) => void;
type ConflictRow = WriteKinds["conflict"];

const state = (found: ConflictRow["conflict"]["base"]): string | null => json(found ?? undefined);

const conflictColumns = (status: "open" | "staged") => ({
  wid: ({ wid }: ConflictRow) => wid,
  id: ({ conflict }: ConflictRow) => conflict.conflict_id,
  doc: ({ doc }: ConflictRow) => doc,
  from_bid: ({ from }: ConflictRow) => from,
  into_bid: ({ into }: ConflictRow) => into,
  kind: ({ conflict }: ConflictRow) => conflict.kind,
  key: ({ conflict }: ConflictRow) => conflict.key,
  status: () => status,
  base: ({ conflict }: ConflictRow) => state(conflict.base),
  theirs: ({ conflict }: ConflictRow) => state(conflict.theirs),
  ours: ({ conflict }: ConflictRow) => state(conflict.ours),
  created_at_ms: ({ conflict }: ConflictRow) => conflict.created_at_ms,
});
const types = { base: "text" };

const openAgain = "status = 'open', resolution = NULL, resolved_at_ms = NULL";

/** Call inside a write. No one sees it before `openStaged`; one that was there before stays as it is until then. */
export const stageConflicts = bulkInsert<ConflictRow>("graph_conflicts", conflictColumns("staged"), {
  types,
  behind: "ON CONFLICT (tenant, wid, id) DO NOTHING",
});

/** Call inside a write. Those that were staged or known are open now. What else was staged goes. */
export function openStaged({ sql, send }: WriteConnection, wid: number, opened: readonly string[]): void {
  send(
    sql(
      "DELETE FROM graph_conflicts WHERE tenant = @tenant AND status = 'staged' AND id <> ALL (?::text[])",
    ).run(opened),
  );
  send(
    sql(`UPDATE graph_conflicts SET ${openAgain} WHERE tenant = @tenant AND wid = ?
      AND id = ANY (?::text[])`).run(wid, opened),
  );
}

/** The last of each: one statement cannot change a row twice. */
function lastOf<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}

const insertSettled = bulkInsert<WriteKinds["settled"]>(
  "graph_settled",
  {
    wid: ({ wid }) => wid,
    bid: ({ child }) => child,
    doc: ({ doc }) => doc,
    key: ({ key }) => key,
    seq: ({ seq }) => seq ?? null,
  },
  { behind: "ON CONFLICT (tenant, bid, doc, key) DO UPDATE SET seq = excluded.seq" },
);

/** What a published merge has staged of these keys counts no longer. */
const settle: Writer<"settled"> = (connection, rows) => {
  const settled = lastOf(rows, ({ child, doc, key }) => `${child} ${doc} ${key}`);
  connection.send(insertSettled(connection, settled));
  connection.send(
    connection
      .sql(`DELETE FROM graph_settled_ahead a USING unnest(?::text[], ?::bigint[], ?::bigint[]) u (key, bid, doc)
        WHERE a.tenant = @tenant AND a.mid IN (SELECT m.mid FROM {graph_merges} m WHERE m.published = 1)
        AND a.key = u.key AND a.bid = u.bid AND a.doc = u.doc`)
      .run(
        settled.map(({ key }) => key),
        settled.map(({ child }) => child),
        settled.map(({ doc }) => doc),
      ),
  );
};

const closeConflicts: Writer<"closedConflict"> = ({ sql, send }, rows) =>
  send(
    sql(`UPDATE graph_conflicts c SET status = 'resolved', resolution = u.resolution, resolved_at_ms = u.at
      FROM unnest(?::bigint[], ?::text[], ?::text[], ?::bigint[]) u (wid, id, resolution, at)
      WHERE c.tenant = @tenant AND c.wid = u.wid AND c.id = u.id`).run(
      rows.map(({ wid }) => wid),
      rows.map(({ id }) => id),
      rows.map(({ resolution }) => resolution),
      rows.map(({ atMs }) => atMs),
    ),
  );

type Mark = { child: number; doc: number; from: number; seq: number };

const moveMarks = bulkInsert<Mark>(
  "graph_merged",
  {
    bid: ({ child }) => child,
    doc: ({ doc }) => doc,
    from_bid: ({ from }) => from,
    seq: ({ seq }) => seq,
  },
  { behind: "ON CONFLICT (tenant, bid, doc, from_bid) DO UPDATE SET seq = excluded.seq" },
);

/** In this order: a mark that is forgotten stays so until the next merge. */
const writeMarks: Writer<"mergeMark"> = (connection, rows) => {
  const { sql, send } = connection;
  const moved = rows.filter((row) => row.from !== undefined);
  const forgotten = rows.filter(({ from }) => from === undefined);
  if (moved.length > 0)
    send(
      moveMarks(
        connection,
        lastOf(moved, ({ child, doc, from }) => `${child} ${doc} ${from}`),
      ),
    );
  if (forgotten.length > 0)
    send(
      sql(`DELETE FROM graph_merged m USING unnest(?::bigint[], ?::bigint[]) u (bid, doc)
        WHERE m.tenant = @tenant AND m.bid = u.bid AND m.doc = u.doc`).run(
        forgotten.map(({ child }) => child),
        forgotten.map(({ doc }) => doc),
      ),
    );
};

const insertConflicts = bulkInsert<ConflictRow>("graph_conflicts", conflictColumns("open"), {
  types,
  behind: `ON CONFLICT (tenant, wid, id) DO UPDATE SET ${openAgain}`,
});

const insertDifferences = bulkInsert<WriteKinds["knownDifference"]>(
  "graph_known_differences",
  {
    bid: ({ child }) => child,
    doc: ({ doc }) => doc,
    seq: ({ seq }) => seq,
    keys: ({ keys }) => JSON.stringify(keys),
  },
  { behind: "ON CONFLICT (tenant, bid, doc) DO UPDATE SET seq = excluded.seq, keys = excluded.keys" },
);

export const mergeWriters = {
  settled: settle,
  mergeMark: writeMarks,
  closedConflict: closeConflicts,
  conflict: ((connection, rows) =>
    connection.send(
      insertConflicts(
        connection,
        lastOf(rows, ({ wid, conflict }) => `${wid} ${conflict.conflict_id}`),
      ),
    )) as Writer<"conflict">,
  knownDifference: ((connection, rows) =>
    connection.send(
      insertDifferences(
        connection,
        lastOf(rows, ({ child, doc }) => `${child} ${doc}`),
      ),
    )) as Writer<"knownDifference">,
};

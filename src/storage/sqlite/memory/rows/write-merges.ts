import type { WriteKinds } from "../../../../domain/memory/steps/rows.ts";
import type { Connection } from "../../connection/open-database.ts";
import { insert, json } from "./insert.ts";

type Writer<Kind extends keyof WriteKinds> = (
  connection: Connection,
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

const openAgain = "status = 'open', resolution = NULL, resolved_at_ms = NULL";

/** Call inside a write. No one sees it before `openStaged`; one that was there before stays as it is until then. */
export const stageConflicts = insert<ConflictRow>(
  "main.graph_conflicts",
  conflictColumns("staged"),
  "ON CONFLICT (wid, id) DO NOTHING",
);

/** Call inside a write. Those that were staged or known are open now. What else was staged goes. */
export function openStaged({ sql }: Connection, wid: number, opened: readonly string[]): void {
  const ids = JSON.stringify(opened);
  sql(
    "DELETE FROM graph_conflicts WHERE status = 'staged' AND id NOT IN (SELECT value FROM json_each(?))",
  ).run(ids);
  sql(`UPDATE graph_conflicts SET ${openAgain} WHERE wid = ? AND id IN (SELECT value FROM json_each(?))`).run(
    wid,
    ids,
  );
}

/** One statement for each graph: a merge settles many keys of one. */
const settle: Writer<"settled"> = ({ sql }, rows) => {
  const graphs = new Map<string, { of: WriteKinds["settled"]; keys: [string, number | null][] }>();
  for (const row of rows) {
    const name = `${row.child} ${row.doc}`;
    const graph = graphs.get(name) ?? { of: row, keys: [] };
    graph.keys.push([row.key, row.seq ?? null]);
    graphs.set(name, graph);
  }
  for (const { of, keys } of graphs.values())
    sql(
      `INSERT INTO graph_settled (wid, bid, doc, key, seq)
       SELECT ?2, ?3, ?4, value ->> 0, value ->> 1 FROM json_each(?1) WHERE true
       ON CONFLICT (bid, doc, key) DO UPDATE SET seq = excluded.seq`,
    ).run(JSON.stringify(keys), of.wid, of.child, of.doc);
};

const closeConflicts: Writer<"closedConflict"> = ({ sql }, rows) => {
  sql(
    `UPDATE graph_conflicts SET status = 'resolved', resolution = c.value ->> 2, resolved_at_ms = c.value ->> 3
     FROM json_each(?) c WHERE graph_conflicts.wid = c.value ->> 0 AND graph_conflicts.id = c.value ->> 1`,
  ).run(JSON.stringify(rows.map(({ wid, id, resolution, atMs }) => [wid, id, resolution, atMs])));
};

const moveMark = insert<{ child: number; doc: number; from: number; seq: number }>(
  "graph_merged",
  {
    bid: ({ child }) => child,
    doc: ({ doc }) => doc,
    from_bid: ({ from }) => from,
    seq: ({ seq }) => seq,
  },
  "ON CONFLICT (bid, doc, from_bid) DO UPDATE SET seq = excluded.seq",
);

/** In this order: a mark that is forgotten stays so until the next merge. */
const writeMarks: Writer<"mergeMark"> = (connection, rows) => {
  const moved = rows.filter((row) => row.from !== undefined);
  const forgotten = rows.filter(({ from }) => from === undefined);
  if (moved.length > 0) moveMark(connection, moved);
  if (forgotten.length > 0)
    connection
      .sql(`DELETE FROM graph_merged WHERE (bid, doc) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))`)
      .run(JSON.stringify(forgotten.map(({ child, doc }) => [child, doc])));
};

export const mergeWriters = {
  settled: settle,
  mergeMark: writeMarks,
  closedConflict: closeConflicts,
  conflict: insert<ConflictRow>(
    "main.graph_conflicts",
    conflictColumns("open"),
    `ON CONFLICT (wid, id) DO UPDATE SET ${openAgain}`,
  ),
  knownDifference: insert<WriteKinds["knownDifference"]>(
    "graph_known_differences",
    {
      bid: ({ child }) => child,
      doc: ({ doc }) => doc,
      seq: ({ seq }) => seq,
      keys: ({ keys }) => JSON.stringify(keys),
    },
    "ON CONFLICT (bid, doc) DO UPDATE SET seq = excluded.seq, keys = excluded.keys",
  ),
};

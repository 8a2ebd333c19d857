import {
  fingerprint,
  type GraphState,
  type GraphVersion,
  keyOf,
  stateOf,
} from "../../../../domain/memory/graph.ts";
import type { GraphOp } from "../../../../domain/memory/graph-ops.ts";
import { ThoughtboxError } from "../../../../kernel/errors.ts";
import { quote } from "../../../../kernel/text.ts";
import type { GraphPlace } from "../../../../ports/memory/graph.ts";
import type { GraphApplied, StepInput, StepOutcome } from "../../../../ports/memory/steps.ts";
import type { Connection } from "../../connection/open-database.ts";
import { currentSeq, nextSeq } from "../../connection/sequence.ts";
import { type BranchRow, branchOrCheckout, loadLineage, openStream, type Place } from "../places.ts";
import { decodeVersion } from "./graph-rows.ts";
import { type Tally, tallyAfter } from "./graph-tally.ts";
import {
  currentRow,
  currentVersion,
  type GraphView,
  isCurrent,
  isLive,
  viewAlong,
  type WritableGraph,
} from "./graph-view.ts";

/** Call inside a write: the graph as it can be written, whether or not the branch has one yet. */
export function openForWriting(
  place: Place,
  { bid }: Pick<BranchRow, "bid">,
  docName: string,
  lineage = loadLineage(place, bid),
): WritableGraph {
  const doc = openStream(place, bid, docName, "graph", currentSeq(place.connection) + 1);
  return { ...viewAlong(place, lineage, doc), doc, bid };
}

/** Call inside a write: a new version of the key on this branch. */
export function writeVersion(graph: WritableGraph, state: GraphState, at: Date): GraphVersion {
  const { place, doc, bid } = graph;
  const key = keyOf(state);
  const before = currentRow(graph, key);
  const tally = tallyAfter(graph, state, before);
  const seq = nextSeq(place.connection);
  const replaces = before?.bid === bid ? supersede(graph, before.seq, seq) : before?.seq;
  insertVersion(graph, { key, state, seq, replaces, tally }, at);
  if (state.kind === "node" && !state.deleted) insertFacets(place, bid, doc, state, seq);
  return { ...state, last_seq: seq, last_ts_ms: at.getTime() };
}

/**
 * The version before stays visible while a branch was made from it. Answers which visible version the new one
 * replaces.
 */
function supersede({ place, bid }: WritableGraph, old: number, seq: number): number | undefined {
  const { sql } = place.connection;
  sql("UPDATE graph_versions SET superseded = ? WHERE seq = ?").run(seq, old);
  const branchedFrom = sql(
    "SELECT 1 FROM memory_branches WHERE base = ? AND base_seq >= ? AND deleted_at_ms IS NULL LIMIT 1",
  ).get(bid, old);
  return branchedFrom ? old : hideVersion(place.connection, old);
}

/**
 * Nobody sees it as the current one any more: from now on it is history, and no read comes past it. What it replaced
 * is the answer, and is passed on to the version that replaced it, if that is there already.
 */
function hideVersion({ sql }: Connection, seq: number): number | undefined {
  sql("UPDATE graph_versions SET visible = 0 WHERE seq = ?").run(seq);
  const row = sql("SELECT * FROM graph_versions WHERE seq = ?").get(seq);
  if (!row) return undefined;
  const { doc = 0, bid = 0, replaces = null } = row;
  sql(
    `UPDATE graph_versions INDEXED BY graph_by_replaced SET replaces = ?
     WHERE doc = ? AND bid = ? AND visible = 1 AND replaces = ?`,
  ).run(replaces, doc, bid, seq);
  sql("INSERT OR IGNORE INTO graph_stale_words SELECT id FROM graph_words_docsize WHERE id = ?").run(seq);
  for (const facet of facetsOf(decodeVersion(row).version))
    sql("DELETE FROM graph_facets WHERE doc = ? AND bid = ? AND facet = ? AND seq = ?").run(
      doc,
      bid,
      facet,
      seq,
    );
  return replaces === null ? undefined : Number(replaces);
}

/** Call inside a write, once the branch is deleted: what it alone still saw of its base. */
export function hideUnseen({ connection }: Place, { base, baseSeq }: BranchRow): void {
  if (base === undefined) return;
  const unseen = connection
    .sql(
      `SELECT v.seq FROM memory_streams s JOIN graph_versions v ON v.doc = s.doc AND v.bid = s.bid AND v.visible = 1
       WHERE s.bid = ?1 AND s.form = 'graph' AND v.seq <= ?2 AND v.superseded > ?2
       AND NOT EXISTS (SELECT 1 FROM memory_branches b WHERE b.base = ?1 AND b.deleted_at_ms IS NULL
         AND b.base_seq >= v.seq AND b.base_seq < v.superseded)`,
    )
    .all(base, baseSeq);
  for (const { seq } of unseen) hideVersion(connection, Number(seq));
}

type NewVersion = {
  key: string;
  state: GraphState;
  seq: number;
  replaces: number | undefined;
  tally: Tally;
};

function insertVersion(
  { place, doc, bid }: WritableGraph,
  { key, state, seq, replaces, tally }: NewVersion,
  at: Date,
): void {
  const node = state.kind === "node" ? state : undefined;
  const edge = state.kind === "edge" ? state : undefined;
  place.connection
    .sql(`INSERT INTO graph_versions (seq, doc, bid, key, kind, deleted, visible, superseded, replaces,
          live_nodes, inherited_nodes, live_edges, fingerprint, type, title, text, status, tags, meta,
          source, target, ts_ms)
          VALUES (?, ?, ?, ?, ?, ?, 1, NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
    .run(
      seq,
      doc,
      bid,
      key,
      state.kind,
      state.deleted ? 1 : 0,
      replaces ?? null,
      tally.liveNodes,
      tally.inheritedNodes,
      tally.liveEdges,
      fingerprint(state),
      node?.type ?? edge?.rel ?? "",
      node?.title ?? null,
      node?.text ?? null,
      node?.status ?? null,
      node?.tags && node.tags.length > 0 ? JSON.stringify(node.tags) : null,
      state.meta === undefined ? null : JSON.stringify(state.meta),
      edge?.from ?? null,
      edge?.to ?? null,
      at.getTime(),
    );
}

/** What nodes are filtered by, in one index: `type:…`, `status:…`, `tag:…`. */
function facetsOf(state: GraphState): string[] {
  if (state.kind === "edge") return [];
  const { type, status, tags = [] } = state;
  return [`type:${type}`, ...(status ? [`status:${status}`] : []), ...tags.map((tag) => `tag:${tag}`)];
}

export function insertFacets(
  { connection }: Place,
  bid: number,
  doc: number,
  state: GraphState,
  seq: number,
): void {
  for (const facet of new Set(facetsOf(state)))
    connection
      .sql("INSERT INTO graph_facets (doc, bid, facet, seq) VALUES (?, ?, ?, ?)")
      .run(doc, bid, facet, seq);
}

/** Call inside a write. */
export function applyGraph(
  place: Place,
  { branch: named, doc, ops }: StepInput<"apply_graph">,
  at: Date,
): StepOutcome<"apply_graph"> {
  const branch = branchOrCheckout(place, named);
  const applied: GraphApplied = {
    nodes_upserted: 0,
    nodes_deleted: 0,
    edges_upserted: 0,
    edges_deleted: 0,
    last_seq: 0,
    last_ts_ms: at.getTime(),
  };
  const view = openForWriting(place, branch, doc);
  const write = (state: GraphState): void => {
    applied.last_seq = writeVersion(view, state, at).last_seq;
  };
  for (const [index, op] of ops.entries()) {
    const absent = applyOp(view, op, write, applied);
    if (absent) throw missing(place, { branch: branch.name, doc }, absent, index);
  }
  return { branch: branch.name, doc, ...applied };
}

type Absent = { id: string; because: string };

/** Answers what is missing where an operation cannot be done. */
function applyOp(
  view: GraphView,
  op: GraphOp,
  write: (state: GraphState) => void,
  applied: GraphApplied,
): Absent | undefined {
  switch (op.op) {
    case "node_upsert": {
      const { op: _op, ...node } = op;
      write({ kind: "node", ...node, deleted: false });
      applied.nodes_upserted += 1;
      return undefined;
    }
    case "node_delete": {
      const node = liveState(view, op.id);
      if (!node) return { id: op.id, because: "nothing can be deleted" };
      for (const edge of edgesTouching(view, op.id)) {
        write({ ...edge, deleted: true });
        applied.edges_deleted += 1;
      }
      write({ ...node, deleted: true });
      applied.nodes_deleted += 1;
      return undefined;
    }
    case "edge_upsert": {
      const absent = [op.from, op.to].find((end) => !isLive(view, end));
      if (absent !== undefined) return { id: absent, because: "an edge needs both its ends" };
      const { op: _op, ...edge } = op;
      write({ kind: "edge", ...edge, deleted: false });
      applied.edges_upserted += 1;
      return undefined;
    }
    case "edge_delete": {
      const edge = liveState(view, keyOf({ kind: "edge", ...op, deleted: false }));
      if (!edge) return { id: `${op.from} ${op.rel} ${op.to}`, because: "nothing can be deleted" };
      write({ ...edge, deleted: true });
      applied.edges_deleted += 1;
      return undefined;
    }
  }
}

function liveState(view: GraphView, key: string): GraphState | undefined {
  const stored = currentVersion(view, key);
  return stored && !stored.version.deleted ? stateOf(stored.version) : undefined;
}

/** Live edges that begin or end at a node. */
function edgesTouching(view: GraphView, id: string): GraphState[] {
  const { place, doc } = view;
  if (doc === undefined) return [];
  const select = (column: "source" | "target") =>
    place.connection
      .sql(
        `SELECT * FROM graph_versions WHERE doc = ? AND ${column} = ? AND visible = 1 AND kind = 'edge' AND deleted = 0`,
      )
      .all(doc, id);
  const found = new Map<string, GraphState>();
  for (const row of [...select("source"), ...select("target")]) {
    const { version, key } = decodeVersion(row);
    if (found.has(key) || !isCurrent(view, key, version.last_seq)) continue;
    found.set(key, stateOf(version));
  }
  return [...found.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, state]) => state);
}

function missing(
  { workspace }: Place,
  { branch, doc }: GraphPlace,
  { id, because }: Absent,
  index: number,
): ThoughtboxError {
  return new ThoughtboxError(
    "UNKNOWN_ID",
    `ops[${index}]: there is no ${quote(id)} in ${quote(doc)} on ${quote(branch)}; ${because}. Nothing was applied.`,
    {
      details: { id, op: index },
      recovery: {
        hint: "See what the graph holds.",
        operation: "graph_query",
        args: { workspace, branch, doc },
      },
    },
  );
}

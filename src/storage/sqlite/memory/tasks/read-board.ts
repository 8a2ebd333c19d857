import type { CardNode } from "../../../../domain/memory/cards/card.ts";
import { cardSource } from "../../../../domain/memory/cards/decide-cards.ts";
import { endOfTime, type Lineage } from "../../../../domain/memory/lineage.ts";
import type { BranchRow } from "../../../../domain/memory/steps/rows.ts";
import { type Item, reasoningRef, type Step } from "../../../../domain/tasks/item.ts";
import type { Job } from "../../../../domain/tasks/job.ts";
import { inOrder } from "../../../../domain/tasks/steps.ts";
import type { Board, BoardPlace, BoardQuery, PlaceFacts } from "../../../../ports/memory/board.ts";
import { decodeVersion, versionColumns } from "../../../rows/graph-rows.ts";
import { decodeEntry, toCard } from "../../../rows/memory-rows.ts";
import { parseColumn, type Row } from "../../connection/driver.ts";
import { selectEntry } from "../documents/entries.ts";
import { findBranch, findDoc, loadLineage, type Place } from "../places.ts";
import { readSteps } from "./task-rows.ts";

/** What the store knows of a place: its numbers, and what its branch shows of which other branches. */
type Seen = { at: number; graph: number; trace: number; notes: number; bid: number; lineage: Lineage };

/** Call inside one read, so that all of it is of one moment. */
export function readBoard(place: Place, query: BoardQuery): Board {
  const { item } = query;
  const { plan, tasks, plans } = readItems(place, query);
  const isPlan = item?.kind === "plan";
  const seen = openPlaces(place, [query.place, ...(isPlan ? tasks.map(({ id }) => reasoningRef(id)) : [])]);
  const cards = readCards(place, seen, query);
  const evidence = readEvidence(place, seen, cards);
  const authors = readAuthors(place, seen, cards, query.ids);
  const conflicts = readConflicts(place, seen, query.limit);
  const notes = readNotes(place, seen);
  const factsAt = (at: number): PlaceFacts => ({
    cards: cards.get(at) ?? [],
    evidence: evidence.get(at) ?? [],
    authors: new Map(authors.get(at) ?? []),
    conflicts: (conflicts.get(at) ?? []).map(({ open: _open, ...conflict }) => conflict),
    conflictsOpen: conflicts.get(at)?.[0]?.open ?? 0,
    note: notes.get(at)?.[0],
  });
  return {
    own: factsAt(0),
    plan,
    tasks,
    below: isPlan ? tasks.map((_, at) => factsAt(at + 1)) : [],
    plans,
    ...readWork(place, isPlan ? tasks : item ? [item] : [], query.limit),
  };
}

const maxPlans = 5;

function readItems({ connection, wid }: Place, { item, tasks: limit }: BoardQuery) {
  const plan = item?.kind === "plan" ? item.id : item?.parent;
  const rows =
    plan === undefined
      ? connection
          .sql(`SELECT body FROM task_items WHERE wid = ? AND kind = 'plan' AND status NOT IN ('DONE', 'CANCELED')
                ORDER BY number DESC LIMIT ?`)
          .all(wid, item ? 0 : maxPlans)
      : connection
          .sql(`SELECT body FROM task_items WHERE wid = ?1 AND id = ?2 UNION ALL SELECT * FROM (
                SELECT body FROM task_items WHERE wid = ?1 AND parent = ?2 ORDER BY number LIMIT ?3)`)
          .all(wid, plan, limit);
  const items = rows.map((row) => parseColumn<Item>(row["body"]));
  if (plan === undefined) return { plan: undefined, tasks: [], plans: items };
  return {
    plan: items.find(({ id }) => id === plan),
    tasks: items.filter(({ kind }) => kind === "task"),
    plans: [],
  };
}

function openPlaces(place: Place, wanted: readonly BoardPlace[]): Seen[] {
  const { branchOf, docOf } = wanted.length === 1 ? lookUpEach(place) : lookUpAll(place, wanted);
  return wanted.flatMap(({ branch, graph_doc, trace_doc, notes_doc }, at) => {
    const found = branchOf(branch);
    if (!found) return [];
    const own = [{ branch: found.bid, after: 0, upTo: endOfTime }];
    return [
      {
        at,
        graph: docOf(graph_doc) ?? 0,
        trace: docOf(trace_doc) ?? 0,
        notes: docOf(notes_doc) ?? 0,
        bid: found.bid,
        // Branches of tasks have no base, and a plan may have hundreds: what a merge has staged is left out by `isSeen`.
        lineage: found.base === undefined ? own : loadLineage(place, found.bid),
      },
    ];
  });
}

type Names = {
  branchOf(name: string): Pick<BranchRow, "bid" | "base"> | undefined;
  docOf(name: string): number | undefined;
};

/** Whoever reads a single place has most often looked up its names already. */
const lookUpEach = (place: Place): Names => ({
  branchOf: (name) => findBranch(place, name),
  docOf: (name) => findDoc(place, name),
});

function lookUpAll({ connection, wid }: Place, wanted: readonly BoardPlace[]): Names {
  const branches = connection
    .sql(`SELECT b.bid, b.name, b.base FROM json_each(?) n JOIN memory_branches b
          ON b.wid = ? AND b.name = n.value AND b.deleted_at_ms IS NULL`)
    .all(JSON.stringify(wanted.map(({ branch }) => branch)), wid)
    .map((row): [string, Pick<BranchRow, "bid" | "base">] => [
      String(row["name"]),
      { bid: Number(row["bid"]), base: typeof row["base"] === "number" ? row["base"] : undefined },
    ]);
  const names = wanted.flatMap(({ graph_doc, trace_doc, notes_doc }) => [graph_doc, trace_doc, notes_doc]);
  const docs = connection
    .sql("SELECT d.name, d.doc FROM json_each(?) n JOIN memory_docs d ON d.wid = ? AND d.name = n.value")
    .all(JSON.stringify([...new Set(names)]), wid)
    .map((row): [string, number] => [String(row["name"]), Number(row["doc"])]);
  const [branchOf, docOf] = [new Map(branches), new Map(docs)];
  return { branchOf: (name) => branchOf.get(name), docOf: (name) => docOf.get(name) };
}

const lineageTable = `lineage (at, doc, bid, up_to) AS MATERIALIZED (
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?1))`;

const lineagesOf = (seen: readonly Seen[]): string =>
  JSON.stringify(
    seen.flatMap(({ at, graph, lineage }) => lineage.map(({ branch, upTo }) => [at, graph, branch, upTo])),
  );

/** SQL: the version is what its place shows of its key. */
const isSeen = (row: string, at: string): string =>
  `${row}.deleted = 0 AND ${row}.seq = (SELECT n.seq FROM graph_versions n INDEXED BY graph_by_key
    WHERE n.doc = ${row}.doc AND n.key = ${row}.key AND n.visible = 1
    AND n.seq <= (SELECT value FROM counters WHERE name = 'seq')
    AND n.seq <= (SELECT l.up_to FROM lineage l WHERE l.at = ${at} AND l.bid = n.bid) ORDER BY n.seq DESC LIMIT 1)`;

function byPlace<Found>(rows: readonly Row[], decode: (row: Row) => readonly Found[]): Map<number, Found[]> {
  const found = new Map<number, Found[]>();
  for (const row of rows) {
    const at = Number(row["at"]);
    const known = found.get(at);
    if (known) known.push(...decode(row));
    else found.set(at, [...decode(row)]);
  }
  return found;
}

const cardOf = (row: Row): CardNode[] => toCard(decodeVersion(row).version);

function readCards({ connection }: Place, seen: readonly Seen[], { facets, limit }: BoardQuery) {
  if (seen.every(({ graph }) => graph === 0)) return new Map<number, CardNode[]>();
  const rows = connection
    .sql(
      `WITH ${lineageTable}, found AS MATERIALIZED (
         SELECT DISTINCT l.at, s.value AS seq FROM lineage l CROSS JOIN json_each(?2) w CROSS JOIN json_each((
           SELECT json_group_array(seq) FROM (SELECT f.seq FROM graph_facets f WHERE f.doc = l.doc AND f.bid = l.bid
           AND f.facet = w.value AND f.seq <= l.up_to ORDER BY f.seq DESC LIMIT ?3))) s)
       SELECT found.at, ${versionColumns} FROM found CROSS JOIN graph_versions v ON v.seq = found.seq
       WHERE v.visible = 1 AND ${isSeen("v", "found.at")} ORDER BY v.seq DESC`,
    )
    .all(lineagesOf(seen), JSON.stringify(facets), limit);
  return byPlace(rows, cardOf);
}

/** In both directions: a pipeline lets the decision support its evidence, people write it the other way round. */
function readEvidence({ connection }: Place, seen: readonly Seen[], cards: ReadonlyMap<number, CardNode[]>) {
  const wanted = seen.flatMap(({ at, graph }) =>
    (cards.get(at) ?? []).flatMap(({ id, type }) => (type === "decision" ? [[at, graph, id]] : [])),
  );
  if (wanted.length === 0) return new Map<number, { decision: string; card: CardNode }[]>();
  const edges = (end: "source" | "target", other: "source" | "target") =>
    `SELECT w.at, w.doc, w.id, e.${other} AS other FROM wanted w CROSS JOIN graph_versions e
     ON e.doc = w.doc AND e.${end} = w.id AND e.visible = 1 AND e.kind = 'edge'
     WHERE e.type = 'supports' AND ${isSeen("e", "w.at")}`;
  const rows = connection
    .sql(
      `WITH ${lineageTable}, wanted (at, doc, id) AS MATERIALIZED (
         SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?2)),
       ends AS MATERIALIZED (${edges("source", "target")} UNION ${edges("target", "source")})
       SELECT ends.at, ends.id AS decision, ${versionColumns} FROM ends CROSS JOIN graph_versions v INDEXED BY graph_by_key
       ON v.doc = ends.doc AND v.key = ends.other AND v.visible = 1
       WHERE v.kind = 'node' AND v.type = 'evidence' AND ${isSeen("v", "ends.at")} ORDER BY v.seq DESC`,
    )
    .all(lineagesOf(seen), JSON.stringify(wanted));
  return byPlace(rows, (row) => cardOf(row).map((card) => ({ decision: String(row["decision"]), card })));
}

function readAuthors(
  { connection }: Place,
  seen: readonly Seen[],
  cards: ReadonlyMap<number, CardNode[]>,
  others: readonly string[],
) {
  const wanted = seen.flatMap(({ at, trace, lineage }) =>
    lineage.flatMap(({ branch }) =>
      [...(cards.get(at) ?? []).map(({ id }) => id), ...(at === 0 ? others : [])].map((id) => [
        ...[at, trace, branch],
        cardSource(id),
      ]),
    ),
  );
  if (wanted.length === 0) return new Map<number, (readonly [string, string])[]>();
  const rows = connection
    .sql(
      `SELECT w.value ->> 0 AS at, e.source_event_id, e.agent_id FROM json_each(?) w
       CROSS JOIN memory_entries e INDEXED BY memory_entries_by_source ON e.doc = w.value ->> 1 AND e.bid = w.value ->> 2
       AND e.source_event_id = w.value ->> 3 WHERE e.agent_id IS NOT NULL`,
    )
    .all(JSON.stringify(wanted));
  return byPlace(rows, (row) => [
    [String(row["source_event_id"]).slice(cardSource("").length), String(row["agent_id"])] as const,
  ]);
}

function readConflicts({ connection }: Place, seen: readonly Seen[], limit: number) {
  const rows = connection
    .sql(
      `SELECT * FROM (
         SELECT w.value ->> 0 AS at, c.cid, c.id, c.key, c.created_at_ms, b.name AS branch,
           count(*) OVER (PARTITION BY w.key) AS open, row_number() OVER (PARTITION BY w.key ORDER BY c.cid DESC) AS nth
         FROM json_each(?) w CROSS JOIN graph_conflicts c INDEXED BY graph_conflicts_open
         ON c.into_bid = w.value ->> 1 AND c.doc = w.value ->> 2 AND c.status = 'open'
         JOIN memory_branches b ON b.bid = c.from_bid AND b.deleted_at_ms IS NULL)
       WHERE nth <= ? ORDER BY cid DESC`,
    )
    .all(JSON.stringify(seen.map(({ at, bid, graph }) => [at, bid, graph])), limit);
  return byPlace(rows, (row) => [
    {
      conflict_id: String(row["id"]),
      key: String(row["key"]),
      from: String(row["branch"]),
      created_at_ms: Number(row["created_at_ms"]),
      open: Number(row["open"]),
    },
  ]);
}

function readNotes({ connection }: Place, seen: readonly Seen[]) {
  const wanted = seen.flatMap(({ at, notes, lineage }) =>
    lineage.map(({ branch, upTo }) => [at, notes, branch, upTo]),
  );
  const rows = connection
    .sql(
      `SELECT w.at, e.* FROM (
         SELECT value ->> 0 AS at, max((SELECT n.seq FROM memory_entries n WHERE n.doc = value ->> 1
           AND n.bid = value ->> 2 AND n.seq <= value ->> 3 AND n.kind = 'note' ORDER BY n.seq DESC LIMIT 1)) AS seq
         FROM json_each(?) GROUP BY value ->> 0) w JOIN (${selectEntry}) e ON e.seq = w.seq`,
    )
    .all(JSON.stringify(wanted));
  return byPlace(rows, (row) => [decodeEntry(row)]);
}

function readWork(
  place: Place,
  tasks: readonly Item[],
  limit: number,
): Pick<Board, "steps" | "jobs" | "lastEvent"> {
  const [first, ...others] = tasks;
  if (!first) return { steps: [], jobs: [], lastEvent: 0 };
  const { connection, wid } = place;
  const ids = JSON.stringify(tasks.map(({ id }) => id));
  const jobs = connection
    .sql(`SELECT body FROM task_jobs WHERE wid = ? AND body ->> 'task_id' IN (SELECT value FROM json_each(?))
          ORDER BY number DESC LIMIT ?`)
    .all(wid, ids, limit * tasks.length);
  const last = connection.sql("SELECT value FROM memory_counters WHERE wid = ? AND name = 'event'").get(wid);
  return {
    steps: others.length === 0 ? readSteps(place, first.id) : readStepsOf(place, ids),
    jobs: jobs.map((row) => parseColumn<Job>(row["body"])),
    lastEvent: Number(last?.["value"] ?? 0),
  };
}

function readStepsOf({ connection, wid }: Place, tasks: string): Step[] {
  const rows = connection
    .sql("SELECT s.body FROM json_each(?) t CROSS JOIN task_steps s ON s.wid = ? AND s.task = t.value")
    .all(tasks, wid);
  return inOrder(rows.map((row) => parseColumn<Step>(row["body"])));
}

import type { CardNode } from "../../../../domain/memory/cards/card.ts";
import { cardSource } from "../../../../domain/memory/cards/decide-cards.ts";
import type { Lineage } from "../../../../domain/memory/lineage.ts";
import { type Item, reasoningRef, type Step } from "../../../../domain/tasks/item.ts";
import type { Job } from "../../../../domain/tasks/job.ts";
import { inOrder } from "../../../../domain/tasks/steps.ts";
import type { Board, BoardPlace, BoardQuery, PlaceFacts } from "../../../../ports/memory/board.ts";
import { decodeVersion, versionColumns } from "../../../rows/graph-rows.ts";
import { decodeEntry, toCard } from "../../../rows/memory-rows.ts";
import { parseColumn, type Row } from "../../../rows/row.ts";
import { isPublished } from "../graph/graph-view.ts";
import { findBranch, loadLineage, type Place, readLineages } from "../places.ts";
import { selectEntry } from "./entries.ts";
import { readSteps } from "./task-rows.ts";

/** What the store knows of a place: its numbers, and what its branch shows of which other branches. */
type Seen = { at: number; graph: number; trace: number; notes: number; bid: number; lineage: Lineage };

export const emptyBoard: Board = {
  own: { cards: [], evidence: [], authors: new Map(), conflicts: [], conflictsOpen: 0, note: undefined },
  plan: undefined,
  tasks: [],
  below: [],
  plans: [],
  steps: [],
  jobs: [],
  lastEvent: 0,
};

/** Call inside one read, so that all of it is of one moment. */
export async function readBoard(place: Place, query: BoardQuery): Promise<Board> {
  const { item } = query;
  const { plan, tasks, plans } = await readItems(place, query);
  const isPlan = item?.kind === "plan";
  const seen = await openPlaces(place, [
    query.place,
    ...(isPlan ? tasks.map(({ id }) => reasoningRef(id)) : []),
  ]);
  const [cards, conflicts, notes, work] = await Promise.all([
    readCards(place, seen, query),
    readConflicts(place, seen, query.limit),
    readNotes(place, seen),
    readWork(place, isPlan ? tasks : item ? [item] : [], query.limit),
  ]);
  const [evidence, authors] = await Promise.all([
    readEvidence(place, seen, cards),
    readAuthors(place, seen, cards, query.ids),
  ]);
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
    ...work,
  };
}

const maxPlans = 5;

async function readItems({ connection, wid }: Place, { item, tasks: limit }: BoardQuery) {
  const plan = item?.kind === "plan" ? item.id : item?.parent;
  const rows =
    plan === undefined
      ? await connection
          .sql(`SELECT body FROM {task_items} i WHERE wid = ? AND kind = 'plan' AND status NOT IN ('DONE', 'CANCELED')
            ORDER BY number DESC LIMIT ?`)
          .all(wid, item ? 0 : maxPlans)
      : await connection
          .sql(`SELECT body FROM {task_items} i WHERE wid = ?1 AND id = ?2 UNION ALL (
            SELECT body FROM {task_items} i WHERE wid = ?1 AND parent = ?2 ORDER BY number LIMIT ?3)`)
          .all(wid, plan, limit);
  const items = rows.map((row) => parseColumn<Item>(row["body"]));
  if (plan === undefined) return { plan: undefined, tasks: [], plans: items };
  return {
    plan: items.find(({ id }) => id === plan),
    tasks: items.filter(({ kind }) => kind === "task"),
    plans: [],
  };
}

/** The branches of these names, with what they show. A single one was probably looked up before. */
async function findBranches(place: Place, names: readonly string[]) {
  const [only] = names;
  if (names.length === 1 && only !== undefined) {
    const branch = await findBranch(place, only);
    return branch ? [{ name: only, bid: branch.bid, lineage: await loadLineage(place, branch.bid) }] : [];
  }
  const rows = await place.connection
    .sql(`SELECT b.bid, b.name FROM {memory_branches} b WHERE b.wid = ? AND b.name = ANY (?::text[])
      AND b.deleted_at_ms IS NULL`)
    .all(place.wid, names);
  const bids = rows.map((row) => Number(row["bid"]));
  const lineages = await readLineages(place.connection, bids);
  return rows.map((row, n) => ({ name: String(row["name"]), bid: bids[n] ?? 0, lineage: lineages[n] ?? [] }));
}

async function openPlaces(place: Place, wanted: readonly BoardPlace[]): Promise<Seen[]> {
  const names = wanted.flatMap(({ graph_doc, trace_doc, notes_doc }) => [graph_doc, trace_doc, notes_doc]);
  const [found, docRows] = await Promise.all([
    findBranches(
      place,
      wanted.map(({ branch }) => branch),
    ),
    place.connection
      .sql("SELECT d.name, d.doc FROM {memory_docs} d WHERE d.wid = ? AND d.name = ANY (?::text[])")
      .all(place.wid, [...new Set(names)]),
  ]);
  const branches = new Map(found.map((branch) => [branch.name, branch]));
  const docs = new Map(docRows.map((row) => [String(row["name"]), Number(row["doc"])]));
  return wanted.flatMap(({ branch, graph_doc, trace_doc, notes_doc }, at) => {
    const shown = branches.get(branch);
    if (!shown) return [];
    return [
      {
        at,
        graph: docs.get(graph_doc) ?? 0,
        trace: docs.get(trace_doc) ?? 0,
        notes: docs.get(notes_doc) ?? 0,
        bid: shown.bid,
        lineage: shown.lineage,
      },
    ];
  });
}

const lineageTable = `lineage (at, doc, bid, up_to) AS MATERIALIZED (
  SELECT (value ->> 0)::bigint, (value ->> 1)::bigint, (value ->> 2)::bigint, (value ->> 3)::bigint
  FROM jsonb_array_elements(?1::jsonb))`;

const lineagesOf = (seen: readonly Seen[]): string =>
  JSON.stringify(
    seen.flatMap(({ at, graph, lineage }) => lineage.map(({ branch, upTo }) => [at, graph, branch, upTo])),
  );

/** SQL: the version is what its place shows of its key. */
const isSeen = (row: string, at: string): string =>
  `${row}.deleted = 0 AND ${row}.seq = (SELECT n.seq FROM {graph_versions} n
    WHERE n.doc = ${row}.doc AND n.key = ${row}.key AND n.visible = 1 AND ${isPublished("n")}
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

async function readCards({ connection }: Place, seen: readonly Seen[], { facets, limit }: BoardQuery) {
  const rows = await connection
    .sql(`WITH ${lineageTable}, found AS MATERIALIZED (
        SELECT DISTINCT l.at, s.seq FROM lineage l CROSS JOIN unnest(?2::text[]) w (facet) CROSS JOIN LATERAL (
          SELECT f.seq FROM {graph_facets} f WHERE f.doc = l.doc AND f.bid = l.bid AND f.facet = w.facet
          AND f.seq <= l.up_to ORDER BY f.seq DESC LIMIT ?3) s)
      SELECT found.at, ${versionColumns} FROM found JOIN {graph_versions} v ON v.seq = found.seq
      WHERE v.visible = 1 AND ${isSeen("v", "found.at")} ORDER BY v.seq DESC`)
    .all(lineagesOf(seen), facets, limit);
  return byPlace(rows, cardOf);
}

/** In both directions: a pipeline lets the decision support its evidence, people write it the other way round. */
async function readEvidence(
  { connection }: Place,
  seen: readonly Seen[],
  cards: ReadonlyMap<number, CardNode[]>,
) {
  const wanted = seen.flatMap(({ at, graph }) =>
    (cards.get(at) ?? []).flatMap(({ id, type }) => (type === "decision" ? [[at, graph, id]] : [])),
  );
  if (wanted.length === 0) return new Map<number, { decision: string; card: CardNode }[]>();
  const edges = (end: "source" | "target", other: "source" | "target") =>
    `SELECT w.at, w.doc, w.id, e.${other} AS other FROM wanted w JOIN {graph_versions} e
     ON e.doc = w.doc AND e.${end} = w.id AND e.visible = 1 AND e.kind = 'edge'
     WHERE e.type = 'supports' AND ${isSeen("e", "w.at")}`;
  const rows = await connection
    .sql(`WITH ${lineageTable}, wanted (at, doc, id) AS MATERIALIZED (
        SELECT (value ->> 0)::bigint, (value ->> 1)::bigint, (value ->> 2) COLLATE "C" FROM jsonb_array_elements(?2::jsonb)),
      ends AS MATERIALIZED (${edges("source", "target")} UNION ${edges("target", "source")})
      SELECT ends.at, ends.id AS decision, ${versionColumns} FROM ends JOIN {graph_versions} v
      ON v.doc = ends.doc AND v.key = ends.other AND v.visible = 1
      WHERE v.kind = 'node' AND v.type = 'evidence' AND ${isSeen("v", "ends.at")} ORDER BY v.seq DESC`)
    .all(lineagesOf(seen), JSON.stringify(wanted));
  return byPlace(rows, (row) => cardOf(row).map((card) => ({ decision: String(row["decision"]), card })));
}

async function readAuthors(
  { connection }: Place,
  seen: readonly Seen[],
  cards: ReadonlyMap<number, CardNode[]>,
  others: readonly string[],
) {
  const wanted = seen.flatMap(({ at, trace, lineage }) =>
    lineage.flatMap(({ branch }) =>
      [...(cards.get(at) ?? []).map(({ id }) => id), ...(at === 0 ? others : [])].map((id) => ({
        at,
        trace,
        branch,
        source: cardSource(id),
      })),
    ),
  );
  if (wanted.length === 0) return new Map<number, (readonly [string, string])[]>();
  const rows = await connection
    .sql(`SELECT w.at, e.source_event_id, e.agent_id
      FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::text[]) w (at, doc, bid, source)
      JOIN {memory_entries} e ON e.doc = w.doc AND e.bid = w.bid AND e.source_event_id = w.source
      WHERE e.agent_id IS NOT NULL`)
    .all(
      wanted.map(({ at }) => at),
      wanted.map(({ trace }) => trace),
      wanted.map(({ branch }) => branch),
      wanted.map(({ source }) => source),
    );
  return byPlace(rows, (row) => [
    [String(row["source_event_id"]).slice(cardSource("").length), String(row["agent_id"])] as const,
  ]);
}

async function readConflicts({ connection }: Place, seen: readonly Seen[], limit: number) {
  const rows = await connection
    .sql(`SELECT * FROM (
        SELECT w.at, c.cid, c.id, c.key, c.created_at_ms, b.name AS branch,
          count(*) OVER (PARTITION BY w.at) AS open, row_number() OVER (PARTITION BY w.at ORDER BY c.cid DESC) AS nth
        FROM unnest(?::bigint[], ?::bigint[], ?::bigint[]) w (at, bid, doc)
        JOIN {graph_conflicts} c ON c.into_bid = w.bid AND c.doc = w.doc AND c.status = 'open'
        JOIN {memory_branches} b ON b.bid = c.from_bid AND b.deleted_at_ms IS NULL) found
      WHERE nth <= ? ORDER BY cid DESC`)
    .all(
      seen.map(({ at }) => at),
      seen.map(({ bid }) => bid),
      seen.map(({ graph }) => graph),
      limit,
    );
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

async function readNotes({ connection }: Place, seen: readonly Seen[]) {
  const wanted = seen.flatMap(({ at, notes, lineage }) =>
    lineage.map(({ branch, upTo }) => ({ at, notes, branch, upTo })),
  );
  const rows = await connection
    .sql(`SELECT w.at, e.* FROM (
        SELECT u.at, max(n.seq) AS seq FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[]) u (at, doc, bid, up_to)
        CROSS JOIN LATERAL (SELECT n.seq FROM {memory_entries} n WHERE n.doc = u.doc AND n.bid = u.bid
          AND n.seq <= u.up_to AND n.kind = 'note' ORDER BY n.seq DESC LIMIT 1) n GROUP BY u.at) w
      JOIN (${selectEntry}) e ON e.seq = w.seq`)
    .all(
      wanted.map(({ at }) => at),
      wanted.map(({ notes }) => notes),
      wanted.map(({ branch }) => branch),
      wanted.map(({ upTo }) => upTo),
    );
  return byPlace(rows, (row) => [decodeEntry(row)]);
}

/** In the order of the tasks; those of a single one were probably read before. */
async function readAllSteps(place: Place, ids: readonly string[]): Promise<Step[]> {
  const [only] = ids;
  if (ids.length === 1 && only !== undefined) return readSteps(place, only);
  const rows = await place.connection
    .sql(`SELECT s.body FROM unnest(?::text[]) WITH ORDINALITY t (id, nth)
      JOIN {task_steps} s ON s.wid = ? AND s.task = t.id ORDER BY t.nth, s.rid`)
    .all(ids, place.wid);
  return inOrder(rows.map((row) => parseColumn<Step>(row["body"])));
}

async function readWork(
  place: Place,
  tasks: readonly Item[],
  limit: number,
): Promise<Pick<Board, "steps" | "jobs" | "lastEvent">> {
  if (tasks.length === 0) return { steps: [], jobs: [], lastEvent: 0 };
  const { connection, wid } = place;
  const ids = tasks.map(({ id }) => id);
  const [steps, jobs, last] = await Promise.all([
    readAllSteps(place, ids),
    connection
      .sql(`SELECT body FROM {task_jobs} j WHERE wid = ? AND body::json ->> 'task_id' = ANY (?::text[])
        ORDER BY number DESC LIMIT ?`)
      .all(wid, ids, limit * tasks.length),
    connection.sql("SELECT value FROM {memory_counters} c WHERE wid = ? AND name = 'event'").get(wid),
  ]);
  return {
    steps,
    jobs: jobs.map((row) => parseColumn<Job>(row["body"])),
    lastEvent: Number(last?.["value"] ?? 0),
  };
}

import type { CardNode } from "../../domain/memory/cards/card.ts";
import { cardSource } from "../../domain/memory/cards/decide-cards.ts";
import { endOfTime, type Lineage } from "../../domain/memory/lineage.ts";
import type { BranchRow } from "../../domain/memory/steps/rows.ts";
import { type Item, reasoningRef, type Step } from "../../domain/tasks/item.ts";
import type { Job } from "../../domain/tasks/job.ts";
import { inOrder } from "../../domain/tasks/steps.ts";
import type { Board, BoardPlace, BoardQuery, PlaceFacts } from "../../ports/memory/board.ts";
import { decodeVersion, versionColumns } from "../rows/graph-rows.ts";
import { decodeEntry, toCard } from "../rows/memory-rows.ts";
import { parseColumn, type Row } from "../rows/row.ts";
import { selectEntry } from "./entries.ts";
import { isPublished } from "./graph/graph-view.ts";
import { findBranch, findDoc, loadLineage, type Place } from "./places.ts";
import { all, each, get, type Query, together } from "./query.ts";
import { isOpenItem, readSteps } from "./tasks.ts";

/** A place with row numbers instead of names, and the part of each branch that is visible in it. */
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

export function* readBoard(place: Place, query: BoardQuery): Query<Board> {
  const { item } = query;
  const { plan, tasks, plans } = yield* readItems(place, query);
  const isPlan = item?.kind === "plan";
  const wanted = [query.place, ...(isPlan ? tasks.map(({ id }) => reasoningRef(id)) : [])];
  const seen = yield* openPlaces(place, wanted);
  const [cards, conflicts, notes, work] = yield* together(
    readCards(seen, query),
    readConflicts(seen, query.limit),
    readNotes(seen),
    readWork(place, isPlan ? tasks : item ? [item] : [], query.limit),
  );
  const [evidence, authors] = yield* together(readEvidence(seen, cards), readAuthors(seen, cards, query.ids));
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

const openPlans = `SELECT i.body FROM {task_items} i WHERE i.wid = ? AND i.kind = 'plan'
  AND ${isOpenItem} ORDER BY i.number DESC LIMIT ?`;
const planWithTasks = `SELECT i.body FROM {task_items} i WHERE i.wid = ?1 AND i.id = ?2 UNION ALL SELECT t.body FROM (
  SELECT i.body FROM {task_items} i WHERE i.wid = ?1 AND i.parent = ?2 ORDER BY i.number LIMIT ?3) t`;

function* readItems({ wid }: Place, { item, tasks: limit }: BoardQuery) {
  const plan = item?.kind === "plan" ? item.id : item?.parent;
  if (plan === undefined && item) return { plan: undefined, tasks: [], plans: [] };
  const rows =
    plan === undefined ? yield* all(openPlans, wid, maxPlans) : yield* all(planWithTasks, wid, plan, limit);
  const items = rows.map((row) => parseColumn<Item>(row["body"]));
  if (plan === undefined) return { plan: undefined, tasks: [], plans: items };
  return {
    plan: items.find(({ id }) => id === plan),
    tasks: items.filter(({ kind }) => kind === "task"),
    plans: [],
  };
}

type KnownBranch = Pick<BranchRow, "bid" | "base">;
type Names = { branches: ReadonlyMap<string, KnownBranch | undefined>; docs: ReadonlyMap<string, number> };

function* openPlaces(place: Place, wanted: readonly BoardPlace[]): Query<Seen[]> {
  const [only] = wanted;
  const { branches, docs } =
    only && wanted.length === 1 ? yield* lookUpOne(place, only) : yield* lookUpAll(place, wanted);
  const seen = yield* each([...wanted.entries()], function* ([at, ref]): Query<Seen[]> {
    const found = branches.get(ref.branch);
    if (!found) return [];
    const { bid, base } = found;
    const own = [{ branch: bid, after: 0, upTo: endOfTime }];
    return [
      {
        at,
        graph: docs.get(ref.graph_doc) ?? 0,
        trace: docs.get(ref.trace_doc) ?? 0,
        notes: docs.get(ref.notes_doc) ?? 0,
        bid,
        // Task branches have no base, and a plan may have hundreds of them, so their lineage is not loaded. `isSeen`
        // omits rows that a merge has staged.
        lineage: base === undefined ? own : yield* loadLineage(bid),
      },
    ];
  });
  return seen.flat();
}

const docsOf = ({ graph_doc, trace_doc, notes_doc }: BoardPlace): string[] => [
  ...new Set([graph_doc, trace_doc, notes_doc]),
];

/** Looks up the names of a single place. A call that reads only one has usually looked them up already. */
function* lookUpOne(place: Place, wanted: BoardPlace): Query<Names> {
  const names = docsOf(wanted);
  const [branch, numbers] = yield* together(
    findBranch(place, wanted.branch),
    each(names, (name) => findDoc(place, name)),
  );
  return {
    branches: new Map([[wanted.branch, branch]]),
    docs: new Map(names.map((name, n) => [name, numbers[n] ?? 0])),
  };
}

function* lookUpAll({ wid }: Place, wanted: readonly BoardPlace[]): Query<Names> {
  const [branches, docs] = yield* together(
    all(
      `SELECT b.bid, b.name, b.base FROM TEXTS(?) n CROSS JOIN {memory_branches} b
       ON b.wid = ? AND b.name = n.value AND b.deleted_at_ms IS NULL`,
      ...[wanted.map(({ branch }) => branch), wid],
    ),
    all(
      "SELECT d.name, d.doc FROM TEXTS(?) n CROSS JOIN {memory_docs} d ON d.wid = ? AND d.name = n.value",
      ...[[...new Set(wanted.flatMap(docsOf))], wid],
    ),
  );
  return {
    branches: new Map(
      branches.map((row) => [
        String(row["name"]),
        { bid: Number(row["bid"]), base: typeof row["base"] === "number" ? row["base"] : undefined },
      ]),
    ),
    docs: new Map(docs.map((row) => [String(row["name"]), Number(row["doc"])])),
  };
}

export const boardLineage = `lineage (at, doc, bid, up_to) AS MATERIALIZED (
  SELECT l.at, l.doc, l.bid, l.up_to FROM LIST(?1, at number, doc number, bid number, up_to number) l)`;

const lineagesOf = (seen: readonly Seen[]): string =>
  JSON.stringify(
    seen.flatMap(({ at, graph, lineage }) => lineage.map(({ branch, upTo }) => [at, graph, branch, upTo])),
  );

/** SQL: true if the version is current for its key in its place. */
const isSeen = (row: string, at: string): string =>
  `${row}.deleted = 0 AND ${row}.seq = (SELECT n.seq FROM {graph_versions} n INDEXED BY graph_by_key
    WHERE n.doc = ${row}.doc AND n.key = ${row}.key AND n.visible = 1 AND ${isPublished("n")}
    AND n.seq <= (SELECT l.up_to FROM lineage l WHERE l.at = ${at} AND l.bid = n.bid) ORDER BY n.seq DESC LIMIT 1)`;

/** SQL: selects the current versions among those found by `:cardsByFacet`. All databases share this. */
export const shownCards = `SELECT found.at, ${versionColumns} FROM found CROSS JOIN {graph_versions} v ON v.seq = found.seq
  WHERE v.visible = 1 AND ${isSeen("v", "found.at")} ORDER BY v.seq DESC`;

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

function* readCards(seen: readonly Seen[], { facets, limit }: BoardQuery): Query<Map<number, CardNode[]>> {
  if (seen.every(({ graph }) => graph === 0)) return new Map();
  return byPlace(yield* all(":cardsByFacet", lineagesOf(seen), facets, limit), cardOf);
}

const edgesAt = (end: "source" | "target", other: "source" | "target") =>
  `SELECT w.at, w.doc, w.id, e.${other} AS other FROM wanted w CROSS JOIN {graph_versions} e
   ON e.doc = w.doc AND e.${end} = w.id AND e.visible = 1 AND e.kind = 'edge'
   WHERE e.type = 'supports' AND ${isSeen("e", "w.at")}`;

const evidenceOf = `WITH ${boardLineage}, wanted (at, doc, id) AS MATERIALIZED (
    SELECT l.at, l.doc, l.id FROM LIST(?2, at number, doc number, id text) l),
  ends AS MATERIALIZED (${edgesAt("source", "target")} UNION ${edgesAt("target", "source")})
  SELECT ends.at, ends.id AS decision, ${versionColumns} FROM ends
  CROSS JOIN {graph_versions} v INDEXED BY graph_by_key ON v.doc = ends.doc AND v.key = ends.other AND v.visible = 1
  WHERE v.kind = 'node' AND v.type = 'evidence' AND ${isSeen("v", "ends.at")} ORDER BY v.seq DESC`;

/**
 * Reads edges in both directions. In a pipeline, the decision supports its evidence, but people create the edge the
 * other way round.
 */
function* readEvidence(
  seen: readonly Seen[],
  cards: ReadonlyMap<number, CardNode[]>,
): Query<Map<number, { decision: string; card: CardNode }[]>> {
  const wanted = seen.flatMap(({ at, graph }) =>
    (cards.get(at) ?? []).flatMap(({ id, type }) => (type === "decision" ? [[at, graph, id]] : [])),
  );
  if (wanted.length === 0) return new Map();
  const rows = yield* all(evidenceOf, lineagesOf(seen), JSON.stringify(wanted));
  return byPlace(rows, (row) => cardOf(row).map((card) => ({ decision: String(row["decision"]), card })));
}

const authorsOf = `SELECT w.at, e.source_event_id, e.agent_id
  FROM LIST(?, at number, doc number, bid number, source text) w
  CROSS JOIN {memory_entries} e INDEXED BY memory_entries_by_source ON e.doc = w.doc AND e.bid = w.bid
  AND e.source_event_id = w.source WHERE e.agent_id IS NOT NULL`;

function* readAuthors(
  seen: readonly Seen[],
  cards: ReadonlyMap<number, CardNode[]>,
  others: readonly string[],
): Query<Map<number, (readonly [string, string])[]>> {
  const wanted = seen.flatMap(({ at, trace, lineage }) => {
    const ids = [...(cards.get(at) ?? []).map(({ id }) => id), ...(at === 0 ? others : [])];
    return lineage.flatMap(({ branch }) => ids.map((id) => [at, trace, branch, cardSource(id)]));
  });
  if (wanted.length === 0) return new Map();
  const rows = yield* all(authorsOf, JSON.stringify(wanted));
  return byPlace(rows, (row) => [
    [String(row["source_event_id"]).slice(cardSource("").length), String(row["agent_id"])] as const,
  ]);
}

const openConflicts = `SELECT f.* FROM (
    SELECT w.at, c.cid, c.id, c.key, c.created_at_ms, b.name AS branch,
      count(*) OVER (PARTITION BY w.at) AS open, row_number() OVER (PARTITION BY w.at ORDER BY c.cid DESC) AS nth
    FROM LIST(?, at number, bid number, doc number) w
    CROSS JOIN {graph_conflicts} c INDEXED BY graph_conflicts_open ON c.into_bid = w.bid AND c.doc = w.doc AND c.status = 'open'
    JOIN {memory_branches} b ON b.bid = c.from_bid AND b.deleted_at_ms IS NULL) f
  WHERE f.nth <= ? ORDER BY f.cid DESC`;

function* readConflicts(seen: readonly Seen[], limit: number) {
  const places = JSON.stringify(seen.map(({ at, bid, graph }) => [at, bid, graph]));
  return byPlace(yield* all(openConflicts, places, limit), (row) => [
    {
      conflict_id: String(row["id"]),
      key: String(row["key"]),
      from: String(row["branch"]),
      created_at_ms: Number(row["created_at_ms"]),
      open: Number(row["open"]),
    },
  ]);
}

const newestNotes = `SELECT w.at, e.* FROM (
    SELECT u.at, max((SELECT n.seq FROM {memory_entries} n WHERE n.doc = u.doc
      AND n.bid = u.bid AND n.seq <= u.up_to AND n.kind = 'note' ORDER BY n.seq DESC LIMIT 1)) AS seq
    FROM LIST(?, at number, doc number, bid number, up_to number) u GROUP BY u.at) w
  JOIN (${selectEntry}) e ON e.seq = w.seq`;

function* readNotes(seen: readonly Seen[]) {
  const wanted = seen.flatMap(({ at, notes, lineage }) =>
    lineage.map(({ branch, upTo }) => [at, notes, branch, upTo]),
  );
  return byPlace(yield* all(newestNotes, JSON.stringify(wanted)), (row) => [decodeEntry(row)]);
}

function* readWork(
  place: Place,
  tasks: readonly Item[],
  limit: number,
): Query<Pick<Board, "steps" | "jobs" | "lastEvent">> {
  const ids = tasks.map(({ id }) => id);
  const [first, ...others] = ids;
  if (first === undefined) return { steps: [], jobs: [], lastEvent: 0 };
  const { wid } = place;
  const [jobs, last, steps] = yield* together(
    all(
      `SELECT j.body FROM {task_jobs} j WHERE j.wid = ? AND FIELD(j.body, 'task_id') IN TEXTS(?)
       ORDER BY j.number DESC LIMIT ?`,
      ...[wid, ids, limit * tasks.length],
    ),
    get("SELECT c.value FROM {memory_counters} c WHERE c.wid = ? AND c.name = 'event'", wid),
    others.length === 0 ? readSteps(place, first) : readStepsOf(wid, ids),
  );
  return {
    steps,
    jobs: jobs.map((row) => parseColumn<Job>(row["body"])),
    lastEvent: Number(last?.["value"] ?? 0),
  };
}

/** Reads the steps of several tasks, in the order of the tasks. */
function* readStepsOf(wid: number, tasks: readonly string[]): Query<Step[]> {
  const rows = yield* all(
    `SELECT s.body FROM LIST(?, id text) t CROSS JOIN {task_steps} s ON s.wid = ? AND s.task = t.id
     ORDER BY t.nth, s.rid`,
    ...[JSON.stringify(tasks.map((task) => [task])), wid],
  );
  return inOrder(rows.map((row) => parseColumn<Step>(row["body"])));
}

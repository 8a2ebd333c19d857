import { answerRequest } from "../../memory/commit.ts";
import { selectEntry, selectMark } from "../../memory/entries.ts";
import type { Ask, Insert, OwnStatements, Query, Value, Wrote } from "../../memory/query.ts";
import { boardLineage, shownCards } from "../../memory/read-board.ts";
import { onceAMoment } from "../connection/access.ts";
import type { SqlValue } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";
import { lastSeq, reachSeq, readSequence } from "../connection/sequence.ts";
import { bulkInsert } from "../connection/statements.ts";

/**
 * SQL: true if the row `n` is among the newest rows that `of` selects. SQLite has no lateral join, and this
 * condition reads only the index.
 */
const isAmongNewest = (of: string, limit: string): string =>
  `n.seq >= coalesce((SELECT seq FROM (${of}) ORDER BY seq DESC LIMIT 1 OFFSET ${limit} - 1), 0)`;

/** Takes an object whose keys are the facets' names, so that SQLite parses each list only once. */
const facetsOfJson = "SELECT ?2, ?3, f.key, s.value FROM json_each(?1) f CROSS JOIN json_each(f.value) s";

const entriesIn = (row: string): string =>
  `${row}.doc = ?2 AND ${row}.bid = s.bid AND ${row}.seq > s.after AND ${row}.seq <= s.up_to`;

const inSegments = (select: string): string => `${select} WHERE e.seq IN (
    SELECT n.seq FROM LIST(?1, bid number, after number, up_to number) s CROSS JOIN memory_entries n ON ${entriesIn("n")}
    AND ${isAmongNewest(`SELECT m.seq FROM memory_entries m WHERE ${entriesIn("m")}`, "?3")})
  ORDER BY e.seq DESC LIMIT ?3`;

const facetsIn = (row: string): string =>
  `${row}.doc = l.doc AND ${row}.bid = l.bid AND ${row}.facet = w.value AND ${row}.seq <= l.up_to`;

const ownStatements: OwnStatements = {
  entriesInSegments: inSegments(selectEntry),
  marksInSegments: inSegments(selectMark),
  cardsByFacet: `WITH ${boardLineage}, found AS MATERIALIZED (
    SELECT DISTINCT l.at, n.seq FROM lineage l CROSS JOIN json_each(?2) w CROSS JOIN graph_facets n ON ${facetsIn("n")}
    AND ${isAmongNewest(`SELECT m.seq FROM graph_facets m WHERE ${facetsIn("m")}`, "?3")}) ${shownCards}`,
  insertFacets: `INSERT INTO graph_facets (doc, bid, facet, seq) ${facetsOfJson}`,
  deleteFacets: `DELETE FROM graph_facets WHERE (doc, bid, facet, seq) IN (${facetsOfJson})`,
};

const spelled = new Map<string, string>();

/** Rewrites the text of a statement for SQLite. */
function spell(text: string): string {
  const known = spelled.get(text);
  if (known !== undefined) return known;
  const own = text.startsWith(":") ? ownStatements[text.slice(1) as keyof OwnStatements] : text;
  const found = own
    .replace(/\{(\w+)\}/g, "$1")
    .replace(/LIST\((\?\d*), ([^)]*)\)/g, (_, parameter, columns) => {
      const fields = String(columns)
        .split(/,\s*/)
        .map((column, n) => `value ->> ${n} AS ${column.split(" ")[0]}`);
      return `(SELECT ${fields.join(", ")}, key AS nth FROM json_each(${parameter}))`;
    })
    .replace(/\bIN (?:TEXTS|NUMBERS)\((\?\d*)\)/g, "IN (SELECT value FROM json_each($1))")
    .replace(/\b(?:TEXTS|NUMBERS)\((\?\d*)\)/g, "json_each($1)")
    .replace(/\bTAGS\(([\w.]+)\)/g, "json_each($1, '$.tags')")
    .replace(/\bFIELD\(([\w.]+), ('\w+')\)/g, "($1 ->> $2)")
    .replace(/\bLARGER\(/g, "max(")
    .replaceAll("@published", "(SELECT value FROM counters WHERE name = 'seq')")
    .replaceAll("@last", lastSeq);
  spelled.set(text, found);
  return found;
}

/** Runs a query synchronously. Call inside a read or a write. */
export function runQuery<Result>(connection: Connection, query: Query<Result>): Result {
  let step = query.next();
  while (!step.done) {
    const ask = step.value;
    step = query.next("text" in ask ? runStatement(connection, ask) : answer(connection, ask));
  }
  return step.value;
}

type StatementAsk = Extract<Ask, { text: string }>;

function runStatement({ sql }: Connection, { text, values, want }: StatementAsk): unknown {
  const statement = sql(spell(text));
  const plain = values.some(isList) ? values.map(toColumn) : (values as readonly SqlValue[]);
  if (want === "all") return statement.all(...plain);
  if (want === "get") return statement.get(...plain);
  return Number(statement.run(...plain).changes);
}

const isList = (value: Value): boolean => typeof value === "object" && value !== null;
const toColumn = (value: Value): SqlValue =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : value;

function answer(connection: Connection, ask: Exclude<Ask, StatementAsk>): unknown {
  if ("together" in ask) return ask.together.map((query) => runQuery(connection, query));
  if ("insert" in ask) return inserterOf(ask.insert)(connection, ask.rows as readonly never[]);
  if ("once" in ask) return onceAMoment(connection, ask.once, () => runQuery(connection, ask.find()));
  if ("load" in ask || "apply" in ask || "ask" in ask) return runQuery(connection, answerRequest(ask));
  if ("reach" in ask) return reachSeq(connection, ask.reach);
  if ("wrote" in ask) return index(connection, ask);
  if ("savepoint" in ask) return setSavepoint(connection, ask.savepoint);
  // Nothing to do: reserved numbers are in the merge's row, and each statement sees the last number that was used.
  return "sequence" in ask && ask.sequence === "read" ? readSequence(connection) : undefined;
}

type Inserter = (connection: Connection, rows: readonly never[]) => void;
const inserters = new WeakMap<Insert<never>, Inserter>();

function inserterOf(insert: Insert<never>): Inserter {
  const known = inserters.get(insert);
  if (known) return known;
  const { table, columns, key } = insert;
  const change = key?.set === undefined ? "NOTHING" : `UPDATE SET ${spell(key.set)}`;
  const behind = key ? `ON CONFLICT (${key.of.join(", ")}) DO ${change}` : "";
  const inserter: Inserter = bulkInsert(table, columns, behind);
  inserters.set(insert, inserter);
  return inserter;
}

function setSavepoint({ sql }: Connection, state: "set" | "undo" | "release"): void {
  if (state === "set") return void sql("SAVEPOINT one_call").run();
  if (state === "undo") sql("ROLLBACK TO one_call").run();
  sql("RELEASE one_call").run();
}

/** Records hidden versions as stale. Words are indexed after the commit, and triggers handle settled keys. */
function index({ sql }: Connection, written: Wrote): void {
  if (written.wrote === "hidden")
    sql(
      `INSERT OR IGNORE INTO graph_stale_words
       SELECT w.id FROM json_each(?) s JOIN graph_words_docsize w ON w.id = s.value`,
    ).run(JSON.stringify(written.seqs));
}

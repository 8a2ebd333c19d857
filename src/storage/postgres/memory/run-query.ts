import { answerRequest } from "../../memory/commit.ts";
import { selectEntry, selectMark } from "../../memory/entries.ts";
import type { Ask, Insert, OwnStatements, Query, Requested } from "../../memory/query.ts";
import { boardLineage, shownCards } from "../../memory/read-board.ts";
import { type Connection, rememberIn, type WriteConnection } from "../connection/access.ts";
import { bulkInsert } from "../connection/insert.ts";
import { reachSeq, tellSeq } from "../connection/sequence.ts";
import { requireTenant } from "../connection/statements.ts";
import { indexWritten } from "./node-words.ts";

const facetsOfJson = `jsonb_each(?1::jsonb) f CROSS JOIN LATERAL jsonb_array_elements_text(f.value) s (value)`;

const inSegments = (
  select: string,
): string => `SELECT x.* FROM LIST(?1, bid number, after number, up_to number) s CROSS JOIN LATERAL (
      ${select} WHERE e.doc = ?2 AND e.bid = s.bid AND e.seq > s.after AND e.seq <= s.up_to
      ORDER BY e.seq DESC LIMIT ?3) x ORDER BY x.seq DESC LIMIT ?3`;

const ownStatements: OwnStatements = {
  entriesInSegments: inSegments(selectEntry),
  marksInSegments: inSegments(selectMark),
  cardsByFacet: `WITH ${boardLineage}, found AS MATERIALIZED (
    SELECT DISTINCT l.at, s.seq FROM lineage l CROSS JOIN TEXTS(?2) w CROSS JOIN LATERAL (
      SELECT f.seq FROM {graph_facets} f WHERE f.doc = l.doc AND f.bid = l.bid AND f.facet = w.value
      AND f.seq <= l.up_to ORDER BY f.seq DESC LIMIT ?3) s) ${shownCards}`,
  insertFacets: `INSERT INTO graph_facets (doc, bid, facet, seq) SELECT ?2, ?3, f.key, s.value::bigint FROM ${facetsOfJson}`,
  deleteFacets: `DELETE FROM graph_facets WHERE doc = ?2 AND bid = ?3
    AND (facet, seq) IN (SELECT f.key, s.value::bigint FROM ${facetsOfJson})`,
};

const spelled = new Map<string, string>();

/** Rewrites SQL that all stores share for PostgreSQL and one tenant. */
export function spell(text: string): string {
  const known = spelled.get(text);
  if (known !== undefined) return known;
  const own = text.startsWith(":") ? ownStatements[text.slice(1) as keyof OwnStatements] : text;
  const found = own
    .replace(/\s+INDEXED BY \w+/g, "")
    .replace(/\bCROSS JOIN(?=\s+\{\w+\}\s+\w+\s+ON\b)/g, "JOIN")
    .replace(/LIST\((\?\d*), ([^)]*)\)/g, (_, parameter, columns) => {
      const fields = String(columns)
        .split(/,\s*/)
        .map((column, n) => {
          const [name, type] = column.split(" ");
          return type === "number"
            ? `(value ->> ${n})::bigint AS ${name}`
            : `(value ->> ${n}) COLLATE "C" AS ${name}`;
        });
      return `(SELECT ${fields.join(", ")}, nth - 1 AS nth FROM jsonb_array_elements(${parameter}::jsonb)
        WITH ORDINALITY j (value, nth))`;
    })
    .replace(/\bNOT IN TEXTS\((\?\d*)\)/g, "<> ALL ($1::text[])")
    .replace(/\bIN TEXTS\((\?\d*)\)/g, "= ANY ($1::text[])")
    .replace(/\bIN NUMBERS\((\?\d*)\)/g, "= ANY ($1::bigint[])")
    .replace(/\bTEXTS\((\?\d*)\) (\w+)/g, "unnest($1::text[]) $2 (value)")
    .replace(/\bNUMBERS\((\?\d*)\) (\w+)/g, "unnest($1::bigint[]) $2 (value)")
    .replace(
      /\bTAGS\(([\w.]+)\) (\w+)/g,
      "json_array_elements_text(coalesce($1::json -> 'tags', '[]'::json)) $2 (value)",
    )
    .replace(/\bFIELD\(([\w.]+), ('\w+')\)/g, "($1::json ->> $2)")
    .replace(/\bLARGER\(/g, "greatest(")
    .replace(/@published|@last/g, "(SELECT seq FROM {tenants} t)")
    .replace(
      /^INSERT INTO (\w+) \(([^)]*)\)(\s+)(SELECT |VALUES \()/,
      "INSERT INTO $1 (tenant, $2)$3$4@tenant, ",
    )
    .replace(/^(DELETE FROM \w+|UPDATE \w+ SET [\s\S]*?) WHERE /, "$1 WHERE tenant = @tenant AND ");
  spelled.set(text, requireTenant(found));
  return found;
}

/** Runs a query asynchronously. Call inside a read or a write. */
export async function runQuery<Result>(connection: Connection, query: Query<Result>): Promise<Result> {
  for (let step = query.next(); ; ) {
    if (step.done) return step.value;
    const answered = answer(connection, step.value);
    step = query.next(answered instanceof Promise ? await answered : answered);
  }
}

function answer(connection: Connection, ask: Ask): unknown {
  if ("text" in ask) {
    const statement = connection.sql(spell(ask.text));
    if (ask.want === "all") return statement.all(...ask.values);
    if (ask.want === "get") return statement.get(...ask.values);
    const running = statement.run(...ask.values);
    return ask.want === "run" ? running : toWrite(connection).send(running);
  }
  if ("once" in ask) return rememberIn(connection, ask.once, () => runQuery(connection, ask.find()));
  if ("together" in ask) return Promise.all(ask.together.map((query) => runQuery(connection, query)));
  if ("load" in ask || "apply" in ask || "ask" in ask) return runQuery(connection, answerRequest(ask));
  return answerWrite(toWrite(connection), ask);
}

/** Returns the connection as one that can write. Throws inside a read. */
const toWrite = (connection: Connection): WriteConnection => {
  if (!("send" in connection)) throw new Error("a read cannot write");
  return connection as WriteConnection;
};

type WriteAsk = Exclude<Ask, { text: string } | { once: string } | { together: unknown } | Requested>;

function answerWrite(connection: WriteConnection, ask: WriteAsk): unknown {
  if ("insert" in ask) return inserterOf(ask.insert)(connection, ask.rows as readonly never[]);
  if ("wrote" in ask) return indexWritten(connection, ask);
  if ("savepoint" in ask) return setSavepoint(connection, ask.savepoint);
  if ("keeps" in ask) {
    connection.mergeFrom = ask.keeps;
    return undefined;
  }
  if ("reach" in ask) return reachSeq(connection, ask.reach);
  if (ask.sequence === "read") return { last: connection.last, mergeFrom: connection.mergeFrom };
  return tellSeq(connection);
}

type Inserter = (connection: WriteConnection, rows: readonly never[]) => void;
const inserters = new WeakMap<Insert<never>, Inserter>();

/** Returns an inserter. It sends the last row per key, because one statement cannot change a row twice. */
function inserterOf(insert: Insert<never>): Inserter {
  const known = inserters.get(insert);
  if (known) return known;
  const { table, columns, key, texts = [] } = insert;
  const change = key?.set === undefined ? "NOTHING" : `UPDATE SET ${spell(key.set)}`;
  const behind = key ? `ON CONFLICT (tenant, ${key.of.join(", ")}) DO ${change}` : "";
  const types = Object.fromEntries(texts.map((column) => [column, "text"]));
  const write = bulkInsert<never>(table, columns, { behind, types });
  const keyOf = (row: never) => JSON.stringify(key?.of.map((column) => columns[column]?.(row)));
  const inserter: Inserter = (connection, rows) => {
    const each = key ? [...new Map(rows.map((row) => [keyOf(row), row])).values()] : rows;
    connection.send(write(connection, each));
  };
  inserters.set(insert, inserter);
  return inserter;
}

/** State of the connection that the server's savepoint does not include. */
type Mark = Pick<WriteConnection, "last" | "mergeFrom"> & { sentBefore: number };
const marks = new WeakMap<WriteConnection, Mark[]>();

function setSavepoint(connection: WriteConnection, state: "set" | "undo" | "release"): void {
  const { sql, send, sent, last, mergeFrom } = connection;
  const kept = marks.get(connection) ?? [];
  marks.set(connection, kept);
  if (state === "set") {
    send(sql("SAVEPOINT one_call").run());
    kept.push({ last, mergeFrom, sentBefore: sent.length });
    return;
  }
  const mark = kept.pop();
  if (state === "undo" && mark) {
    sent.length = mark.sentBefore;
    send(sql("ROLLBACK TO one_call").run());
    Object.assign(connection, { last: mark.last, mergeFrom: mark.mergeFrom, told: -1 });
  }
  send(sql("RELEASE one_call").run());
}

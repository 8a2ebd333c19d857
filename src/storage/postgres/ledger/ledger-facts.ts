import type { AppendFacts, AppendNeeds, OutcomeKey } from "../../../domain/ledger/decide-append.ts";
import type { ImportFacts, SessionPart } from "../../../domain/ledger/judge-import.ts";
import {
  idOf,
  type Loaded,
  type Lookup,
  noImportFacts,
  noteConversations,
  noteEntries,
  noteRecorded,
  noteSessions,
  planBranchIds,
  planChains,
  planImport,
  thoughtColumns,
} from "../../rows/ledger-rows.ts";
import type { Row } from "../../rows/row.ts";
import type { Connection, WriteConnection } from "../connection/access.ts";
import { typeOf } from "../connection/statements.ts";
import { type KnownSessions, loadSessions } from "./known-sessions.ts";

/** Adds the missing facts in a bounded number of round trips, and in none for a plain thought in a known session. */
export async function loadAppendFacts(
  connection: WriteConnection,
  known: KnownSessions,
  { sessionIds, chains, keys, conversations, branchIdsOf }: AppendNeeds,
  loaded: Loaded<AppendFacts>,
): Promise<void> {
  const seqs =
    keys.length > 0 ? noteRecorded(await selectRecorded(connection, keys), loaded, sessionIds) : [];
  const [foundSessions, foundConversations, entries] = await Promise.all([
    known.find(connection, sessionIds),
    known.findConversations(connection, conversations),
    seqs.length > 0 ? selectEntries(connection, seqs) : [],
  ]);
  noteSessions(foundSessions.values(), loaded);
  noteConversations(foundConversations, loaded);
  noteEntries(entries, loaded);
  if (chains.size > 0) {
    const { named, withAncestors, noteBranches, noteThere } = planChains(chains, loaded);
    const branches = named.length > 0 ? await selectBranches(connection, named, withAncestors) : [];
    const places = noteBranches(branches);
    if (places.length > 0) noteThere(await selectThere(connection, places));
  }
  if (branchIdsOf.size > 0) {
    const { sids, note } = planBranchIds(branchIdsOf, loaded);
    const opened =
      "SELECT sid, branch_id FROM {branches} b WHERE sid = ANY (?::bigint[]) ORDER BY opened_seq";
    note(await connection.sql(opened).all(sids));
  }
}

const selectRecorded = ({ sql }: Connection, keys: readonly OutcomeKey[]): Promise<Row[]> =>
  sql(`SELECT i.scope, i.key, i.fingerprint, i.outcome, i.at
    FROM unnest(?::text[], ?::text[]) j (scope, key) JOIN {idempotency} i ON i.scope = j.scope AND i.key = j.key`).all(
    keys.map(({ scope }) => scope),
    keys.map(({ key }) => key),
  );

const selectEntries = ({ sql }: Connection, seqs: readonly number[]): Promise<Row[]> =>
  sql(`SELECT ${thoughtColumns}, s.id AS session_id FROM {thoughts} t
    JOIN {sessions} s ON s.sid = t.sid WHERE t.seq = ANY (?::bigint[])`).all(seqs);

const selectThere = ({ sql }: Connection, places: readonly (string | number)[][]): Promise<Row[]> =>
  sql(`SELECT t.sid, t.branch_id, t.number FROM unnest(?::bigint[], ?::text[], ?::bigint[]) j (sid, branch_id, number)
    JOIN {thoughts} t ON t.sid = j.sid AND t.branch_id = j.branch_id AND t.number = j.number`).all(
    ...columnsOf(places, 3),
  );

/** Turns rows into one list per column. */
const columnsOf = (rows: readonly (readonly (string | number)[])[], columns: number): (string | number)[][] =>
  Array.from({ length: columns }, (_, n) => rows.map((row) => row[n] ?? 0));

/** UNION, not UNION ALL, because imported files may contain branches that fork from each other in a circle. */
function selectBranches(
  { sql }: Connection,
  named: readonly [number, string][],
  withAncestors: boolean,
): Promise<Row[]> {
  const columns = "b.sid, b.branch_id, b.from_branch, b.from_number, b.highest";
  const byName = `SELECT ${columns} FROM unnest(?::bigint[], ?::text[]) j (sid, branch_id)
    JOIN {branches} b ON b.sid = j.sid AND b.branch_id = j.branch_id`;
  const withForks = `WITH RECURSIVE line AS (${byName} UNION SELECT ${columns} FROM line
      JOIN {branches} b ON b.sid = line.sid AND b.branch_id = line.from_branch) SELECT * FROM line`;
  return sql(withAncestors ? withForks : byName).all(...columnsOf(named, 2));
}

/** Loads the facts that decide an import, in bulk. */
export async function loadImportFacts(
  connection: Connection,
  parts: readonly SessionPart[],
): Promise<Loaded<ImportFacts>> {
  const loaded = noImportFacts();
  noteSessions(await loadSessions(connection, [...new Set(parts.map(idOf))]), loaded);
  const { first, hashes } = planImport(parts, loaded);
  const find = async ({ table, columns, by, keys, note }: Lookup): Promise<void> => {
    if (keys.length === 0) return;
    const named = ["sid", ...by];
    const lists = named.map((column) => `?::${typeOf(column)}[]`).join(", ");
    const on = named.map((column) => `x.${column} = j.${column}`).join(" AND ");
    const text = `SELECT x.sid, ${columns} FROM unnest(${lists}) j (${named.join(", ")}) JOIN {${table}} x ON ${on}`;
    note(await connection.sql(text).all(...columnsOf(keys, named.length)));
  };
  await Promise.all(first.map(find));
  await find(hashes());
  return loaded;
}

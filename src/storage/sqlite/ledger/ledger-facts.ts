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
import type { Row } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";
import { type KnownSessions, loadSessions } from "./known-sessions.ts";

/** Adds the missing facts with a bounded number of statements, and with none for a plain thought in a known session. */
export function loadAppendFacts(
  connection: Connection,
  known: KnownSessions,
  { sessionIds, chains, keys, conversations, branchIdsOf }: AppendNeeds,
  loaded: Loaded<AppendFacts>,
): void {
  const seqs = keys.length > 0 ? noteRecorded(selectRecorded(connection, keys), loaded, sessionIds) : [];
  noteSessions(known.find(connection, sessionIds).values(), loaded);
  noteConversations(known.findConversations(connection, conversations), loaded);
  if (seqs.length > 0) noteEntries(selectEntries(connection, seqs), loaded);
  if (chains.size > 0) {
    const { named, withAncestors, noteBranches, noteThere } = planChains(chains, loaded);
    const branches = named.length > 0 ? selectBranches(connection, named, withAncestors) : [];
    const places = noteBranches(branches);
    if (places.length > 0) noteThere(selectThere(connection, places));
  }
  if (branchIdsOf.size > 0) {
    const { sids, note } = planBranchIds(branchIdsOf, loaded);
    const rows = connection
      .sql(`SELECT b.sid, b.branch_id FROM json_each(?) j CROSS JOIN branches b ON b.sid = j.value
        ORDER BY b.opened_seq`)
      .all(JSON.stringify(sids));
    note(rows);
  }
}

function selectRecorded({ sql }: Connection, keys: readonly OutcomeKey[]): Row[] {
  const [only] = keys;
  const columns = "i.scope, i.key, i.fingerprint, i.outcome, i.at";
  return keys.length === 1 && only
    ? sql(`SELECT ${columns} FROM idempotency i WHERE i.scope = ? AND i.key = ?`).all(only.scope, only.key)
    : sql(`SELECT ${columns} FROM json_each(?) j CROSS JOIN idempotency i
        ON i.scope = j.value ->> 0 AND i.key = j.value ->> 1`).all(
        JSON.stringify(keys.map(({ scope, key }) => [scope, key])),
      );
}

const selectEntries = ({ sql }: Connection, seqs: readonly number[]): Row[] =>
  sql(`SELECT ${thoughtColumns}, s.id AS session_id FROM json_each(?) j
    CROSS JOIN thoughts t ON t.seq = j.value CROSS JOIN sessions s ON s.sid = t.sid`).all(
    JSON.stringify(seqs),
  );

/** UNION, not UNION ALL, because imported files may contain branches that fork from each other in a circle. */
function selectBranches(
  { sql }: Connection,
  named: readonly [number, string][],
  withAncestors: boolean,
): Row[] {
  const columns = "b.sid, b.branch_id, b.from_branch, b.from_number, b.highest";
  const byName = `SELECT ${columns} FROM json_each(?) j
    CROSS JOIN branches b ON b.sid = j.value ->> 0 AND b.branch_id = j.value ->> 1`;
  const withForks = `WITH RECURSIVE line AS (${byName} UNION SELECT ${columns} FROM line
      JOIN branches b ON b.sid = line.sid AND b.branch_id = line.from_branch) SELECT * FROM line`;
  return sql(withAncestors ? withForks : byName).all(JSON.stringify(named));
}

function selectThere({ sql }: Connection, places: readonly [number, string, number][]): Row[] {
  const [only] = places;
  if (places.length === 1 && only)
    return sql(
      "SELECT sid, branch_id, number FROM thoughts WHERE sid = ? AND branch_id = ? AND number = ?",
    ).all(...only);
  return sql(`SELECT t.sid, t.branch_id, t.number FROM json_each(?) j CROSS JOIN thoughts t
    ON t.sid = j.value ->> 0 AND t.branch_id = j.value ->> 1 AND t.number = j.value ->> 2`).all(
    JSON.stringify(places),
  );
}

/** Loads the facts that decide an import, in bulk. */
export function loadImportFacts(connection: Connection, parts: readonly SessionPart[]): Loaded<ImportFacts> {
  const loaded = noImportFacts();
  noteSessions(loadSessions(connection, [...new Set(parts.map(idOf))]), loaded);
  const { first, hashes } = planImport(parts, loaded);
  const find = ({ table, columns, by, keys, note }: Lookup): void => {
    if (keys.length === 0) return;
    const on = ["sid", ...by].map((column, n) => `x.${column} = j.value ->> ${n}`).join(" AND ");
    const text = `SELECT x.sid, ${columns} FROM json_each(?) j CROSS JOIN ${table} x ON ${on}`;
    note(connection.sql(text).all(JSON.stringify(keys)));
  };
  for (const lookup of first) find(lookup);
  find(hashes());
  return loaded;
}

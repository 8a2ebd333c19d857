import type { Address } from "../../../domain/ledger/address.ts";
import { addressKey, type BranchFacts, type FactsNeeded } from "../../../domain/ledger/chain/append.ts";
import {
  type AppendFacts,
  type AppendNeeds,
  keyOf,
  type OutcomeKey,
  type Recorded,
} from "../../../domain/ledger/decide-append.ts";
import {
  hashesToFind,
  type ImportedChains,
  type ImportFacts,
  needsOfImport,
  noChains,
  type SessionPart,
} from "../../../domain/ledger/judge-import.ts";
import { decodeAddress, decodeThought, thoughtColumns, toColumn } from "../../rows/ledger-rows.ts";
import { parseColumn, type Row } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";
import { type KnownSessions, loadSessions } from "./known-sessions.ts";

/** Facts, and the numbers that rows use for their sessions and conversations. */
export type Loaded<Facts> = { facts: Facts; sids: Map<string, number>; cids: Map<string, number> };

export const noAppendFacts = (): Loaded<AppendFacts> => ({
  facts: {
    sessions: new Map(),
    chains: new Map(),
    recorded: new Map(),
    entries: new Map(),
    conversations: new Map(),
  },
  sids: new Map(),
  cids: new Map(),
});

/** Adds the missing facts with a bounded number of statements, and with none for a plain thought in a known session. */
export function loadAppendFacts(
  connection: Connection,
  known: KnownSessions,
  { sessionIds, chains, keys, conversations, branchIdsOf }: AppendNeeds,
  loaded: Loaded<AppendFacts>,
): void {
  const { facts, sids, cids } = loaded;
  const seqs: number[] = [];
  if (keys.length > 0)
    for (const [key, recorded] of loadRecorded(connection, keys)) {
      const { id, sessionId, seq } = recorded.outcome;
      facts.recorded.set(key, recorded);
      for (const named of [id, sessionId]) if (named !== undefined) sessionIds.add(named);
      if (seq !== undefined) seqs.push(seq);
    }
  for (const [id, { sid, session }] of known.find(connection, sessionIds)) {
    facts.sessions.set(id, session);
    sids.set(id, sid);
  }
  for (const [name, { cid, sessionId }] of known.findConversations(connection, conversations)) {
    facts.conversations.set(name, sessionId);
    cids.set(name, cid);
  }
  if (seqs.length > 0) loadEntries(connection, seqs, facts);
  if (chains.size > 0) loadChains(connection, chains, loaded);
  if (branchIdsOf.size > 0) loadBranchIds(connection, branchIdsOf, loaded);
}

function loadRecorded({ sql }: Connection, keys: readonly OutcomeKey[]): [string, Recorded][] {
  const [only] = keys;
  const columns = "i.scope, i.key, i.fingerprint, i.outcome, i.at";
  const rows =
    keys.length === 1 && only
      ? sql(`SELECT ${columns} FROM idempotency i WHERE i.scope = ? AND i.key = ?`).all(only.scope, only.key)
      : sql(`SELECT ${columns} FROM json_each(?) j CROSS JOIN idempotency i
          ON i.scope = j.value ->> 0 AND i.key = j.value ->> 1`).all(
          JSON.stringify(keys.map(({ scope, key }) => [scope, key])),
        );
  return rows.map((row) => [
    keyOf({ scope: String(row["scope"]), key: String(row["key"]) }),
    {
      fingerprint: String(row["fingerprint"]),
      at: String(row["at"]),
      outcome: parseColumn<Recorded["outcome"]>(row["outcome"]),
    },
  ]);
}

function loadEntries({ sql }: Connection, seqs: readonly number[], { entries }: AppendFacts): void {
  const rows = sql(`SELECT ${thoughtColumns}, s.id AS session_id FROM json_each(?) j
    CROSS JOIN thoughts t ON t.seq = j.value CROSS JOIN sessions s ON s.sid = t.sid`).all(
    JSON.stringify(seqs),
  );
  for (const row of rows) entries.set(Number(row["seq"]), decodeThought(String(row["session_id"]), row));
}

/** Takes at most two statements, whatever the drafts refer to. */
function loadChains(
  connection: Connection,
  needed: ReadonlyMap<string, FactsNeeded>,
  { facts, sids }: Loaded<AppendFacts>,
): void {
  const named: [sid: number, branchId: string][] = [];
  let withAncestors = false;
  const bySid = new Map<
    number,
    { chains: Map<string, BranchFacts>; needs: FactsNeeded; sessionId: string }
  >();
  for (const [sessionId, needs] of needed) {
    const sid = sids.get(sessionId);
    if (sid === undefined) continue;
    for (const branchId of needs.branches) named.push([sid, branchId]);
    withAncestors ||= needs.withAncestors;
    bySid.set(sid, { chains: new Map(), needs, sessionId });
  }
  if (named.length > 0)
    for (const row of selectBranches(connection, named, withAncestors)) {
      const fork = decodeAddress(row["from_branch"], row["from_number"]);
      const found = { fork, highest: Number(row["highest"]) };
      bySid.get(Number(row["sid"]))?.chains.set(String(row["branch_id"]), found);
    }
  const places: [sid: number, branch: string, number: number][] = [];
  for (const [sid, { chains, needs, sessionId }] of bySid) {
    facts.chains.set(sessionId, { branches: chains, there: new Set(), branchIds: undefined });
    for (const branch of new Set(["", ...needs.branches, ...chains.keys()]))
      for (const number of needs.numbers) places.push([sid, branch, number]);
  }
  if (places.length === 0) return;
  for (const row of selectThere(connection, places)) {
    const address = decodeAddress(row["branch_id"], row["number"]);
    const { sessionId = "" } = bySid.get(Number(row["sid"])) ?? {};
    if (address) facts.chains.get(sessionId)?.there.add(addressKey(address));
  }
}

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

/** In the order they were opened. */
function loadBranchIds(
  { sql }: Connection,
  sessionIds: ReadonlySet<string>,
  { facts, sids }: Loaded<AppendFacts>,
): void {
  const named = new Map<number, string[]>();
  for (const sessionId of sessionIds) {
    const chains = facts.chains.get(sessionId);
    const sid = sids.get(sessionId);
    if (!chains || sid === undefined) continue;
    chains.branchIds = [];
    named.set(sid, chains.branchIds);
  }
  const rows = sql(`SELECT b.sid, b.branch_id FROM json_each(?) j CROSS JOIN branches b ON b.sid = j.value
    ORDER BY b.opened_seq`).all(JSON.stringify([...named.keys()]));
  for (const row of rows) named.get(Number(row["sid"]))?.push(String(row["branch_id"]));
}

/** Loads the facts that decide an import, in bulk. */
export function loadImportFacts(connection: Connection, parts: readonly SessionPart[]): Loaded<ImportFacts> {
  const loaded: Loaded<ImportFacts> = {
    facts: { sessions: new Map(), chains: new Map() },
    sids: new Map(),
    cids: new Map(),
  };
  const { facts, sids } = loaded;
  for (const { sid, session } of loadSessions(connection, [...new Set(parts.map(idOf))])) {
    facts.sessions.set(session.id, session);
    sids.set(session.id, sid);
  }
  const there = parts.flatMap((part) => {
    const sid = sids.get(idOf(part));
    return sid === undefined
      ? []
      : [{ sid, part, needs: needsOfImport(part), chains: chainsOf(facts, idOf(part)) }];
  });
  if (there.length === 0) return loaded;
  const bySid = new Map(there.map(({ sid, chains }) => [sid, chains]));
  const select = (columns: string, table: string, on: string, keys: readonly (string | number)[][]): Row[] =>
    keys.length === 0
      ? []
      : connection
          .sql(
            `SELECT x.sid, ${columns} FROM json_each(?) j CROSS JOIN ${table} x ON x.sid = j.value ->> 0 AND ${on}`,
          )
          .all(JSON.stringify(keys));
  const each = (rows: readonly Row[], add: (chains: ImportedChains, row: Row) => void): void => {
    for (const row of rows) {
      const chains = bySid.get(Number(row["sid"]));
      if (chains) add(chains, row);
    }
  };
  const positions = there.flatMap(({ sid, needs }) => needs.positions.map((position) => [sid, position]));
  each(
    select("x.position, x.hash, x.seq", "thoughts", "x.position = j.value ->> 1", positions),
    ({ at }, row) => at.set(Number(row["position"]), { hash: String(row["hash"]), seq: Number(row["seq"]) }),
  );
  const addresses = there.flatMap(({ sid, needs }) =>
    needs.addresses.map((address) => [sid, ...columnsOf(address)]),
  );
  const onAddress = "x.branch_id = j.value ->> 1 AND x.number = j.value ->> 2";
  each(select("x.branch_id, x.number", "thoughts", onAddress, addresses), ({ taken }, row) => {
    const address = decodeAddress(row["branch_id"], row["number"]);
    if (address) taken.add(addressKey(address));
  });
  const critiques = there.flatMap(({ sid, needs }) => needs.critiques.map((position) => [sid, position]));
  each(select("x.position, x.hash", "critiques", "x.position = j.value ->> 1", critiques), (chains, row) =>
    chains.critiques.set(Number(row["position"]), String(row["hash"])),
  );
  const hashes = there.flatMap(({ sid, part, chains }) =>
    hashesToFind(part, chains).map((hash) => [sid, hash]),
  );
  each(select("x.hash, x.seq", "thoughts", "x.hash = j.value ->> 1", hashes), ({ seqOf }, row) => {
    if (!seqOf.has(String(row["hash"]))) seqOf.set(String(row["hash"]), Number(row["seq"]));
  });
  return loaded;
}

const idOf = ({ record }: SessionPart): string => record.session.id;

const columnsOf = ({ branchId, thoughtNumber }: Address): [string, number] => [
  toColumn(branchId),
  thoughtNumber,
];

function chainsOf({ chains }: ImportFacts, sessionId: string): ImportedChains {
  const known = chains.get(sessionId) ?? noChains();
  chains.set(sessionId, known);
  return known;
}

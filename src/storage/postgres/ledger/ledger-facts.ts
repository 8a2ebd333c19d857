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
import { parseColumn, type Row } from "../../rows/row.ts";
import type { Connection, WriteConnection } from "../connection/access.ts";
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

/** Adds the missing facts in a bounded number of round trips, and in none for a plain thought in a known session. */
export async function loadAppendFacts(
  connection: WriteConnection,
  known: KnownSessions,
  { sessionIds, chains, keys, conversations, branchIdsOf }: AppendNeeds,
  loaded: Loaded<AppendFacts>,
): Promise<void> {
  const { facts, sids, cids } = loaded;
  const seqs: number[] = [];
  if (keys.length > 0)
    for (const [key, recorded] of await loadRecorded(connection, keys)) {
      const { id, sessionId, seq } = recorded.outcome;
      facts.recorded.set(key, recorded);
      for (const named of [id, sessionId]) if (named !== undefined) sessionIds.add(named);
      if (seq !== undefined) seqs.push(seq);
    }
  const [foundSessions, foundConversations] = await Promise.all([
    known.find(connection, sessionIds),
    known.findConversations(connection, conversations),
    seqs.length > 0 ? loadEntries(connection, seqs, facts) : undefined,
  ]);
  for (const [id, { sid, session }] of foundSessions) {
    facts.sessions.set(id, session);
    sids.set(id, sid);
  }
  for (const [name, { cid, sessionId }] of foundConversations) {
    facts.conversations.set(name, sessionId);
    cids.set(name, cid);
  }
  if (chains.size > 0) await loadChains(connection, chains, loaded);
  if (branchIdsOf.size > 0) await loadBranchIds(connection, branchIdsOf, loaded);
}

async function loadRecorded({ sql }: Connection, keys: readonly OutcomeKey[]): Promise<[string, Recorded][]> {
  const rows = await sql(`SELECT i.scope, i.key, i.fingerprint, i.outcome, i.at
    FROM unnest(?::text[], ?::text[]) j (scope, key) JOIN {idempotency} i ON i.scope = j.scope AND i.key = j.key`).all(
    keys.map(({ scope }) => scope),
    keys.map(({ key }) => key),
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

async function loadEntries(
  { sql }: Connection,
  seqs: readonly number[],
  { entries }: AppendFacts,
): Promise<void> {
  const rows = await sql(`SELECT ${thoughtColumns}, s.id AS session_id FROM {thoughts} t
    JOIN {sessions} s ON s.sid = t.sid WHERE t.seq = ANY (?::bigint[])`).all(seqs);
  for (const row of rows) entries.set(Number(row["seq"]), decodeThought(String(row["session_id"]), row));
}

/** Takes at most two statements, whatever the drafts refer to. */
async function loadChains(
  connection: Connection,
  needed: ReadonlyMap<string, FactsNeeded>,
  { facts, sids }: Loaded<AppendFacts>,
): Promise<void> {
  const named: [sid: number, branchId: string][] = [];
  let withAncestors = false;
  type Chain = { chains: Map<string, BranchFacts>; needs: FactsNeeded; sessionId: string };
  const bySid = new Map<number, Chain>();
  for (const [sessionId, needs] of needed) {
    const sid = sids.get(sessionId);
    if (sid === undefined) continue;
    for (const branchId of needs.branches) named.push([sid, branchId]);
    withAncestors ||= needs.withAncestors;
    bySid.set(sid, { chains: new Map(), needs, sessionId });
  }
  if (named.length > 0)
    for (const row of await selectBranches(connection, named, withAncestors)) {
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
  const rows = await connection
    .sql(`SELECT t.sid, t.branch_id, t.number FROM unnest(?::bigint[], ?::text[], ?::bigint[]) j (sid, branch_id, number)
      JOIN {thoughts} t ON t.sid = j.sid AND t.branch_id = j.branch_id AND t.number = j.number`)
    .all(...columnsOf(places, 3));
  for (const row of rows) {
    const address = decodeAddress(row["branch_id"], row["number"]);
    const { sessionId = "" } = bySid.get(Number(row["sid"])) ?? {};
    if (address) facts.chains.get(sessionId)?.there.add(addressKey(address));
  }
}

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

/** In the order they were opened. */
async function loadBranchIds(
  { sql }: Connection,
  sessionIds: ReadonlySet<string>,
  { facts, sids }: Loaded<AppendFacts>,
): Promise<void> {
  const named = new Map<number, string[]>();
  for (const sessionId of sessionIds) {
    const chains = facts.chains.get(sessionId);
    const sid = sids.get(sessionId);
    if (!chains || sid === undefined) continue;
    chains.branchIds = [];
    named.set(sid, chains.branchIds);
  }
  const rows = await sql(
    "SELECT b.sid, b.branch_id FROM {branches} b WHERE b.sid = ANY (?::bigint[]) ORDER BY b.opened_seq",
  ).all([...named.keys()]);
  for (const row of rows) named.get(Number(row["sid"]))?.push(String(row["branch_id"]));
}

/** Loads the facts that decide an import, in bulk. */
export async function loadImportFacts(
  connection: Connection,
  parts: readonly SessionPart[],
): Promise<Loaded<ImportFacts>> {
  const loaded: Loaded<ImportFacts> = {
    facts: { sessions: new Map(), chains: new Map() },
    sids: new Map(),
    cids: new Map(),
  };
  const { facts, sids } = loaded;
  for (const { sid, session } of await loadSessions(connection, [...new Set(parts.map(idOf))])) {
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
  const eachOf = async (
    { columns, table, on, types }: { columns: string; table: string; on: string; types: readonly string[] },
    keys: readonly (string | number)[][],
    add: (chains: ImportedChains, row: Row) => void,
  ): Promise<void> => {
    if (keys.length === 0) return;
    const lists = ["bigint", ...types].map((type) => `?::${type}[]`).join(", ");
    const names = ["sid", ...types.map((_, n) => `k${n + 1}`)].join(", ");
    const rows = await connection
      .sql(
        `SELECT x.sid, ${columns} FROM unnest(${lists}) j (${names}) JOIN {${table}} x ON x.sid = j.sid AND ${on}`,
      )
      .all(...columnsOf(keys, types.length + 1));
    for (const row of rows) {
      const chains = bySid.get(Number(row["sid"]));
      if (chains) add(chains, row);
    }
  };
  await Promise.all([
    eachOf(
      { columns: "x.position, x.hash, x.seq", table: "thoughts", on: "x.position = j.k1", types: ["bigint"] },
      there.flatMap(({ sid, needs }) => needs.positions.map((position) => [sid, position])),
      ({ at }, row) =>
        at.set(Number(row["position"]), { hash: String(row["hash"]), seq: Number(row["seq"]) }),
    ),
    eachOf(
      {
        columns: "x.branch_id, x.number",
        table: "thoughts",
        on: "x.branch_id = j.k1 AND x.number = j.k2",
        types: ["text", "bigint"],
      },
      there.flatMap(({ sid, needs }) => needs.addresses.map((address) => [sid, ...placeOf(address)])),
      ({ taken }, row) => {
        const address = decodeAddress(row["branch_id"], row["number"]);
        if (address) taken.add(addressKey(address));
      },
    ),
    eachOf(
      { columns: "x.position, x.hash", table: "critiques", on: "x.position = j.k1", types: ["bigint"] },
      there.flatMap(({ sid, needs }) => needs.critiques.map((position) => [sid, position])),
      (chains, row) => chains.critiques.set(Number(row["position"]), String(row["hash"])),
    ),
  ]);
  await eachOf(
    { columns: "x.hash, x.seq", table: "thoughts", on: "x.hash = j.k1", types: ["text"] },
    there.flatMap(({ sid, part, chains }) => hashesToFind(part, chains).map((hash) => [sid, hash])),
    ({ seqOf }, row) => {
      if (!seqOf.has(String(row["hash"]))) seqOf.set(String(row["hash"]), Number(row["seq"]));
    },
  );
  return loaded;
}

const idOf = ({ record }: SessionPart): string => record.session.id;

const placeOf = ({ branchId, thoughtNumber }: Address): [string, number] => [
  toColumn(branchId),
  thoughtNumber,
];

function chainsOf({ chains }: ImportFacts, sessionId: string): ImportedChains {
  const known = chains.get(sessionId) ?? noChains();
  chains.set(sessionId, known);
  return known;
}

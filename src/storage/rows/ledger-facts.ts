import type { Address } from "../../domain/ledger/address.ts";
import { addressKey, type BranchFacts, type FactsNeeded } from "../../domain/ledger/chain/append.ts";
import { type AppendFacts, keyOf, type Recorded } from "../../domain/ledger/decide-append.ts";
import {
  hashesToFind,
  type ImportedChains,
  type ImportFacts,
  needsOfImport,
  noChains,
  type SessionPart,
} from "../../domain/ledger/judge-import.ts";
import type { StoredSession } from "../../domain/ledger/session.ts";
import { decodeAddress, decodeThought, toColumn } from "./ledger-rows.ts";
import { parseColumn, type Row } from "./row.ts";

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

export const noImportFacts = (): Loaded<ImportFacts> => ({
  facts: { sessions: new Map(), chains: new Map() },
  sids: new Map(),
  cids: new Map(),
});

/** Notes earlier outcomes. Adds their sessions to those needed, and returns the numbers of their thoughts. */
export function noteRecorded(
  rows: readonly Row[],
  { facts }: Loaded<AppendFacts>,
  sessionIds: Set<string>,
): number[] {
  return rows.flatMap((row) => {
    const outcome = parseColumn<Recorded["outcome"]>(row["outcome"]);
    const key = keyOf({ scope: String(row["scope"]), key: String(row["key"]) });
    facts.recorded.set(key, {
      fingerprint: String(row["fingerprint"]),
      at: String(row["at"]),
      outcome,
    });
    for (const named of [outcome.id, outcome.sessionId]) if (named !== undefined) sessionIds.add(named);
    return outcome.seq ?? [];
  });
}

export function noteEntries(rows: readonly Row[], { facts }: Loaded<AppendFacts>): void {
  for (const row of rows)
    facts.entries.set(Number(row["seq"]), decodeThought(String(row["session_id"]), row));
}

export function noteSessions(
  found: Iterable<{ sid: number; session: StoredSession }>,
  { facts, sids }: Loaded<AppendFacts> | Loaded<ImportFacts>,
): void {
  for (const { sid, session } of found) {
    facts.sessions.set(session.id, session);
    sids.set(session.id, sid);
  }
}

export function noteConversations(
  found: Iterable<[string, { cid: number; sessionId: string | undefined }]>,
  { facts, cids }: Loaded<AppendFacts>,
): void {
  for (const [name, { cid, sessionId }] of found) {
    facts.conversations.set(name, sessionId);
    cids.set(name, cid);
  }
}

/** Two queries find what the drafts refer to: the branches in `named`, then which of `places` exist. */
export function planChains(needed: ReadonlyMap<string, FactsNeeded>, { facts, sids }: Loaded<AppendFacts>) {
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
  return {
    named,
    withAncestors,
    /** Returns the places to look for. */
    noteBranches(rows: readonly Row[]): [sid: number, branch: string, number: number][] {
      for (const row of rows) {
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
      return places;
    },
    noteThere(rows: readonly Row[]): void {
      for (const row of rows) {
        const address = decodeAddress(row["branch_id"], row["number"]);
        const { sessionId = "" } = bySid.get(Number(row["sid"])) ?? {};
        if (address) facts.chains.get(sessionId)?.there.add(addressKey(address));
      }
    },
  };
}

/** Lists the branches of these sessions. `note` takes rows in the order in which the branches were opened. */
export function planBranchIds(sessionIds: ReadonlySet<string>, { facts, sids }: Loaded<AppendFacts>) {
  const named = new Map<number, string[]>();
  for (const sessionId of sessionIds) {
    const chains = facts.chains.get(sessionId);
    const sid = sids.get(sessionId);
    if (!chains || sid === undefined) continue;
    chains.branchIds = [];
    named.set(sid, chains.branchIds);
  }
  return {
    sids: [...named.keys()],
    note(rows: readonly Row[]): void {
      for (const row of rows) named.get(Number(row["sid"]))?.push(String(row["branch_id"]));
    },
  };
}

/** Rows of a table whose session and columns `by` have one of these keys. */
export type Lookup = {
  table: "thoughts" | "critiques";
  columns: string;
  by: readonly string[];
  keys: readonly (string | number)[][];
  note(rows: readonly Row[]): void;
};

/** The look-ups that decide an import. `hashes` depends on the results of the others. */
export function planImport(parts: readonly SessionPart[], { facts, sids }: Loaded<ImportFacts>) {
  const there = parts.flatMap((part) => {
    const sid = sids.get(idOf(part));
    return sid === undefined
      ? []
      : [{ sid, part, needs: needsOfImport(part), chains: chainsOf(facts, idOf(part)) }];
  });
  const bySid = new Map(there.map(({ sid, chains }) => [sid, chains]));
  const noting = (add: (chains: ImportedChains, row: Row) => void) => (rows: readonly Row[]) => {
    for (const row of rows) {
      const chains = bySid.get(Number(row["sid"]));
      if (chains) add(chains, row);
    }
  };
  const first: Lookup[] = [
    {
      table: "thoughts",
      columns: "x.position, x.hash, x.seq",
      by: ["position"],
      keys: there.flatMap(({ sid, needs }) => needs.positions.map((position) => [sid, position])),
      note: noting(({ at }, row) =>
        at.set(Number(row["position"]), { hash: String(row["hash"]), seq: Number(row["seq"]) }),
      ),
    },
    {
      table: "thoughts",
      columns: "x.branch_id, x.number",
      by: ["branch_id", "number"],
      keys: there.flatMap(({ sid, needs }) => needs.addresses.map((address) => [sid, ...placeOf(address)])),
      note: noting(({ taken }, row) => {
        const address = decodeAddress(row["branch_id"], row["number"]);
        if (address) taken.add(addressKey(address));
      }),
    },
    {
      table: "critiques",
      columns: "x.position, x.hash",
      by: ["position"],
      keys: there.flatMap(({ sid, needs }) => needs.critiques.map((position) => [sid, position])),
      note: noting(({ critiques }, row) => critiques.set(Number(row["position"]), String(row["hash"]))),
    },
  ];
  const hashes = (): Lookup => ({
    table: "thoughts",
    columns: "x.hash, x.seq",
    by: ["hash"],
    keys: there.flatMap(({ sid, part, chains }) => hashesToFind(part, chains).map((hash) => [sid, hash])),
    note: noting(({ seqOf }, row) => {
      if (!seqOf.has(String(row["hash"]))) seqOf.set(String(row["hash"]), Number(row["seq"]));
    }),
  });
  return { first, hashes };
}

export const idOf = ({ record }: SessionPart): string => record.session.id;

const placeOf = ({ branchId, thoughtNumber }: Address): [string, number] => [
  toColumn(branchId),
  thoughtNumber,
];

function chainsOf({ chains }: ImportFacts, sessionId: string): ImportedChains {
  const known = chains.get(sessionId) ?? noChains();
  chains.set(sessionId, known);
  return known;
}

import type { Note } from "../../domain/knowledge/note.ts";
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
import {
  type SessionRecord,
  type SessionState,
  type StoredSession,
  toRecord,
} from "../../domain/ledger/session.ts";
import type { Address, ChainedThought, Thought } from "../../domain/ledger/thought.ts";
import { type Domain, domains, type Stage, stages } from "../../domain/stages/stages.ts";
import type { Remark, StoredRemark } from "../../ports/actions.ts";
import { parseColumn, type Row } from "./row.ts";

const text = (row: Row, column: string): string => String(row[column]);
const integer = (row: Row, column: string): number => Number(row[column]);
const maybeText = (row: Row, column: string): string | undefined => {
  const value = row[column];
  return value === null || value === undefined ? undefined : String(value);
};

/** Returns the column value of a branch. The main chain is '' in the database and undefined elsewhere. */
export const toColumn = (branchId: string | undefined): string => branchId ?? "";
const fromColumn = (value: string): string | undefined => (value === "" ? undefined : value);

export function decodeAddress(branch: unknown, number: unknown): Address | undefined {
  if (number === null || number === undefined) return undefined;
  const branchId = fromColumn(String(branch ?? ""));
  return { ...(branchId !== undefined && { branchId }), thoughtNumber: Number(number) };
}

export const thoughtColumns = `t.seq, t.position, t.branch_id, t.number, t.thought, t.total, t.next_needed, t.timestamp,
  t.revises_branch, t.revises_number, t.from_branch, t.from_number, t.needs_more, t.agent_id, t.cipher,
  t.critique_requested, t.salt, t.prev_hash, t.hash`;

export function decodeThought(sessionId: string, row: Row): ChainedThought {
  return {
    sessionId,
    seq: integer(row, "seq"),
    position: integer(row, "position"),
    salt: text(row, "salt"),
    prevHash: text(row, "prev_hash"),
    hash: text(row, "hash"),
    data: decodeData(row),
  };
}

function decodeData(row: Row): Thought {
  const branchId = fromColumn(text(row, "branch_id"));
  const revises = decodeAddress(row["revises_branch"], row["revises_number"]);
  const fork = decodeAddress(row["from_branch"], row["from_number"]);
  const agentId = maybeText(row, "agent_id");
  const cipher = maybeText(row, "cipher");
  return {
    thought: text(row, "thought"),
    thoughtNumber: integer(row, "number"),
    totalThoughts: integer(row, "total"),
    nextThoughtNeeded: row["next_needed"] === 1,
    timestamp: text(row, "timestamp"),
    ...(revises && { isRevision: true as const, revisesThought: revises.thoughtNumber, revises }),
    ...(branchId !== undefined && { branchId }),
    ...(fork && { branchFromThought: fork.thoughtNumber }),
    ...(fork?.branchId !== undefined && { branchFromBranch: fork.branchId }),
    ...(row["needs_more"] === 1 && { needsMoreThoughts: true as const }),
    ...(agentId !== undefined && { agentId }),
    ...(cipher !== undefined && { cipher: parseColumn<NonNullable<Thought["cipher"]>>(cipher) }),
    ...(row["critique_requested"] === 1 && { critiqueRequested: true as const }),
  };
}

export const sessionColumns = `s.sid, s.id, s.project, s.title, s.description, s.tags, s.partition_path, s.status,
  s.created_at, s.updated_at, s.last_accessed_at, s.completed_at, s.deleted_at, s.stage, s.domain, s.bound_root,
  s.navigation, s.thought_count, s.branch_count, s.highest, s.chain_length, s.chain_head, s.amendment_count,
  s.amendment_head`;

export function decodeStored(row: Row): StoredSession {
  const domain = maybeText(row, "domain");
  const boundRoot = maybeText(row, "bound_root");
  return {
    id: text(row, "id"),
    project: text(row, "project"),
    title: text(row, "title"),
    description: maybeText(row, "description"),
    tags: parseColumn<string[]>(row["tags"]),
    partitionPath: maybeText(row, "partition_path"),
    createdAt: text(row, "created_at"),
    updatedAt: text(row, "updated_at"),
    lastAccessedAt: text(row, "last_accessed_at"),
    completedAt: maybeText(row, "completed_at"),
    status: row["status"] === "completed" ? "completed" : "active",
    deletedAt: maybeText(row, "deleted_at"),
    state: {
      stage: Math.min(Math.max(integer(row, "stage"), stages.entry), stages.domain_active) as Stage,
      ...(isDomain(domain) && { domain }),
      ...(boundRoot !== undefined && { boundRoot }),
      navigation: parseColumn<SessionState["navigation"]>(row["navigation"]),
    },
    thoughtCount: integer(row, "thought_count"),
    branchCount: integer(row, "branch_count"),
    highest: integer(row, "highest"),
    length: integer(row, "chain_length"),
    hash: text(row, "chain_head"),
    critiqueCount: integer(row, "amendment_count"),
    critiqueHead: text(row, "amendment_head"),
  };
}

export const decodeSession = (row: Row, now: Date): SessionRecord => toRecord(decodeStored(row), now);

const isDomain = (value: string | undefined): value is Domain =>
  (domains as readonly (string | undefined)[]).includes(value);

export const noteColumns = (project: string, note: Note) => ({
  project,
  kind: note.kind,
  id: note.id,
  title: note.title,
  description: note.description,
  tags: JSON.stringify(note.tags),
  content: note.content,
  sessions: JSON.stringify(note.derivedFromSessions),
  created_by: note.createdBy ?? null,
  created_at: note.createdAt,
  updated_at: note.updatedAt,
});

export function decodeNote(row: Row): Note {
  const createdBy = row["created_by"];
  return {
    kind: row["kind"] === "scratchpad" ? "scratchpad" : "pattern",
    id: String(row["id"]),
    title: String(row["title"]),
    description: String(row["description"]),
    tags: parseColumn<string[]>(row["tags"]),
    content: String(row["content"]),
    derivedFromSessions: parseColumn<string[]>(row["sessions"]),
    ...(typeof createdBy === "string" && { createdBy }),
    createdAt: String(row["created_at"]),
    updatedAt: String(row["updated_at"]),
  };
}

/** The columns of `remarks` after `seq` and `sid`, in the order of `remarkColumns`. */
export const remarkColumnNames = "id, kind, branch_id, number, text, withdraws, at";

export const remarkColumns = ({ id, kind, branchId, thoughtNumber, text, withdraws, at }: Remark) =>
  [id, kind, toColumn(branchId), thoughtNumber, text ?? null, withdraws ?? null, at] as const;

export function decodeRemark(row: Row): StoredRemark {
  const address = decodeAddress(row["branch_id"], row["number"]);
  return {
    seq: Number(row["seq"]),
    remark: {
      id: String(row["id"]),
      kind: String(row["kind"]) as Remark["kind"],
      thoughtNumber: Number(address?.thoughtNumber),
      ...(address?.branchId !== undefined && { branchId: address.branchId }),
      ...(row["text"] != null && { text: String(row["text"]) }),
      ...(row["withdraws"] != null && { withdraws: String(row["withdraws"]) }),
      at: String(row["at"]),
    },
  };
}

/** The maximum number of a session's first thoughts to search for its first agent. */
export const firstThoughts = 8;
/** SQL: excludes `user` and `tool`, which imported transcripts also store as `agent_id`. */
export const isAgent = "t.agent_id NOT IN ('user', 'tool')";

/** Decodes rows with `id` and `agent` columns. */
export const decodeFirstAgents = (rows: readonly Row[]): Map<string, string> =>
  new Map(rows.flatMap(({ id, agent }) => (agent == null ? [] : [[String(id), String(agent)] as const])));

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

/**
 * Records earlier outcomes. Adds the sessions of these rows to `sessionIds` and returns the seqs of the
 * thoughts.
 */
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

/**
 * Plans two queries for what the drafts refer to. The first one looks up the branches in `named`, and the
 * second one checks which of the `places` exist.
 */
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
    /** Records the branches and returns the places to look for. */
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

/** Rows of a table whose session and `by` columns match one of these keys. */
export type Lookup = {
  table: "thoughts" | "critiques";
  columns: string;
  by: readonly string[];
  keys: readonly (string | number)[][];
  note(rows: readonly Row[]): void;
};

/** Returns the lookups that an import needs. `hashes` depends on the results of the others. */
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

import type { Note } from "../../domain/knowledge/note.ts";
import type { Address } from "../../domain/ledger/address.ts";
import type { SessionRecord, SessionState } from "../../domain/ledger/session.ts";
import { type StoredSession, toRecord } from "../../domain/ledger/session.ts";
import type { ChainedThought, Thought } from "../../domain/ledger/thought.ts";
import { type Domain, domains, type Stage, stages } from "../../domain/stages/stages.ts";
import { parseColumn, type Row } from "./row.ts";

const text = (row: Row, column: string): string => String(row[column]);
const integer = (row: Row, column: string): number => Number(row[column]);
const maybeText = (row: Row, column: string): string | undefined => {
  const value = row[column];
  return value === null || value === undefined ? undefined : String(value);
};

/** The main chain is '' in the database and undefined elsewhere. */
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

/** How many thoughts of a session are searched for its first agent. */
export const firstThoughts = 8;
/** Transcripts also name the user and tools. */
export const isAgent = "t.agent_id NOT IN ('user', 'tool')";

/** Rows with the columns `id` and `agent`. */
export const decodeFirstAgents = (rows: readonly Row[]): Map<string, string> =>
  new Map(rows.flatMap(({ id, agent }) => (agent == null ? [] : [[String(id), String(agent)] as const])));

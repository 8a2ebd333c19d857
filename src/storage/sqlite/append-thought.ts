import { type ChainFacts, placeThought } from "../../domain/ledger/append.ts";
import { sealThought } from "../../domain/ledger/hash-chain.ts";
import type { ChainedThought, Thought } from "../../domain/ledger/thought.ts";
import { ThoughtboxError } from "../../kernel/errors.ts";
import type { AppendReceipt, AppendRequest } from "../../ports/ledger-store.ts";
import type { Row } from "./driver.ts";
import { recallOutcome, rememberOutcome } from "./idempotency.ts";
import type { Connection } from "./open-database.ts";
import { decodeAddress, decodeThought, thoughtColumns, toColumn } from "./rows.ts";
import { nextSeq } from "./sequence.ts";

type SessionHead = { sid: number; thoughtCount: number; branchCount: number; length: number; hash: string };

/** One append inside a transaction: decide by the domain's rules, then write. Costs the same at any length. */
export function appendThought(connection: Connection, request: AppendRequest): AppendReceipt {
  const { draft, once } = request;
  const row = connection
    .sql(`SELECT sid, thought_count, branch_count, highest, chain_length, chain_head FROM sessions
          WHERE id = ? AND deleted_at IS NULL`)
    .get(draft.sessionId);
  if (!row) throw new ThoughtboxError("SESSION_NOT_FOUND", `No session has the id ${draft.sessionId}.`);
  const head = decodeHead(row);

  const scope = `session:${draft.sessionId}`;
  const earlier = recallOutcome<{ seq: number }>(connection, scope, once);
  if (earlier) return replay(connection, draft.sessionId, head, earlier.seq);

  const placement = placeThought(draft, chainFacts(connection, head.sid, Number(row["highest"])));
  const entry = seal(connection, request, head, placement);
  insertThought(connection, head.sid, entry);
  updateChain(connection, head.sid, entry);
  const branchCount = head.branchCount + (placement.fork ? 1 : 0);
  updateSession(connection, head.sid, entry, branchCount);
  rememberOutcome(connection, scope, once, { seq: entry.seq }, request.timestamp);
  return { entry, thoughtCount: head.thoughtCount + 1, branchCount, replayed: false };
}

function decodeHead(row: Row): SessionHead {
  return {
    sid: Number(row["sid"]),
    thoughtCount: Number(row["thought_count"]),
    branchCount: Number(row["branch_count"]),
    length: Number(row["chain_length"]),
    hash: String(row["chain_head"]),
  };
}

function chainFacts({ sql }: Connection, sid: number, mainHighest: number): ChainFacts {
  const branch = (branchId: string) =>
    sql("SELECT from_branch, from_number, highest FROM branches WHERE sid = ? AND branch_id = ?").get(
      sid,
      branchId,
    );
  return {
    highest: (branchId) =>
      branchId === undefined ? mainHighest : Number(branch(branchId)?.["highest"] ?? 0),
    forkOf: (branchId) => {
      const row = branch(branchId);
      return row && decodeAddress(row["from_branch"], row["from_number"]);
    },
    has: ({ branchId, thoughtNumber }) =>
      sql("SELECT 1 FROM thoughts WHERE sid = ? AND branch_id = ? AND number = ?").get(
        sid,
        toColumn(branchId),
        thoughtNumber,
      ) !== undefined,
    branchIds: () =>
      sql("SELECT branch_id FROM branches WHERE sid = ? ORDER BY opened_seq")
        .all(sid)
        .map((row) => String(row["branch_id"])),
  };
}

function seal(
  connection: Connection,
  { draft, timestamp, salt, cipher, critiqueRequested }: AppendRequest,
  head: SessionHead,
  { thoughtNumber, totalThoughts, branchId, fork, revises }: ReturnType<typeof placeThought>,
): ChainedThought {
  const data: Thought = {
    thought: draft.thought,
    thoughtNumber,
    totalThoughts,
    nextThoughtNeeded: draft.nextThoughtNeeded,
    timestamp,
    ...(revises && { isRevision: true, revisesThought: revises.thoughtNumber, revises: plain(revises) }),
    ...(branchId !== undefined && { branchId }),
    ...(fork && { branchFromThought: fork.thoughtNumber }),
    ...(fork?.branchId !== undefined && { branchFromBranch: fork.branchId }),
    ...(draft.needsMoreThoughts && { needsMoreThoughts: true }),
    ...(draft.agentId !== undefined && { agentId: draft.agentId }),
    ...(cipher && { cipher }),
    ...(critiqueRequested && { critiqueRequested: true }),
  };
  const position = head.length + 1;
  const sealed = { sessionId: draft.sessionId, position, salt, prevHash: head.hash, data };
  return { ...sealed, seq: nextSeq(connection), hash: sealThought(sealed) };
}

const plain = ({ branchId, thoughtNumber }: { branchId?: string | undefined; thoughtNumber: number }) =>
  branchId === undefined ? { thoughtNumber } : { branchId, thoughtNumber };

export function insertThought(
  { sql }: Connection,
  sid: number,
  { seq, position, salt, prevHash, hash, data }: ChainedThought,
): void {
  const opensBranch = data.branchFromThought !== undefined;
  sql(`INSERT INTO thoughts (seq, sid, position, branch_id, number, thought, total, next_needed, timestamp,
         revises_branch, revises_number, from_branch, from_number, needs_more, agent_id, cipher, cipher_types,
         salt, prev_hash, hash, critique_requested)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
    seq,
    sid,
    position,
    toColumn(data.branchId),
    data.thoughtNumber,
    data.thought,
    data.totalThoughts,
    data.nextThoughtNeeded ? 1 : 0,
    data.timestamp,
    data.revises ? toColumn(data.revises.branchId) : null,
    data.revises?.thoughtNumber ?? null,
    opensBranch ? toColumn(data.branchFromBranch) : null,
    data.branchFromThought ?? null,
    data.needsMoreThoughts ? 1 : 0,
    data.agentId ?? null,
    data.cipher ? JSON.stringify(data.cipher) : null,
    data.cipher ? [...new Set(data.cipher.map((step) => step.type))].join("") : null,
    salt,
    prevHash,
    hash,
    data.critiqueRequested ? 1 : 0,
  );
}

export function updateChain({ sql }: Connection, sid: number, { seq, data }: ChainedThought): void {
  if (data.branchId === undefined) return;
  if (data.branchFromThought !== undefined) {
    sql(`INSERT INTO branches (sid, branch_id, from_branch, from_number, highest, opened_seq)
         VALUES (?, ?, ?, ?, ?, ?)`).run(
      sid,
      data.branchId,
      toColumn(data.branchFromBranch),
      data.branchFromThought,
      data.thoughtNumber,
      seq,
    );
  } else {
    sql("UPDATE branches SET highest = max(highest, ?) WHERE sid = ? AND branch_id = ?").run(
      data.thoughtNumber,
      sid,
      data.branchId,
    );
  }
}

/** Ending the main chain completes the session; any later thought opens it again. */
function updateSession(
  { sql }: Connection,
  sid: number,
  { position, hash, data }: ChainedThought,
  branchCount: number,
): void {
  const onMain = data.branchId === undefined;
  const completed = onMain && !data.nextThoughtNeeded;
  sql(`UPDATE sessions SET thought_count = thought_count + 1, branch_count = ?, highest = max(highest, ?),
         chain_length = ?, chain_head = ?, updated_at = max(updated_at, ?), last_accessed_at = max(last_accessed_at, ?),
         status = ?, completed_at = ?
       WHERE sid = ?`).run(
    branchCount,
    onMain ? data.thoughtNumber : 0,
    position,
    hash,
    data.timestamp,
    data.timestamp,
    completed ? "completed" : "active",
    completed ? data.timestamp : null,
    sid,
  );
}

function replay({ sql }: Connection, sessionId: string, head: SessionHead, seq: number): AppendReceipt {
  const row = sql(`SELECT ${thoughtColumns} FROM thoughts t WHERE t.seq = ?`).get(seq);
  if (!row)
    throw new ThoughtboxError("STORAGE_ERROR", "The thought recorded under this idempotencyKey is gone.");
  return {
    entry: decodeThought(sessionId, row),
    thoughtCount: head.thoughtCount,
    branchCount: head.branchCount,
    replayed: true,
  };
}

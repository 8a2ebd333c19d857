import { type Placement, placeThought, type ThoughtDraft } from "../../../domain/ledger/chain/append.ts";
import { factsNeeded } from "../../../domain/ledger/chain/chain-facts.ts";
import {
  advanceHead,
  chainThought,
  later,
  type SessionHead,
} from "../../../domain/ledger/chain/session-head.ts";
import { ledgerFailure } from "../../../domain/ledger/failures.ts";
import { onceScopes } from "../../../domain/ledger/once.ts";
import type { ChainedThought } from "../../../domain/ledger/thought.ts";
import type { AppendReceipt, AppendRequest } from "../../../ports/ledger-store.ts";
import type { Row } from "../connection/driver.ts";
import { recallOutcome, rememberOutcome } from "../connection/idempotency.ts";
import type { Connection } from "../connection/open-database.ts";
import { reachSeqByThoughts } from "../connection/sequence.ts";
import { loadBranchIds, loadChainFacts } from "./chain-facts.ts";
import { noteOrigin } from "./conversations.ts";
import type { KnownSessions } from "./known-sessions.ts";
import { decodeThought, thoughtColumns, toColumn } from "./rows.ts";

/** `touched` once there is something to write down. */
type KeptHead = SessionHead & { sid: number; touched: boolean };

export type AppendRun = ReturnType<typeof createAppendRun>;

/**
 * Appends that follow each other in one transaction. Sessions and the counter are read once, kept in RAM while
 * thoughts are inserted, and written down by `finish`, which must be called before anything else looks at them and
 * before the commit. After a rollback call `forget`.
 */
export function createAppendRun(sessions: KnownSessions) {
  const heads = new Map<string, KeptHead>();
  let seq: number | undefined;

  function headOf(connection: Connection, sessionId: string): KeptHead {
    const known = heads.get(sessionId);
    if (known) return known;
    const row = sessions.find(connection, sessionId);
    if (!row) throw ledgerFailure("session_missing", { sessionId });
    seq ??= sessions.sequence(connection).last;
    const head = decodeHead(row);
    heads.set(sessionId, head);
    return head;
  }

  function letGo(): void {
    heads.clear();
    seq = undefined;
  }

  function keep(sessionId: string, head: KeptHead): KeptHead {
    heads.set(sessionId, { ...head, touched: true });
    return head;
  }

  return {
    /** Decides by the domain's rules, then writes. Costs the same at any length. */
    append(connection: Connection, request: AppendRequest): AppendReceipt {
      const { draft, once } = request;
      const head = headOf(connection, draft.sessionId);
      const scope = onceScopes.session(draft.sessionId);
      const earlier = recallOutcome<{ seq: number }>(connection, scope, once);
      if (earlier) return replay(connection, draft.sessionId, head, earlier.seq);

      const placement = place(connection, head, draft);
      seq = (seq ?? 0) + 1;
      const entry = chainThought(request, head, placement, seq);
      const cid = noteOrigin(connection, request.origin, draft.sessionId, request.timestamp);
      insertThought(connection, head.sid, entry, { cid, toolUse: request.origin?.toolUse });
      updateChain(connection, head.sid, entry);
      const { thoughtCount, branchCount } = keep(draft.sessionId, advanceHead(head, entry));
      rememberOutcome(connection, scope, once, { seq: entry.seq }, request.timestamp);
      return { entry, thoughtCount, branchCount, replayed: false };
    },
    /** The receipt of a thought that is there already. */
    replay: (connection: Connection, sessionId: string, recorded: number): AppendReceipt =>
      replay(connection, sessionId, headOf(connection, sessionId), recorded),
    finish(connection: Connection): void {
      if (heads.size === 0) return;
      let wrote = false;
      for (const [sessionId, head] of heads) {
        if (!head.touched) continue;
        updateSession(connection, head);
        sessions.change(sessionId, (row) => encodeHead(head, row));
        wrote = true;
      }
      if (wrote && seq !== undefined)
        sessions.reach(reachSeqByThoughts(connection, seq, sessions.sequence(connection)));
      letGo();
    },
    forget(): void {
      letGo();
      sessions.forgetAll();
    },
  };
}

function place(connection: Connection, { sid, highest }: KeptHead, draft: ThoughtDraft): Placement {
  const facts = loadChainFacts(connection, sid, highest, factsNeeded(draft));
  const placed = placeThought(draft, facts);
  if (!("needs" in placed)) return placed;
  const again = placeThought(draft, { ...facts, branchIds: loadBranchIds(connection, sid) });
  if ("needs" in again) throw new Error("the rules ask for what they have");
  return again;
}

function decodeHead(row: Row): KeptHead {
  return {
    sid: Number(row["sid"]),
    thoughtCount: Number(row["thought_count"]),
    branchCount: Number(row["branch_count"]),
    highest: Number(row["highest"]),
    length: Number(row["chain_length"]),
    hash: String(row["chain_head"]),
    updatedAt: String(row["updated_at"]),
    completedAt: undefined,
    touched: false,
  };
}

export function insertThought(
  { sql }: Connection,
  sid: number,
  { seq, position, salt, prevHash, hash, data }: ChainedThought,
  { cid, toolUse }: { cid: number | null; toolUse?: string | undefined } = { cid: null },
): void {
  const opensBranch = data.branchFromThought !== undefined;
  sql(`INSERT INTO thoughts (seq, sid, position, branch_id, number, thought, total, next_needed, timestamp,
         revises_branch, revises_number, from_branch, from_number, needs_more, agent_id, cipher, cipher_types,
         salt, prev_hash, hash, critique_requested, cid, tool_use)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
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
    cid,
    toolUse ?? null,
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

/** The columns that a thought changes; whoever looked at the session later than this keeps that time. */
function encodeHead(head: KeptHead, row: Readonly<Row>) {
  return {
    thought_count: head.thoughtCount,
    branch_count: head.branchCount,
    highest: head.highest,
    chain_length: head.length,
    chain_head: head.hash,
    updated_at: head.updatedAt,
    last_accessed_at: later(String(row["last_accessed_at"]), head.updatedAt),
    status: head.completedAt === undefined ? "active" : "completed",
    completed_at: head.completedAt ?? null,
  };
}

function updateSession({ sql }: Connection, head: KeptHead): void {
  const columns = encodeHead(head, { last_accessed_at: head.updatedAt });
  sql(`UPDATE sessions SET thought_count = ?, branch_count = ?, highest = ?, chain_length = ?, chain_head = ?,
         updated_at = ?, last_accessed_at = max(last_accessed_at, ?), status = ?, completed_at = ?
       WHERE sid = ?`).run(...Object.values(columns), head.sid);
}

function replay({ sql }: Connection, sessionId: string, head: KeptHead, seq: number): AppendReceipt {
  const row = sql(`SELECT ${thoughtColumns} FROM thoughts t WHERE t.seq = ?`).get(seq);
  if (!row) throw ledgerFailure("thought_of_key_deleted", {});
  return {
    entry: decodeThought(sessionId, row),
    thoughtCount: head.thoughtCount,
    branchCount: head.branchCount,
    replayed: true,
  };
}

import { describeAddress } from "../../../domain/ledger/address.ts";
import { genesisHash } from "../../../domain/ledger/chain/hash-chain.ts";
import type { SessionRecord } from "../../../domain/ledger/session.ts";
import type { SealedThought } from "../../../domain/ledger/tree/thought-file.ts";
import type { PartOutcome, SessionPart } from "../../../ports/ledger-import.ts";
import type { Connection } from "../connection/open-database.ts";
import { nextSeq } from "../connection/sequence.ts";
import { insertThought, updateChain } from "./append-thought.ts";
import { importCritiques } from "./import-critiques.ts";
import { toColumn } from "./rows.ts";
import { insertSession } from "./session-writes.ts";

/** Call inside a write. Every part is judged before it touches anything, so a refusal leaves no trace. */
export function importParts(
  connection: Connection,
  parts: readonly SessionPart[],
  onlyProject?: string,
): PartOutcome[] {
  return parts.map((part) => importPart(connection, part, onlyProject));
}

function importPart(
  connection: Connection,
  { record, entries, critiques, keepsGaps }: SessionPart,
  onlyProject: string | undefined,
): PartOutcome {
  const { id: sessionId } = record.session;
  const known = connection
    .sql("SELECT sid, project, deleted_at, chain_length, chain_head FROM sessions WHERE id = ?")
    .get(sessionId);
  const length = Number(known?.["chain_length"] ?? 0);
  const { linked, unlinked } = keepsGaps
    ? { linked: entries, unlinked: [] }
    : sortByLink(entries, length, String(known?.["chain_head"] ?? genesisHash));
  const isForeign = onlyProject !== undefined && known !== undefined && known["project"] !== onlyProject;
  const refusal = isForeign
    ? "a different session has this id"
    : known?.["deleted_at"] != null
      ? "the store holds this session in its trash"
      : known && findDifference(connection, Number(known["sid"]), length, entries);
  if (refusal !== undefined)
    return { sessionId, added: 0, critiques: 0, created: false, refused: refusal, leftOut: nothing };
  const sid = known ? Number(known["sid"]) : createSession(connection, record);
  const added = linked.filter(({ position }) => position > length);
  for (const entry of added) addEntry(connection, sid, entry);
  if (!known || added.length > 0) updateTotals(connection, sid, record);
  const brought = importCritiques(connection, sid, critiques);
  return {
    sessionId,
    added: added.length,
    critiques: brought.added,
    created: !known,
    leftOut: { thoughts: unlinked.map(({ position }) => position), critiques: brought.leftOut },
  };
}

const nothing = { thoughts: [], critiques: [] };

/** No chain gets a hole by this: what comes after one would keep the missing thought from ever coming back. */
function sortByLink(
  entries: readonly SealedThought[],
  length: number,
  head: string,
): { linked: SealedThought[]; unlinked: SealedThought[] } {
  const linked: SealedThought[] = [];
  const unlinked: SealedThought[] = [];
  let [reached, last] = [length, head];
  for (const entry of entries) {
    const continues = entry.position === reached + 1 && entry.prevHash === last;
    if (continues) [reached, last] = [entry.position, entry.hash];
    (continues || entry.position <= length ? linked : unlinked).push(entry);
  }
  return { linked, unlinked };
}

/** What both sides hold must be the same thoughts in the same places, or the histories are different ones. */
function findDifference(
  { sql }: Connection,
  sid: number,
  length: number,
  entries: readonly SealedThought[],
): string | undefined {
  for (const { position, hash, data } of entries) {
    if (position <= length) {
      const row = sql("SELECT hash FROM thoughts WHERE sid = ? AND position = ?").get(sid, position);
      if (row?.["hash"] !== hash) return `the store holds another thought at position ${position}`;
    } else {
      const taken = sql("SELECT 1 FROM thoughts WHERE sid = ? AND branch_id = ? AND number = ?").get(
        sid,
        toColumn(data.branchId),
        data.thoughtNumber,
      );
      if (taken) return `the store holds another ${describeAddress(data)}`;
    }
  }
  const first = entries.find(({ position }) => position > length);
  const head = sql("SELECT chain_head FROM sessions WHERE sid = ?").get(sid)?.["chain_head"];
  if (first?.position === length + 1 && first.prevHash !== head) {
    return `position ${first.position} does not continue what the store holds`;
  }
  return undefined;
}

function createSession(connection: Connection, { session, state }: SessionRecord): number {
  insertSession(connection, { ...session, state });
  return Number(connection.sql("SELECT sid FROM sessions WHERE id = ?").get(session.id)?.["sid"]);
}

function addEntry(connection: Connection, sid: number, entry: SealedThought): void {
  const chained = { ...entry, seq: nextSeq(connection) };
  insertThought(connection, sid, chained);
  updateChain(connection, sid, chained);
  connection
    .sql(`UPDATE sessions SET thought_count = thought_count + 1, branch_count = branch_count + ?,
            highest = max(highest, ?), chain_length = ?, chain_head = ? WHERE sid = ?`)
    .run(
      entry.data.branchFromThought === undefined ? 0 : 1,
      entry.data.branchId === undefined ? entry.data.thoughtNumber : 0,
      entry.position,
      entry.hash,
      sid,
    );
}

function updateTotals({ sql }: Connection, sid: number, { session }: SessionRecord): void {
  sql(`UPDATE sessions SET updated_at = max(updated_at, ?), last_accessed_at = max(last_accessed_at, ?),
         status = ?, completed_at = ? WHERE sid = ?`).run(
    session.updatedAt,
    session.lastAccessedAt,
    session.status === "completed" ? "completed" : "active",
    session.completedAt ?? null,
    sid,
  );
}

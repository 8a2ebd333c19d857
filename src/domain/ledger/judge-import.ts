import { addressKey, later } from "./chain/append.ts";
import { sealCritique } from "./chain/critique-chain.ts";
import { addChange, addThought, type LedgerWrites } from "./ledger-writes.ts";
import type { SessionRecord } from "./session.ts";
import { newSession, type StoredSession } from "./session.ts";
import type { Address } from "./thought.ts";
import type { PlacedCritique } from "./tree/critique-file.ts";
import type { SealedThought } from "./tree/thought-file.ts";

/** Consecutive entries of one session, in order of position. Long sessions arrive in several parts. */
export type SessionPart = {
  record: SessionRecord;
  /** Set if the exported session was in the trash. A store without the session then adds it to its trash. */
  deletedAt?: string | undefined;
  entries: readonly SealedThought[];
  /** Critiques of thoughts in this or an earlier part. Those that do not continue the chain are dropped. */
  critiques: readonly PlacedCritique[];
  /**
   * True to accept gaps in the chain, because the missing thoughts are lost. A chain with gaps is better than
   * only its beginning.
   */
  keepsGaps?: boolean;
};

export type ImportRefusal =
  /** The session belongs to a project other than the requested one. */
  | { why: "foreign" }
  | { why: "in_trash" }
  | { why: "other_thought"; position: number }
  | { why: "number_taken"; address: Address }
  | { why: "not_continued"; position: number };

export type PartOutcome = {
  sessionId: string;
  /** How many entries were not in the store before. */
  added: number;
  /** How many critiques were not in the store before. */
  critiques: number;
  /** True if the session was not in the store before. */
  created: boolean;
  /**
   * Positions of entries that were dropped, for example because their predecessor is in neither the part nor the store.
   */
  leftOut: { thoughts: readonly number[]; critiques: readonly number[] };
  refused?: ImportRefusal;
};

/** The facts about a session during an import. Includes only items that the parts refer to. */
export type ImportedChains = {
  /** The session's thoughts, by position. */
  at: Map<number, { hash: string; seq: number }>;
  /** Seqs of the session's thoughts, by hash. If a hash repeats, contains the seq of the first thought. */
  seqOf: Map<string, number>;
  /** Addresses that are taken, by `addressKey`. */
  taken: Set<string>;
  /** Hashes of the session's critiques, by position. */
  critiques: Map<number, string>;
};

export const noChains = (): ImportedChains => ({
  at: new Map(),
  seqOf: new Map(),
  taken: new Set(),
  critiques: new Map(),
});

export type ImportFacts = {
  /** Includes sessions in the trash. */
  sessions: Map<string, StoredSession>;
  chains: Map<string, ImportedChains>;
};

/** The facts that a store loads for one part, in one batch. */
export type ImportNeeds = {
  sessionId: string;
  positions: readonly number[];
  addresses: readonly Address[];
  critiques: readonly number[];
};

export const needsOfImport = ({ record, entries, critiques }: SessionPart): ImportNeeds => ({
  sessionId: record.session.id,
  positions: [
    ...entries.map(({ position }) => position),
    ...critiques.flatMap(({ thoughtPosition }) => thoughtPosition ?? []),
  ],
  addresses: entries.map(({ data }) => data),
  critiques: critiques.map(({ position }) => position),
});

/** Returns hashes of criticised thoughts that are neither in the part nor at the stated position. */
export function hashesToFind({ entries, critiques }: SessionPart, { at }: ImportedChains): string[] {
  const lost = critiques.filter(
    ({ thoughtHash, thoughtPosition = 0 }) => at.get(thoughtPosition)?.hash !== thoughtHash,
  );
  if (lost.length === 0) return [];
  const brought = new Set(entries.map(({ hash }) => hash));
  return lost.flatMap(({ thoughtHash }) => (brought.has(thoughtHash) ? [] : [thoughtHash]));
}

/**
 * Checks a whole part before storing any of it, so a refusal has no effect. Refuses the part if the store has a
 * different thought at the same position, because the histories differ.
 */
export function judgeImport(
  facts: ImportFacts,
  part: SessionPart,
  writes: LedgerWrites,
  onlyProject: string | undefined,
): PartOutcome {
  const { record, entries, keepsGaps } = part;
  const { id: sessionId } = record.session;
  const known = facts.sessions.get(sessionId);
  const chains = facts.chains.get(sessionId) ?? noChains();
  facts.chains.set(sessionId, chains);
  const refused = known && findRefusal(known, chains, part, onlyProject);
  if (refused) return { sessionId, added: 0, critiques: 0, created: false, refused, leftOut: nothing };

  const { deletedAt } = part;
  let session = known ?? { ...newSession({ ...record.session, state: record.state }), deletedAt };
  if (!known) {
    writes.created.push(session);
    addChange(writes, sessionId, "created", session.createdAt);
    if (deletedAt !== undefined) addChange(writes, sessionId, "deleted", deletedAt);
  }
  const { linked, unlinked } = keepsGaps
    ? { linked: entries, unlinked: [] }
    : sortByLink(entries, session.length, session.hash);
  const { length } = session;
  const added = linked.filter(({ position }) => position > length);
  for (const entry of added) session = addEntry(chains, session, entry, writes);
  const ends = known !== undefined && endsSession(known, part);
  if (!known || ends || added.length > 0) session = withTotals(session, record);
  if (ends) addChange(writes, sessionId, "updated", session.updatedAt);
  const brought = addCritiques(chains, session, part.critiques, writes);
  session = brought.session;
  if (!known || ends || added.length + brought.added > 0) writes.advanced.set(sessionId, session);
  facts.sessions.set(sessionId, session);
  return {
    sessionId,
    added: added.length,
    critiques: brought.added,
    created: !known,
    leftOut: { thoughts: unlinked.map(({ position }) => position), critiques: brought.leftOut },
  };
}

const nothing = { thoughts: [], critiques: [] };

/** True if a part contains only the end of a session whose thoughts the store already has. */
const endsSession = (
  { status, thoughtCount }: StoredSession,
  { record, entries, critiques }: SessionPart,
): boolean =>
  status === "active" &&
  record.session.status === "completed" &&
  entries.length + critiques.length === 0 &&
  record.session.thoughtCount <= thoughtCount;

/** Separates the entries that would leave a gap in the chain, because the missing thought could not be added later. */
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

function findRefusal(
  { project, deletedAt, length, hash: head }: StoredSession,
  { at, taken }: ImportedChains,
  { entries, deletedAt: trashedAt }: SessionPart,
  onlyProject: string | undefined,
): ImportRefusal | undefined {
  if (onlyProject !== undefined && project !== onlyProject) return { why: "foreign" };
  if (deletedAt !== undefined && trashedAt === undefined) return { why: "in_trash" };
  for (const { position, hash, data } of entries) {
    if (position <= length) {
      if (at.get(position)?.hash !== hash) return { why: "other_thought", position };
    } else if (taken.has(addressKey(data))) {
      const { branchId, thoughtNumber } = data;
      return { why: "number_taken", address: { branchId, thoughtNumber } };
    }
  }
  const first = entries.find(({ position }) => position > length);
  if (first?.position === length + 1 && first.prevHash !== head)
    return { why: "not_continued", position: first.position };
  return undefined;
}

function addEntry(
  { at, seqOf, taken }: ImportedChains,
  session: StoredSession,
  entry: SealedThought,
  writes: LedgerWrites,
): StoredSession {
  const { position, hash, data } = entry;
  const seq = writes.lastSeq + 1;
  const advanced = {
    ...session,
    thoughtCount: session.thoughtCount + 1,
    branchCount: session.branchCount + (data.branchFromThought === undefined ? 0 : 1),
    highest: data.branchId === undefined ? Math.max(session.highest, data.thoughtNumber) : session.highest,
    length: position,
    hash,
  };
  addThought(writes, advanced, { ...entry, seq });
  at.set(position, { hash, seq });
  if (!seqOf.has(hash)) seqOf.set(hash, seq);
  taken.add(addressKey(data));
  return advanced;
}

/** Keeps the later value of both times. Takes the status and the completion time from the import. */
function withTotals(stored: StoredSession, { session }: SessionRecord): StoredSession {
  return {
    ...stored,
    updatedAt: later(stored.updatedAt, session.updatedAt),
    lastAccessedAt: later(stored.lastAccessedAt, session.lastAccessedAt),
    status: session.status === "completed" ? "completed" : "active",
    completedAt: session.completedAt,
  };
}

/** Drops critiques that do not continue the session's chain or were changed. */
function addCritiques(
  { at, seqOf, critiques: known }: ImportedChains,
  session: StoredSession,
  critiques: readonly PlacedCritique[],
  writes: LedgerWrites,
): { session: StoredSession; added: number; leftOut: number[] } {
  const leftOut: number[] = [];
  let { critiqueCount, critiqueHead } = session;
  let added = 0;
  for (const { thoughtPosition, ...critique } of critiques) {
    const { hash, ...sealed } = critique;
    if (known.get(sealed.position) === hash) continue;
    const continues = sealed.position === critiqueCount + 1 && sealed.prevHash === critiqueHead;
    const placed = at.get(thoughtPosition ?? 0);
    const thoughtSeq = placed?.hash === sealed.thoughtHash ? placed.seq : seqOf.get(sealed.thoughtHash);
    if (!continues || thoughtSeq === undefined || sealCritique(sealed) !== hash) {
      leftOut.push(sealed.position);
      continue;
    }
    const seq = addChange(writes, session.id, "updated", sealed.timestamp);
    writes.critiques.push({ ...critique, seq, thoughtSeq });
    known.set(sealed.position, hash);
    [critiqueCount, critiqueHead, added] = [sealed.position, hash, added + 1];
  }
  return { session: { ...session, critiqueCount, critiqueHead }, added, leftOut };
}

import { attempt, type Served } from "../../kernel/errors.ts";
import {
  addressKey,
  type BranchFacts,
  chainThought,
  type FactsNeeded,
  factsNeeded,
  placeThought,
  type ThoughtDraft,
} from "./chain/append.ts";
import { sealCritique } from "./chain/critique-chain.ts";
import { ledgerFailure } from "./failures.ts";
import { addChange, addThought, type KeptOutcome, type LedgerWrites, noWrites } from "./ledger-writes.ts";
import {
  type AppendReceipt,
  type AppendRequest,
  type ConversationKey,
  type CritiqueRequest,
  checkSameWrite,
  type Once,
  type Opening,
  type Origin,
  onceScopes,
  type SentAgain,
  type SessionDraft,
} from "./requests.ts";
import type { SessionRecord } from "./session.ts";
import { advanceSession, newSession, type StoredSession, toRecord } from "./session.ts";
import type { Address, ChainedThought } from "./thought.ts";

/** The known chains of one session: the branches and thoughts that its drafts refer to. */
export type SessionChains = {
  branches: Map<string, BranchFacts>;
  /** The referenced thoughts that exist, by `addressKey`. */
  there: Set<string>;
  /** All branches in order of creation. `undefined` until a rule needs the branches. */
  branchIds: string[] | undefined;
};

/** The result of the first call with a key. */
export type Recorded = {
  fingerprint: string;
  at: string;
  outcome: { id?: string; sessionId?: string; seq?: number };
};

/** The facts for a batch of appends. Each decision updates them for the next. */
export type AppendFacts = {
  /** Omits sessions that are in the trash or never existed. */
  sessions: Map<string, StoredSession>;
  chains: Map<string, SessionChains>;
  /** The results of first calls, by `keyOf`. */
  recorded: Map<string, Recorded>;
  /** By seq: the thoughts that the outcomes of earlier calls refer to. */
  entries: Map<number, ChainedThought>;
  /** The current session of each sender, by `conversationOf`. */
  conversations: Map<string, string | undefined>;
};

export type OutcomeKey = { scope: string; key: string };

/**
 * The facts that a store loads for a batch, in one query per kind. For a recorded outcome, it also loads the outcome's
 * session and thought.
 */
export type AppendNeeds = {
  sessionIds: Set<string>;
  chains: Map<string, FactsNeeded>;
  keys: OutcomeKey[];
  /** The conversations to look up, by `conversationOf`. */
  conversations: Map<string, ConversationKey>;
  /** Sessions whose complete list of branches is needed. */
  branchIdsOf: Set<string>;
};

export const conversationOf = ({ principal, project, client, conversation }: ConversationKey): string =>
  JSON.stringify([principal, project, client, conversation]);

export const keyOf = ({ scope, key }: OutcomeKey): string => `${scope}\n${key}`;

const noNeeds = (): AppendNeeds => ({
  sessionIds: new Set(),
  chains: new Map(),
  keys: [],
  conversations: new Map(),
  branchIdsOf: new Set(),
});

export function needsOfAppends(requests: readonly AppendRequest[]): AppendNeeds {
  const needs = noNeeds();
  for (const { draft, once, opens, origin, again } of requests) {
    if (origin) needs.conversations.set(conversationOf(origin), origin);
    if (again && !(opens && once)) needs.keys.push({ scope: onceScopes.opening, key: again.key });
    if (opens) {
      const { session } = opens;
      if (session.once)
        needs.keys.push({ scope: onceScopes.sessionsOf(session.project), key: session.once.key });
      continue;
    }
    needs.sessionIds.add(draft.sessionId);
    if (once) needs.keys.push({ scope: onceScopes.session(draft.sessionId), key: once.key });
    const needed = factsNeeded(draft);
    if (needed.branches.length + needed.numbers.length > 0)
      needs.chains.set(draft.sessionId, together(needs.chains.get(draft.sessionId), needed));
  }
  return needs;
}

function together(known: FactsNeeded | undefined, more: FactsNeeded): FactsNeeded {
  if (!known) return more;
  return {
    branches: [...new Set([...known.branches, ...more.branches])],
    withAncestors: known.withAncestors || more.withAncestors,
    numbers: [...new Set([...known.numbers, ...more.numbers])],
  };
}

/** Returns the facts that are still missing after the first load, or `undefined` for nearly every batch. */
export function furtherNeeds(
  requests: readonly AppendRequest[],
  facts: AppendFacts,
): AppendNeeds | undefined {
  let needs: AppendNeeds | undefined;
  const forked = new Set<string>();
  for (const { draft, once, opens } of requests) {
    if (opens) {
      const { id } = recallOpened(facts, opens)?.outcome ?? {};
      if (id === undefined || !once) continue;
      needs ??= noNeeds();
      needs.keys.push({ scope: onceScopes.session(id), key: once.key });
    } else if (mayNeedBranchIds(draft, facts, forked)) {
      needs ??= noNeeds();
      needs.branchIdsOf.add(draft.sessionId);
    }
  }
  return needs;
}

/**
 * True if the IDs of all branches may be needed to name a new branch or to list the branches in an error.
 * `forked` are the sessions in which this batch already opens a branch.
 */
function mayNeedBranchIds(draft: ThoughtDraft, { chains }: AppendFacts, forked: Set<string>): boolean {
  const { sessionId, branchId, branchFromThought, branchFromBranch } = draft;
  const known = branchId === undefined ? undefined : chains.get(sessionId)?.branches.get(branchId);
  if (branchFromThought === undefined) return branchId !== undefined && !known;
  const isSecond = forked.has(sessionId);
  forked.add(sessionId);
  if (branchId === undefined || isSecond) return true;
  return known !== undefined && !isSameAddress(known.fork, branchFromBranch, branchFromThought);
}

const isSameAddress = (one: Address | undefined, branchId: string | undefined, number: number): boolean =>
  one?.thoughtNumber === number && one.branchId === branchId;

export type AppendDecisions = { writes: LedgerWrites; served: Served<AppendReceipt>[] };

/** Processes the requests in order of arrival. A refused request has no effect on the others. */
export function decideAppends(
  facts: AppendFacts,
  requests: readonly AppendRequest[],
  lastSeq: number,
  now: Date,
): AppendDecisions {
  const writes = noWrites(lastSeq);
  const served = requests.map((request) =>
    attempt(() =>
      request.opens
        ? decideOpening(facts, request, request.opens, writes, now)
        : decideAppend(facts, request, request.draft.sessionId, writes, now),
    ),
  );
  return { writes, served };
}

function decideAppend(
  facts: AppendFacts,
  request: AppendRequest,
  sessionId: string,
  writes: LedgerWrites,
  now: Date,
): AppendReceipt {
  const sent = request.opens ? undefined : recallOpening(facts, request.again, now);
  if (sent) return sent;
  const session = facts.sessions.get(sessionId);
  if (!session) throw ledgerFailure("session_missing", { sessionId });
  const earlier = request.once && recall(facts, onceScopes.session(sessionId), request.once);
  if (earlier) return replay(facts, session, earlier.outcome.seq);
  return record(facts, request, session, writes);
}

/** Records one thought. Makes every decision before the first write, so a refused request has no effect. */
function record(
  facts: AppendFacts,
  request: AppendRequest,
  session: StoredSession,
  writes: LedgerWrites,
  isNew = false,
): AppendReceipt {
  const chains = facts.chains.get(session.id);
  const recording = isNew ? { ...request, draft: { ...request.draft, sessionId: session.id } } : request;
  const { draft } = recording;
  const placement = placeThought(draft, {
    highest: session.highest,
    branches: chains?.branches ?? none,
    there: chains?.there ?? noKeys,
    branchIds: isNew ? [] : chains?.branchIds,
  });
  if ("needs" in placement) throw new Error("the rules need branches that were not loaded");
  if (isNew) noteNew(facts, session, writes);
  const entry = chainThought(recording, session, placement, writes.lastSeq + 1);
  const advanced = advanceSession(session, entry);
  addThought(writes, advanced, entry);
  learnThought(facts, advanced, entry);
  if (request.origin) noteOrigin(facts, writes, request.origin, entry);
  if (isNew || request.once) facts.entries.set(entry.seq, entry);
  if (request.once)
    keep(facts, writes, onceScopes.session(session.id), request.once, { seq: entry.seq }, request.timestamp);
  const { thoughtCount, branchCount } = advanced;
  return { entry, thoughtCount, branchCount, replayed: false };
}

const none: ReadonlyMap<string, BranchFacts> = new Map();
const noKeys: ReadonlySet<string> = new Set();

/**
 * Creates a session with its first thought, or creates neither. Repeating the same opening returns the first
 * receipt.
 */
function decideOpening(
  facts: AppendFacts,
  request: AppendRequest,
  opens: Opening,
  writes: LedgerWrites,
  now: Date,
): AppendReceipt {
  const { once, again, origin, timestamp } = request;
  const sent = once ? undefined : recallOpening(facts, again, now);
  if (sent) return sent;
  const id = recall(facts, onceScopes.sessionsOf(opens.session.project), opens.session.once)?.outcome.id;
  // The caller knows only the key, so the error must not mention the session ID.
  if (id !== undefined && !facts.sessions.has(id)) throw ledgerFailure("session_of_key_deleted", {});
  const receipt =
    id === undefined
      ? record(facts, request, newSession(opens.session), writes, true)
      : decideAppend(facts, request, id, writes, now);
  const session = facts.sessions.get(receipt.entry.sessionId);
  if (!session) throw new Error("a thought was recorded in a session that is not there");
  if (id === undefined) keepCreation(facts, writes, opens.session);
  if (!once && again) {
    const outcome = { sessionId: session.id, seq: receipt.entry.seq };
    keep(facts, writes, onceScopes.opening, { key: again.key, fingerprint: "" }, outcome, timestamp);
  }
  if (origin) bind(facts, writes, origin, session.id, timestamp);
  return { ...receipt, opened: toRecord(session, now) };
}

export const needsOfCreation = ({ once, ...draft }: SessionDraft): AppendNeeds => ({
  ...noNeeds(),
  keys: once ? [{ scope: onceScopes.sessionsOf(draft.project), key: once.key }] : [],
});

/** Creates a session without a thought. Repeating the key returns the same session. */
export function decideCreation(
  facts: AppendFacts,
  draft: SessionDraft,
  lastSeq: number,
  now: Date,
): { writes: LedgerWrites; outcome: SessionRecord } {
  const writes = noWrites(lastSeq);
  const id = recall(facts, onceScopes.sessionsOf(draft.project), draft.once)?.outcome.id;
  if (id === undefined) {
    noteNew(facts, newSession(draft), writes);
    keepCreation(facts, writes, draft);
  }
  const session = facts.sessions.get(id ?? draft.id);
  if (!session) throw ledgerFailure("session_of_key_deleted", {});
  return { writes, outcome: toRecord(session, now) };
}

function noteNew({ sessions }: AppendFacts, session: StoredSession, writes: LedgerWrites): void {
  writes.created.push(session);
  addChange(writes, session.id, "created", session.createdAt);
  sessions.set(session.id, session);
}

const keepCreation = (facts: AppendFacts, writes: LedgerWrites, draft: SessionDraft): void =>
  keep(facts, writes, onceScopes.sessionsOf(draft.project), draft.once, { id: draft.id }, draft.createdAt);

function learnThought(
  { sessions, chains }: AppendFacts,
  session: StoredSession,
  entry: ChainedThought,
): void {
  sessions.set(session.id, session);
  const known = chains.get(session.id);
  if (!known) return;
  const { branchId, thoughtNumber, branchFromThought, branchFromBranch } = entry.data;
  known.there.add(addressKey(entry.data));
  if (branchId === undefined) return;
  const branch = known.branches.get(branchId);
  if (branchFromThought === undefined) {
    if (branch) known.branches.set(branchId, { ...branch, highest: Math.max(branch.highest, thoughtNumber) });
    return;
  }
  const fork = { branchId: branchFromBranch, thoughtNumber: branchFromThought };
  known.branches.set(branchId, { fork, highest: thoughtNumber });
  known.branchIds?.push(branchId);
}

function replay({ entries }: AppendFacts, session: StoredSession, seq: number | undefined): AppendReceipt {
  const entry = seq === undefined ? undefined : entries.get(seq);
  if (!entry) throw ledgerFailure("thought_of_key_deleted", {});
  const { thoughtCount, branchCount } = session;
  return { entry, thoughtCount, branchCount, replayed: true };
}

function recall(facts: AppendFacts, scope: string, once: Once | undefined): Recorded | undefined {
  const known = once && facts.recorded.get(keyOf({ scope, key: once.key }));
  if (known) checkSameWrite(once, known);
  return known;
}

const recallOpened = (facts: AppendFacts, { session }: Opening): Recorded | undefined =>
  session.once &&
  facts.recorded.get(keyOf({ scope: onceScopes.sessionsOf(session.project), key: session.once.key }));

/** Returns the receipt of the same opening if it was recorded recently and its session still exists. */
function recallOpening(
  facts: AppendFacts,
  again: SentAgain | undefined,
  now: Date,
): AppendReceipt | undefined {
  const known = again && facts.recorded.get(keyOf({ scope: onceScopes.opening, key: again.key }));
  if (!known || known.at < again.since) return undefined;
  const { sessionId = "", seq } = known.outcome;
  const session = facts.sessions.get(sessionId);
  return session && { ...replay(facts, session, seq), opened: toRecord(session, now) };
}

/**
 * Records who sent the thought. If the client reports a conversation that has no current session, makes the
 * thought's session the current one.
 */
function noteOrigin(facts: AppendFacts, writes: LedgerWrites, origin: Origin, entry: ChainedThought): void {
  writes.origins.set(entry.seq, origin);
  const { conversations } = facts;
  const name = conversationOf(origin);
  const isNamed = origin.conversation !== "";
  if (conversations.has(name) && (!isNamed || conversations.get(name) !== undefined)) return;
  bind(facts, writes, origin, isNamed ? entry.sessionId : undefined, entry.data.timestamp);
}

function bind(
  facts: AppendFacts,
  writes: LedgerWrites,
  { principal, project, client, conversation }: Origin,
  sessionId: string | undefined,
  at: string,
): void {
  const key = { principal, project, client, conversation };
  facts.conversations.set(conversationOf(key), sessionId);
  writes.conversations.set(conversationOf(key), { key, sessionId, at });
}

function keep(
  { recorded }: AppendFacts,
  { outcomes }: LedgerWrites,
  scope: string,
  once: Once | undefined,
  outcome: Recorded["outcome"],
  at: string,
): void {
  if (!once) return;
  const kept: KeptOutcome = { scope, ...once, outcome, at };
  outcomes.push(kept);
  recorded.set(keyOf(kept), { fingerprint: once.fingerprint, at, outcome });
}

/** Adds the critique as a separate entry, chained to the session's earlier critiques. The thought does not change. */
export function decideCritique(
  session: StoredSession | undefined,
  thought: { seq: number; hash: string } | undefined,
  { address, ...request }: CritiqueRequest,
  lastSeq: number,
): LedgerWrites {
  if (!session || !thought) throw ledgerFailure("nothing_to_criticise", { address });
  const writes = noWrites(lastSeq);
  const position = session.critiqueCount + 1;
  const sealed = { ...request, position, prevHash: session.critiqueHead, thoughtHash: thought.hash };
  const hash = sealCritique(sealed);
  const seq = addChange(writes, session.id, "updated", request.timestamp);
  writes.critiques.push({ ...sealed, hash, seq, thoughtSeq: thought.seq });
  writes.advanced.set(session.id, { ...session, critiqueCount: position, critiqueHead: hash });
  return writes;
}

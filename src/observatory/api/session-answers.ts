import { branchIdPattern } from "../../domain/ledger/limits.ts";
import type { Session } from "../../domain/ledger/session.ts";
import { ThoughtboxError } from "../../kernel/errors.ts";
import { maxCount } from "../../kernel/numbers.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import type { NotebookStore } from "../../ports/notebook/notebook-store.ts";
import { type SessionShelf, thoughtsAfter } from "../session/session-shelf.ts";
import { toStory } from "../session/story.ts";
import { type Mask, type ReadSigns, signOf, toWireSession, toWireThought } from "../session/to-wire.ts";
import {
  type ObservatorySession,
  type ObservatoryThought,
  type SessionAnswer,
  type SessionsAnswer,
  type ThoughtAnswer,
  type ThoughtsAnswer,
  type VerifyAnswer,
  wire,
} from "../wire.ts";
import { type Ask, invalid, notFound, type Query } from "./answer.ts";

export type SessionSource = {
  ask: Ask;
  ledger: Pick<
    LedgerStore,
    | "readStride"
    | "readHead"
    | "readThoughts"
    | "listSessions"
    | "readFirstAgents"
    | "countMatches"
    | "findMatches"
  >;
  /** The only project that a locked server shows. */
  onlyProject: string | undefined;
  notebooks: Pick<NotebookStore, "readNotebook" | "readRun">;
  shelf: SessionShelf;
  mask: Mask;
  readSession(sessionId: string): Promise<Session | undefined>;
  readSigns: ReadSigns;
};

/** How many thoughts a list reads for its stories. Further sessions have no story. */
const storyBudget = 60_000;
/** A range ends early once it has at least this many characters of text. */
const rangeCharacters = 1024 * 1024;

type ListSource = Pick<SessionSource, "ask" | "ledger" | "onlyProject">;

export async function answerSessions(
  source: SessionSource,
  query: Query,
  storyThoughts = storyBudget,
): Promise<SessionsAnswer> {
  const { shelf, mask } = source;
  const hasStories = query.text("story") !== "false";
  const max = hasStories ? wire.sessionsPage : wire.headsPage;
  const listed = await listSessions(source, query, query.number("limit", { min: 1, max, standard: 20 }));
  const { sessions: found, total, hasMore, limit, offset } = listed;
  const [signs, agents] = await Promise.all([
    source.readSigns(),
    source.ledger.readFirstAgents(found.map(({ id }) => id)),
  ]);
  const sessions: ObservatorySession[] = [];
  let budget = hasStories ? storyThoughts : 0;
  for (const session of found) {
    const isAffordable = shelf.has(session.id) || (budget > 0 && session.thoughtCount <= budget);
    if (!shelf.has(session.id)) budget -= isAffordable ? session.thoughtCount : 0;
    const story = isAffordable ? toStory(await shelf.take(session.id)) : undefined;
    const agent = agents.get(session.id);
    sessions.push({
      ...toWireSession(session, mask),
      ...(agent !== undefined && { agent: mask(agent) }),
      ...signOf(session, signs, mask),
      ...(story && { story }),
    });
  }
  return { sessions, total, hasMore, limit, offset };
}

/** Reads session heads from the store in one go, because each page would sort all sessions again. */
async function listSessions({ ask, ledger, onlyProject }: ListSource, query: Query, limit: number) {
  const offset = query.number("offset", { min: 0, max: 1_000_000, standard: 0 });
  const project = query.text("project");
  const status = query.text("status");
  const search = query.text("search")?.slice(0, 200);
  if (limit <= wire.sessionsPage)
    return (await ask("session.list", {
      project: project ?? "*",
      status,
      search,
      limit,
      offset,
    })) as Listed;
  if (status !== undefined || search !== undefined)
    throw invalid(`If status or search is set, limit must be at most ${wire.sessionsPage}.`);
  const order = { tagMode: "all", sortBy: "updatedAt", sortOrder: "desc" } as const;
  const found = await ledger.listSessions({ project: onlyProject ?? project, limit, offset, ...order });
  return { ...found, limit, offset, hasMore: offset + found.sessions.length < found.total };
}

type Listed = { sessions: Session[]; total: number; hasMore: boolean; limit: number; offset: number };

export async function findSession(
  { readSession }: Pick<SessionSource, "readSession">,
  sessionId: string,
): Promise<Session> {
  const session = await readSession(sessionId);
  if (!session) throw notFound("This session was not found. It may be in another project or in the trash.");
  return session;
}

export async function readChain(
  { ledger }: SessionSource,
  sessionId: string,
): Promise<SessionAnswer["chain"]> {
  const head = await ledger.readHead(sessionId);
  return { length: head?.length ?? 0, headHash: head?.hash ?? "" };
}

/**
 * Returns a session with a page of its thoughts. The query chooses the page with `from` and `to`, or with
 * `offset` and `limit`.
 */
export async function answerSession(
  source: SessionSource,
  sessionId: string,
  query: Query,
): Promise<SessionAnswer> {
  const session = await findSession(source, sessionId);
  const story = toStory(await source.shelf.take(sessionId));
  return {
    session: {
      ...toWireSession(session, source.mask),
      ...signOf(session, await source.readSigns(), source.mask),
      ...(story && { story }),
    },
    chain: await readChain(source, sessionId),
    ...(await answerThoughts(source, sessionId, query)),
  };
}

export async function answerThought(
  source: SessionSource,
  sessionId: string,
  thoughtNumber: number,
  branchId: string | undefined,
): Promise<ThoughtAnswer> {
  await findSession(source, sessionId);
  const known = branchId === undefined || branchIdPattern.test(branchId);
  const [entry] = known
    ? await source.ledger.readThoughts(sessionId, { select: "one", thoughtNumber, branchId })
    : [];
  if (!entry) throw new ThoughtboxError("THOUGHT_NOT_FOUND", `This session has no thought ${thoughtNumber}.`);
  const columns = await source.shelf.take(sessionId);
  return { thought: toWireThought(entry, columns, { mask: source.mask, whole: true }), hash: entry.hash };
}

export async function answerThoughts(
  source: SessionSource,
  sessionId: string,
  query: Query,
): Promise<ThoughtsAnswer> {
  await findSession(source, sessionId);
  const columns = await source.shelf.take(sessionId);
  const offset = query.number("offset", { min: 0, max: maxCount, standard: 0 });
  const limit = query.number("limit", { min: 1, max: wire.wordsRange, standard: wire.wordsRange });
  const from = query.number("from", { min: 1, max: maxCount, standard: offset + 1 });
  const asked = query.number("to", { min: 1, max: maxCount, standard: from + limit - 1 });
  const last = Math.min(asked, from + limit - 1, columns.size);
  const thoughts: ObservatoryThought[] = [];
  let characters = 0;
  for await (const entry of thoughtsAfter(source.ledger, sessionId, from - 1)) {
    if (entry.position > last || characters >= rangeCharacters) break;
    const thought = toWireThought(entry, columns, { mask: source.mask });
    characters += thought.thought.length;
    thoughts.push(thought);
  }
  return { thoughts, from, to: from + thoughts.length - 1, total: columns.size };
}

type Verified = {
  chain: { valid: boolean; firstBad?: { position: number; problem: string } };
  errors: string[];
};

/**
 * Checks only the hash chain. Comparing the JSON files of a long session would take too long while a page is
 * opening.
 */
export async function answerVerify(
  { ask, mask }: Pick<SessionSource, "ask" | "mask">,
  sessionId: string,
): Promise<VerifyAnswer> {
  const { chain, errors } = (await ask("session.verify", { sessionId, files: false })) as Verified;
  return {
    valid: chain.valid,
    ...(chain.firstBad && {
      firstBad: { position: chain.firstBad.position, problem: mask(chain.firstBad.problem) },
    }),
    errors: errors.map(mask),
  };
}

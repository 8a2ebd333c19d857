import type { ThoughtDraft } from "./chain/append.ts";
import { type LedgerFacts, ledgerFailure } from "./failures.ts";
import type { SessionRecord, SessionState } from "./session.ts";
import type { Address, ChainedThought } from "./thought.ts";

/** Makes a write idempotent: a second call with the same key and content returns the first result. */
export type Once = { key: string; fingerprint: string };

/** The scope in which a key identifies a write. Keys in different scopes never collide. */
export const onceScopes = {
  /** For sessions that are opened by their first thought. The key is computed, not chosen by the caller. */
  opening: "opening",
  sessionsOf: (project: string) => `project:${project}`,
  session: (id: string) => `session:${id}`,
  knowledgeOf: (project: string) => `knowledge:${project}`,
  notebooksOf: (project: string) => `notebooks:${project}`,
  notebook: (id: string) => `notebook:${id}`,
  workspace: (name: string) => `memory:${name}`,
};

/** Refuses a key that was used for another write. */
export function checkSameWrite(once: Once, earlier: { fingerprint: unknown }): void {
  if (earlier.fingerprint !== once.fingerprint) throw ledgerFailure("key_reused", {});
}

/** Refuses a key if the result of its first call was deleted. */
export function requireResult<Result>(
  result: Result | undefined,
  what: LedgerFacts["result_of_key_deleted"]["what"],
): Result {
  if (result === undefined) throw ledgerFailure("result_of_key_deleted", { what });
  return result;
}

export type SessionDraft = {
  id: string;
  project: string;
  title: string;
  description?: string | undefined;
  tags: readonly string[];
  partitionPath?: string | undefined;
  createdAt: string;
  state: SessionState;
  once?: Once | undefined;
};

export type SessionEdit = {
  project?: string | undefined;
  title?: string | undefined;
  description?: string | undefined;
  tags?: readonly string[] | undefined;
};

/** Everything needed to append: the draft, the time and the parsed notation. */
export type AppendRequest = {
  draft: ThoughtDraft;
  timestamp: string;
  salt: string;
  cipher?: ChainedThought["data"]["cipher"];
  /** Set if the caller requested a critique. Stored for the analysis, which counts such requests. */
  critiqueRequested?: boolean | undefined;
  once?: Once | undefined;
  /** Set if the thought opens its session. Either both are stored or neither is. */
  opens?: Opening | undefined;
  /** Who sent the thought. An opened session becomes the current session of its conversation. */
  origin?: Origin | undefined;
  /** Set if the client may send an opening twice. The second call then returns the first receipt. */
  again?: SentAgain | undefined;
};

export type Opening = { session: SessionDraft };

/**
 * Identifies an opening by conversation and content. An earlier opening with the same key, recorded at `since` or
 * later, means that the client sent it twice.
 */
export type SentAgain = { key: string; since: string };

/**
 * Who wrote something: the server's principal and project, the client's name, and the conversation that the client
 * reports. `conversation` is empty if the client reports none.
 */
export type ConversationKey = { principal: string; project: string; client: string; conversation: string };

/** Stored with a thought, but not covered by its hash. Links the thought to the client's own transcript. */
export type Origin = ConversationKey & { toolUse?: string | undefined };

export type AppendReceipt = {
  entry: ChainedThought;
  /** Includes this thought. */
  thoughtCount: number;
  branchCount: number;
  /** True if an earlier call with the same idempotency key, or an identical call, recorded the thought. */
  replayed: boolean;
  /** Set if the thought opened its session, in this call or in an earlier identical one. */
  opened?: SessionRecord;
};

export type CritiqueRequest = {
  sessionId: string;
  address: Address;
  text: string;
  model: string;
  timestamp: string;
  salt: string;
};

import type { Address } from "./address.ts";
import type { ThoughtDraft } from "./chain/append.ts";
import { ledgerFailure } from "./failures.ts";
import type { SessionRecord, SessionState } from "./session.ts";
import type { ChainedThought } from "./thought.ts";

/** A write that names a key happens once: a second call with the same key and content gets the first result. */
export type Once = { key: string; fingerprint: string };

/** Where a key means the same write. Keys of different scopes never meet. */
export const onceScopes = {
  /** Sessions that the first thought opens; the key is computed from the text. */
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

/** Everything that is needed to append: the draft, what the caller's clock and parser say of it. */
export type AppendRequest = {
  draft: ThoughtDraft;
  timestamp: string;
  salt: string;
  cipher?: ChainedThought["data"]["cipher"];
  /** The caller wishes a critique; counted by analysis. */
  critiqueRequested?: boolean | undefined;
  once?: Once | undefined;
  /** The thought opens its session: both are stored, or neither. */
  opens?: Opening | undefined;
  /** Who sent it. An opening makes its session the conversation's. */
  origin?: Origin | undefined;
  /** If it may be an opening that was sent twice: the first receipt then counts. */
  again?: SentAgain | undefined;
};

export type Opening = { session: SessionDraft };

/** Which conversation says what: an opening with the same key at or after `since` is this one, sent again. */
export type SentAgain = { key: string; since: string };

/**
 * Who wrote something: the principal and project of the server it came to, the client by its own name, and the
 * conversation that the client says it is. `conversation` is empty if the client names none.
 */
export type ConversationKey = { principal: string; project: string; client: string; conversation: string };

/** Kept beside a thought, outside its hash: it joins the thought to the client's own transcript. */
export type Origin = ConversationKey & { toolUse?: string | undefined };

export type AppendReceipt = {
  entry: ChainedThought;
  /** Counted after this append. */
  thoughtCount: number;
  branchCount: number;
  /** True if an earlier call recorded it: one with the same idempotency key, or the same call sent again. */
  replayed: boolean;
  /** Where the thought opened its session, or is the one that did. */
  opened?: SessionRecord;
};

export type CritiqueRequest = {
  sessionId: string;
  address: Address;
  text: string;
  /** The model that answered. */
  model: string;
  timestamp: string;
  salt: string;
};

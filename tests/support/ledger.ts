import { randomUUID } from "node:crypto";
import type { ThoughtDraft } from "../../src/domain/ledger/chain/append.ts";
import { createChainVerifier } from "../../src/domain/ledger/chain/hash-chain.ts";
import type { ChainedThought } from "../../src/domain/ledger/thought.ts";
import { ThoughtboxError } from "../../src/kernel/errors.ts";
import { maskForExport } from "../../src/kernel/secrets/secrets-policy.ts";
import type {
  AppendReceipt,
  AppendRequest,
  LedgerStore,
  SearchPage,
  SearchQuery,
  SessionDraft,
} from "../../src/ports/ledger-store.ts";
import { noon, openStore, type StoreName, type StoreOptions } from "./stores/stores.ts";

/** Opens a separate store, for tests that need only its ledger. */
export const openLedger = (name: StoreName, options?: StoreOptions): LedgerStore =>
  openStore(name, options).ledger;

export function sessionDraft(more: Partial<SessionDraft> = {}): SessionDraft {
  return {
    id: randomUUID(),
    project: "_default",
    title: "A session",
    tags: [],
    createdAt: noon,
    state: { stage: 1, navigation: {} },
    ...more,
  };
}

export async function startSession(store: LedgerStore, more: Partial<SessionDraft> = {}): Promise<string> {
  const { session } = await store.createSession(sessionDraft(more));
  return session.id;
}

type Thinking = Partial<Omit<ThoughtDraft, "sessionId">> &
  Pick<Partial<AppendRequest>, "timestamp" | "cipher" | "once">;

function appendRequest(sessionId: string, thinking: Thinking = {}): AppendRequest {
  const { timestamp = noon, cipher, once, ...draft } = thinking;
  return {
    draft: { sessionId, thought: "a thought", nextThoughtNeeded: true, ...draft },
    timestamp,
    salt: randomUUID(),
    ...(cipher && { cipher }),
    once,
  };
}

export function think(
  store: LedgerStore,
  sessionId: string,
  thinking: Thinking = {},
): Promise<AppendReceipt> {
  return store.append(appendRequest(sessionId, thinking));
}

export function findWords(
  store: LedgerStore,
  query: string | undefined,
  more: Partial<SearchQuery> = {},
): Promise<SearchPage> {
  return store.search({
    query,
    order: "relevance",
    limit: 10,
    offset: 0,
    hideSecrets: maskForExport,
    ...more,
  });
}

/** Awaits a refusal. A success, or an error that is not ours, fails the test. */
export async function refusalOf(work: Promise<unknown>): Promise<ThoughtboxError> {
  const outcome = await work.then(
    (result) => new Error(`expected a refusal, got ${JSON.stringify(result)}`),
    (thrown: unknown) => thrown,
  );
  if (outcome instanceof ThoughtboxError) return outcome;
  throw outcome;
}

/** Returns every entry in a session in arrival order. */
export async function allEntries(store: LedgerStore, sessionId: string): Promise<ChainedThought[]> {
  const entries: ChainedThought[] = [];
  for (;;) {
    const page = await store.readEntries(sessionId, entries.at(-1)?.position ?? 0, 1_000);
    if (page.length === 0) return entries;
    entries.push(...page);
  }
}

/** Verifies the whole chain and returns its length. A broken chain fails the test. */
export async function verifyChain(store: LedgerStore, sessionId: string): Promise<number> {
  const head = await store.readHead(sessionId);
  if (!head) throw new Error(`session ${sessionId} is gone`);
  const verifier = createChainVerifier(sessionId);
  for (const entry of await allEntries(store, sessionId)) verifier.check(entry);
  const fault = verifier.finish(head);
  if (fault) throw new Error(`the chain is broken: ${JSON.stringify(fault)}`);
  return head.length;
}

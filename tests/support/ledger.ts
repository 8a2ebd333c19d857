import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ThoughtDraft } from "../../src/domain/ledger/chain/append.ts";
import { createChainVerifier } from "../../src/domain/ledger/chain/hash-chain.ts";
import type { ChainedThought } from "../../src/domain/ledger/thought.ts";
import type { Clock } from "../../src/kernel/clock.ts";
import { ThoughtboxError } from "../../src/kernel/errors.ts";
import { maskForOthers } from "../../src/kernel/secrets/secrets-policy.ts";
import type {
  AppendReceipt,
  AppendRequest,
  LedgerStore,
  SearchPage,
  SearchQuery,
  SessionDraft,
} from "../../src/ports/ledger-store.ts";
import type { Store } from "../../src/ports/store.ts";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { tempDir } from "./temp-dir.ts";

/** Every backend that the contract suites run over. */
export const ledgerBackends = ["memory", "fs"] as const;
export type LedgerBackend = (typeof ledgerBackends)[number];

/** The hour at which the tests take place, unless one brings its own clock. */
export const noon = "2026-11-15T12:00:00.000Z";

type StoreOptions = { directory?: string; clock?: Clock };

/** A store of the test's own, closed when the test is done. */
export function openStore(
  backend: LedgerBackend,
  { directory = join(tempDir(), "data"), clock = () => new Date(noon) }: StoreOptions = {},
): Store {
  const store = createSqliteStore(
    backend === "memory" ? { kind: "memory" } : { kind: "directory", path: directory },
    clock,
  );
  onTestFinished(() => store.close());
  return store;
}

/** The same, for tests that need nothing but its ledger. */
export const openLedger = (backend: LedgerBackend, options?: StoreOptions): LedgerStore =>
  openStore(backend, options).ledger;

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
    hideSecrets: maskForOthers,
    ...more,
  });
}

/** Awaits a refusal; a success, or a failure that is not ours, fails the test. */
export async function refusalOf(work: Promise<unknown>): Promise<ThoughtboxError> {
  const outcome = await work.then(
    (result) => new Error(`expected a refusal, got ${JSON.stringify(result)}`),
    (thrown: unknown) => thrown,
  );
  if (outcome instanceof ThoughtboxError) return outcome;
  throw outcome;
}

/** Every entry of a session in arrival order. */
export async function allEntries(store: LedgerStore, sessionId: string): Promise<ChainedThought[]> {
  const entries: ChainedThought[] = [];
  for (;;) {
    const page = await store.readEntries(sessionId, entries.at(-1)?.position ?? 0, 1_000);
    if (page.length === 0) return entries;
    entries.push(...page);
  }
}

/** Walks the whole chain and returns how many entries it proved; a broken one fails the test. */
export async function verifyChain(store: LedgerStore, sessionId: string): Promise<number> {
  const head = await store.readHead(sessionId);
  if (!head) throw new Error(`session ${sessionId} is gone`);
  const verifier = createChainVerifier(sessionId);
  for (const entry of await allEntries(store, sessionId)) verifier.check(entry);
  const fault = verifier.finish(head);
  if (fault) throw new Error(`the chain is broken: ${JSON.stringify(fault)}`);
  return head.length;
}

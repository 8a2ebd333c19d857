import { genesisHash, sealThought } from "../../src/domain/ledger/chain/hash-chain.ts";
import type { Session, SessionRecord } from "../../src/domain/ledger/session.ts";
import type { SealedThought } from "../../src/domain/ledger/tree/thought-file.ts";
import { stages } from "../../src/domain/stages/stages.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import type { SessionPart } from "../../src/ports/ledger-import.ts";
import type { Store } from "../../src/ports/store.ts";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { createProse, createRandom } from "./prose.ts";

/** The number of sessions, and the number of thoughts in each of them. */
export type Shelf = { sessions: number; thoughts: number; project?: string };

type Ledger = ReturnType<typeof createSqliteStore>;

const batchThoughts = 10_000;
const wordsOfThought = 30;
const firstMinute = Date.UTC(2026, 0, 1);
const partitionPath = "2026-01";
export const projectOfStores = "_default";

/** Returns a session's ID. IDs are numbered, so that rows can compute them. */
export const sessionIdOf = (shelf: number, n: number): string =>
  `${String(shelf).padStart(8, "0")}-0000-4000-8000-${String(n).padStart(12, "0")}`;

/**
 * Fills an empty store like an import. Marks the JSON files as written without writing them, because a
 * million small files would take minutes and no row reads them.
 */
export async function fillStore(dataDir: string, shelves: readonly Shelf[]): Promise<void> {
  const ledger = createSqliteStore({ kind: "directory", path: dataDir }, systemClock);
  try {
    await importShelves(ledger, shelves);
    await catchUpWords(ledger);
    await markProjected(ledger);
  } finally {
    await ledger.close();
  }
}

/** Imports the same thoughts into any store. */
export async function importShelves(
  { imports }: Pick<Store, "imports">,
  shelves: readonly Shelf[],
  atOnce = batchThoughts,
): Promise<void> {
  let batch: SessionPart[] = [];
  let held = 0;
  for (const part of partsOf(shelves)) {
    batch.push(part);
    held += part.entries.length;
    if (held < atOnce) continue;
    await imports.importParts(batch);
    [batch, held] = [[], 0];
  }
  await imports.importParts(batch);
}

function* partsOf(shelves: readonly Shelf[]): Generator<SessionPart> {
  const prose = createProse(createRandom(1));
  let minute = 0;
  for (const [shelf, { sessions, thoughts, project = projectOfStores }] of shelves.entries()) {
    for (let n = 0; n < sessions; n += 1) {
      minute += 1;
      const at = new Date(firstMinute + minute * 60_000).toISOString();
      yield* sessionParts(describeSession(sessionIdOf(shelf, n), project, at, prose(5)), thoughts, prose);
    }
  }
}

function* sessionParts(
  record: SessionRecord,
  thoughts: number,
  prose: (words: number) => string,
): Generator<SessionPart> {
  const { id: sessionId, createdAt: timestamp } = record.session;
  let prevHash = genesisHash;
  for (let done = 0; done < thoughts; done += batchThoughts) {
    const entries: SealedThought[] = [];
    for (let number = done + 1; number <= Math.min(done + batchThoughts, thoughts); number += 1) {
      const data = {
        thought: prose(wordsOfThought),
        thoughtNumber: number,
        totalThoughts: number,
        nextThoughtNeeded: true,
        timestamp,
      };
      const sealed = { sessionId, position: number, prevHash, salt: "0".repeat(32), data };
      prevHash = sealThought(sealed);
      entries.push({ ...sealed, hash: prevHash });
    }
    yield { record, entries, critiques: [] };
  }
}

function describeSession(id: string, project: string, at: string, title: string): SessionRecord {
  const session: Session = {
    id,
    title,
    tags: ["bench"],
    project,
    status: "active",
    thoughtCount: 0,
    branchCount: 0,
    partitionPath,
    createdAt: at,
    updatedAt: at,
    lastAccessedAt: at,
  };
  return { session, state: { stage: stages.cipher_loaded, navigation: {} } };
}

/** Runs a search, which first indexes new thoughts. */
async function catchUpWords(ledger: Ledger): Promise<void> {
  const hideSecrets = (text: string) => text;
  const page = await ledger.ledger.search({
    query: "nothing",
    order: "newest",
    limit: 1,
    offset: 0,
    hideSecrets,
  });
  if (page.unindexed > 0) throw new Error(`${page.unindexed} thoughts were not indexed`);
}

async function markProjected(ledger: Ledger): Promise<void> {
  const claim = { holder: "bench", boot: "bench", now: Date.now(), lastsMs: 60_000 };
  await ledger.projection.claimWriter(claim);
  const { last } = await ledger.projection.readMarks();
  await ledger.projection.noteProgress({ holder: claim.holder, projected: last, durable: last });
}

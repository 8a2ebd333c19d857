import { genesisHash, sealThought } from "../../src/domain/ledger/chain/hash-chain.ts";
import type { Session } from "../../src/domain/ledger/session.ts";
import type { SealedThought } from "../../src/domain/ledger/tree/thought-file.ts";
import { stages } from "../../src/domain/stages/stages.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import type { SessionPart } from "../../src/ports/ledger-import.ts";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { createProse, createRandom } from "../stores/prose.ts";

const dayMs = 24 * 60 * 60_000;
const yearMs = 365 * dayMs;
const betweenThoughtsMs = 20_000;
const types = "OQHEEECHPEAX";
const projects = ["shop", "infra", "notes", "search", "mobile", "billing", "web"];
const agents = ["claude-code", "codex", "cursor"];
const tagCount = 60;

export type Size = { sessions: number; thoughts: number };

/** Writes a year of work that ends now: sessions from seven projects and three agents, in cipher notation. */
export async function fillYear(dataDir: string, { sessions, thoughts }: Size): Promise<void> {
  const store = createSqliteStore({ kind: "directory", path: dataDir }, systemClock);
  const random = createRandom(7);
  const prose = createProse(random);
  const start = Date.now() - yearMs;
  try {
    let batch: SessionPart[] = [];
    for (let n = 0; n < sessions; n += 1) {
      const at = start + Math.floor(((n + 1) / sessions) * yearMs) - thoughts * betweenThoughtsMs;
      batch.push(sessionPart(n, at, thoughts, random, prose));
      if (batch.length < 100 && n + 1 < sessions) continue;
      for (const { refused } of await store.imports.importParts(batch))
        if (refused !== undefined) throw new Error(JSON.stringify(refused));
      batch = [];
    }
    const hideSecrets = (text: string) => text;
    // Indexes the new thoughts, because a search does that first.
    await store.ledger.search({ query: "nothing", order: "newest", limit: 1, offset: 0, hideSecrets });
  } finally {
    await store.close();
  }
}

function sessionPart(
  n: number,
  at: number,
  thoughts: number,
  random: () => number,
  prose: (words: number) => string,
): SessionPart {
  const sessionId = `00000001-0000-4000-8000-${String(n).padStart(12, "0")}`;
  const isEnded = n % 10 < 9;
  const createdAt = new Date(at).toISOString();
  const updatedAt = new Date(at + thoughts * betweenThoughtsMs).toISOString();
  const session: Session = {
    id: sessionId,
    title: prose(5),
    tags: [`tag-${n % tagCount}`, "bench"],
    project: projects[n % projects.length] ?? "",
    status: isEnded ? "completed" : "active",
    thoughtCount: 0,
    branchCount: 0,
    partitionPath: createdAt.slice(0, 7),
    createdAt,
    updatedAt,
    lastAccessedAt: updatedAt,
    ...(isEnded && { completedAt: updatedAt }),
  };
  const entries: SealedThought[] = [];
  let prevHash = genesisHash;
  for (let number = 1; number <= thoughts; number += 1) {
    const type = types[Math.floor(random() * types.length)] ?? "O";
    const before = number > 1 ? `S${number - 1}|` : "";
    const data = {
      thought: `S${number}|${type}|${before}${prose(25)}`,
      thoughtNumber: number,
      totalThoughts: number,
      nextThoughtNeeded: !(isEnded && number === thoughts),
      timestamp: new Date(at + number * betweenThoughtsMs).toISOString(),
      agentId: agents[n % agents.length] ?? "",
      cipher: [{ number, type, references: number > 1 ? [{ number: number - 1 }] : [] }],
    };
    const sealed = { sessionId, position: number, prevHash, salt: "0".repeat(32), data };
    prevHash = sealThought(sealed);
    entries.push({ ...sealed, hash: prevHash });
  }
  return {
    record: { session, state: { stage: stages.cipher_loaded, navigation: {} } },
    entries,
    critiques: [],
  };
}

/** Returns the page's first requests, in the order of a visit. */
export function visits(now = Date.now()): readonly { name: string; path: string }[] {
  const since = (days: number) => encodeURIComponent(new Date(now - days * dayMs).toISOString());
  const word = createProse(createRandom(7))(2).split(" ");
  return [
    { name: "home, 7 days, first time", path: `/api/home?since=${since(7)}` },
    { name: "home, 7 days, again", path: `/api/home?since=${since(7)}` },
    { name: "all conclusions of 7 days", path: `/api/home?since=${since(7)}&show=concluded` },
    { name: "100 sessions with stories", path: "/api/sessions?limit=100&offset=300" },
    { name: "1,000 heads of sessions", path: "/api/sessions?limit=1000&story=false&offset=5000" },
    { name: "search for one word", path: `/api/search?q=${word[0]}&limit=50` },
    { name: "search for two words", path: `/api/search?q=${word.join("%20")}&limit=50` },
    { name: "count of one word", path: `/api/search/sessions?q=${word[0]}` },
    { name: "count of two words", path: `/api/search/sessions?q=${word.join("%20")}` },
  ];
}

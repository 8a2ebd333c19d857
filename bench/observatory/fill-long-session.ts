import { genesisHash, sealThought } from "../../src/domain/ledger/chain/hash-chain.ts";
import type { Session } from "../../src/domain/ledger/session.ts";
import type { Thought } from "../../src/domain/ledger/thought.ts";
import type { SealedThought } from "../../src/domain/ledger/tree/thought-file.ts";
import { stages } from "../../src/domain/stages/stages.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { writeLongSession } from "../../ui/bench/long-session.ts";
import type { Columns } from "../../ui/model/columns.ts";
import { typeLetter } from "../../ui/model/thought-types.ts";

const sessionId = "00000000-0000-4000-8000-000000050000";
const batchThoughts = 10_000;

/** Fills an empty store with the session that `scripts/bench-graph.mjs` draws, including dead ends and revisions. */
export async function fillLongSession(dataDir: string, thoughts: number): Promise<string> {
  const columns = writeLongSession(thoughts);
  const at = new Date(columns.time[0] ?? 0).toISOString();
  const session: Session = {
    id: sessionId,
    title: `Nightly crawl, ${thoughts.toLocaleString("en")} findings`,
    tags: ["bench"],
    project: "_default",
    status: "active",
    thoughtCount: 0,
    branchCount: 0,
    partitionPath: at.slice(0, 7),
    createdAt: at,
    updatedAt: at,
    lastAccessedAt: at,
  };
  const record = { session, state: { stage: stages.cipher_loaded, navigation: {} } };
  const store = createSqliteStore({ kind: "directory", path: dataDir }, systemClock);
  try {
    let prevHash = genesisHash;
    for (let from = 0; from < columns.size; from += batchThoughts) {
      const entries: SealedThought[] = [];
      for (let i = from; i < Math.min(from + batchThoughts, columns.size); i += 1) {
        const data = thoughtAt(columns, i);
        const sealed = { sessionId, position: i + 1, prevHash, salt: "0".repeat(32), data };
        prevHash = sealThought(sealed);
        entries.push({ ...sealed, hash: prevHash });
      }
      const [outcome] = await store.imports.importParts([{ record, entries, critiques: [] }]);
      if (outcome?.refused !== undefined) throw new Error(JSON.stringify(outcome.refused));
    }
  } finally {
    await store.close();
  }
  return sessionId;
}

function thoughtAt(columns: Columns, i: number): Thought {
  const number = columns.number[i] ?? 0;
  const letter = typeLetter(columns.type[i] ?? 0);
  const chain = columns.chains[columns.chain[i] ?? 0];
  const fork = chain && chain.fork >= 0 && chain.thoughts[0] === i ? chain.fork : undefined;
  const forkBranch = fork === undefined ? "" : (columns.chains[columns.chain[fork] ?? 0]?.id ?? "");
  const revises = columns.revises[i] ?? -1;
  const revised = revises < 0 ? undefined : (columns.number[revises] ?? 0);
  return {
    thought: `S${number}|${letter}|${columns.text[i]}`,
    thoughtNumber: number,
    totalThoughts: number,
    nextThoughtNeeded: true,
    timestamp: new Date(columns.time[i] ?? 0).toISOString(),
    ...(revised !== undefined && {
      isRevision: true as const,
      revisesThought: revised,
      revises: { ...(chain?.id && { branchId: chain.id }), thoughtNumber: revised },
    }),
    ...(chain?.id && { branchId: chain.id }),
    ...(fork !== undefined && { branchFromThought: columns.number[fork] ?? 0 }),
    ...(forkBranch !== "" && { branchFromBranch: forkBranch }),
    cipher: [{ number, type: letter, references: [] }],
  };
}

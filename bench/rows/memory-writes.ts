import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/kernel/clock.ts";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { milliseconds } from "../figures.ts";
import { openSyncFloor } from "../floors/fdatasync.ts";
import { atMost } from "../goals.ts";
import { interleave } from "../measure/interleave.ts";
import { ratioOf, type Samples, sumOf } from "../measure/samples.ts";
import { settledTurn } from "../measure/settled-turn.ts";
import { timeEach } from "../measure/timing.ts";
import type { Bench, Line, Row } from "../row.ts";
import { candidates } from "../servers/candidates.ts";
import { callNoop } from "../servers/rivals.ts";
import type { StdioServer } from "../servers/stdio-server.ts";
import { callOperation } from "../servers/thinking.ts";
import { withServers } from "../servers/with-servers.ts";
import { workspace } from "../stores/fill-memory.ts";
import { copyFlat } from "../stores/known-memories.ts";
import { someThought } from "../stores/some-thought.ts";

export const memoryWrites: Row = {
  id: "memory-writes",
  about:
    "one write into a small and a large graph, ours and server-memory's, and a note against one fdatasync",

  async run(bench) {
    const [few, many, manyOfTheirs] = bench.quick ? [200, 2_000, 2_000] : [1_000, 50_000, 20_000];
    const small = await copyFlat(bench, few);
    const rivals = bench.stores.freshDirectory();
    const floor = openSyncFloor(small);
    const commands = {
      small: candidates.thoughtbox(small),
      large: candidates.thoughtbox(await copyFlat(bench, many)),
      notes: candidates.thoughtbox(await copyFlat(bench, few)),
      rivalSmall: candidates.memory(entitiesFile(rivals, few)),
      rivalLarge: candidates.memory(entitiesFile(rivals, manyOfTheirs)),
      noop: candidates.noop(),
    };
    const door = await withServers(commands, async (servers) => {
      const addNode = { small: createNodeAdder(servers.small), large: createNodeAdder(servers.large) };
      const addEntity = {
        small: createEntityAdder(servers.rivalSmall),
        large: createEntityAdder(servers.rivalLarge),
      };
      const turns = {
        small: () => settledTurn(addNode.small),
        large: () => settledTurn(addNode.large),
        rivalSmall: () => timeEach(2, addEntity.small),
        rivalLarge: () => timeEach(2, addEntity.large),
        note: () => settledTurn(() => addNote(servers.notes)),
        noop: () => settledTurn(() => callNoop(servers.noop)),
        sync: () => settledTurn(() => floor.append()),
      };
      await interleave(20, turns);
      return interleave(bench.times(40), turns);
    }).finally(() => floor.close());
    const store = await atTheStore(bench, await copyFlat(bench, few));

    const n = (count: number) => count.toLocaleString("en");
    return [
      compare(
        "flat",
        `graph_apply of one node, ${n(many)} nodes`,
        door.large,
        `Thoughtbox, ${n(few)} nodes`,
        door.small,
        1.2,
      ),
      compare(
        "rival-flat",
        `(server-memory: create_entities of one, ${n(manyOfTheirs)} entities)`,
        door.rivalLarge,
        `server-memory, ${n(few)} entities`,
        door.rivalSmall,
      ),
      compare(
        "rival",
        `graph_apply of one node (durable), ${n(many)} nodes`,
        door.large,
        `server-memory, ${n(manyOfTheirs)} entities`,
        door.rivalLarge,
      ),
      compare("note", "notes_commit", door.note, "no-op call + fdatasync", sumOf(door.noop, door.sync), 2),
      compare("note-store", "a note at the store", store.note, "fdatasync", store.sync, 1.3),
    ];
  },
};

function compare(
  id: string,
  what: string,
  ours: Samples,
  name: string,
  other: Samples,
  limit?: number,
): Line {
  const ratio = ratioOf(ours, other);
  return {
    id: `memory-writes.${id}`,
    what,
    ours: milliseconds(ours),
    against: { name, figure: milliseconds(other) },
    ratio,
    ...(limit !== undefined && { goal: atMost(limit, ratio) }),
  };
}

async function atTheStore(bench: Bench, dataDir: string) {
  const ledger = createSqliteStore({ kind: "directory", path: dataDir }, systemClock);
  const floor = openSyncFloor(dataDir);
  const append = () =>
    ledger.memory.commit(
      workspace,
      [{ do: "append", branch: "main", doc: "notes", entry: { kind: "note", content: someThought() } }],
      { at: new Date() },
    );
  const turns = {
    note: () => timeEach(25, append),
    sync: () => timeEach(25, () => floor.append()),
  };
  try {
    await interleave(5, turns);
    return await interleave(bench.times(40), turns);
  } finally {
    floor.close();
    await ledger.close();
  }
}

function createNodeAdder(server: StdioServer) {
  let added = 0;
  return () => {
    added += 1;
    const node = { op: "node_upsert", id: `added-${added}`, type: "fact", title: someThought() };
    return callOperation(server, "graph_apply", { workspace, branch: "main", ops: [node] });
  };
}

function createEntityAdder({ call }: StdioServer) {
  let added = 0;
  return () => {
    added += 1;
    const entity = { name: `added-${added}`, entityType: "fact", observations: [someThought()] };
    return call("create_entities", { entities: [entity] });
  };
}

const addNote = (server: StdioServer) =>
  callOperation(server, "notes_commit", { workspace, branch: "main", content: someThought() });

/** Writes entities in the format of server-memory. */
function entitiesFile(folder: string, count: number): string {
  const file = join(folder, `${count}.jsonl`);
  const lines = Array.from({ length: count }, (_, n) =>
    JSON.stringify({
      type: "entity",
      name: `entity-${n}`,
      entityType: "fact",
      observations: [someThought()],
    }),
  );
  writeFileSync(file, lines.join("\n"));
  return file;
}

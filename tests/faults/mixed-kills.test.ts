import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { connectRaw, type RawClient, startThinking } from "../support/raw-client.ts";
import { enoughTime, reportSoak, times } from "../support/run/soak.ts";
import { chanceFor, runSeed } from "../support/seeded-random.ts";
import { spawnServer } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { readChains } from "../support/views/read-session.ts";

const processes = 4;
const rounds = Math.ceil(times("mixed kills", 8) / processes);
const workspace = "acme/repo";
const kinds = ["thought", "branch", "note", "pair"] as const;
type Kind = (typeof kinds)[number];

/** For each kind, the names that were sent, and the place reported in each acknowledgement. */
type Oracle = Record<Kind, { sent: Set<string>; acknowledged: Map<string, string> }>;
const createOracle = (): Oracle =>
  Object.fromEntries(
    kinds.map((kind) => [kind, { sent: new Set<string>(), acknowledged: new Map<string, string>() }]),
  ) as Oracle;

const placeOf = (branchId: string | undefined, number: number): string => `${branchId ?? "main"}:${number}`;

/** Makes one write of a kind. Returns where the item was stored. */
async function write(client: RawClient, sessionId: string, kind: Kind, name: string): Promise<string> {
  switch (kind) {
    case "thought": {
      const { thoughtNumber } = await client.call("thought", { sessionId, thought: name });
      return placeOf(undefined, thoughtNumber);
    }
    case "branch": {
      const branchId = name.replace(/[^a-z0-9]/g, "-");
      const fork = { sessionId, thought: name, branchFromThought: 1, branchId };
      const { thoughtNumber } = await client.call("thought", fork);
      return placeOf(branchId, thoughtNumber);
    }
    case "note":
      return `${(await client.call("notes_commit", { workspace, content: name })).entry.seq}`;
    case "pair": {
      const ends = [`${name}.a`, `${name}.b`];
      const nodes = ends.map((id) => ({ op: "node_upsert", id, type: "fact" }));
      const edge = { op: "edge_upsert", from: ends[0], rel: "beside", to: ends[1] };
      await client.call("graph_apply", { workspace, ops: [...nodes, edge] });
      return "whole";
    }
  }
}

async function writeUntilKilled(dataDir: string, sessionId: string, writer: string, oracle: Oracle) {
  const { upTo } = chanceFor(writer);
  const client = await connectRaw(spawnServer(dataDir), "modern");
  const killAfter = 4 + upTo(30);
  let acknowledged = 0;
  const work = async (kind: Kind): Promise<void> => {
    for (let n = 0; ; n += 1) {
      const name = `${writer}-${kind}-${n}`;
      oracle[kind].sent.add(name);
      oracle[kind].acknowledged.set(name, await write(client, sessionId, kind, name));
      acknowledged += 1;
      if (acknowledged === killAfter) void delay(upTo(10)).then(() => client.server.child.kill("SIGKILL"));
    }
  };
  const ends = await Promise.allSettled(kinds.map(work));
  const [, signal] = await client.server.exited;
  expect(signal).toBe("SIGKILL");
  // A writer may stop only because of the kill.
  for (const end of ends)
    expect(String((end as PromiseRejectedResult).reason)).toContain("the server ended before it answered");
}

async function readAll(client: RawClient, operation: string, key: string, args: object): Promise<any[]> {
  const found: any[] = [];
  for (let cursor: unknown; ; ) {
    const page = await client.call(operation, { workspace, ...args, limit: 200, max_chars: 75_000, cursor });
    found.push(...page[key]);
    cursor = page.pagination.next_cursor;
    if (cursor === undefined) return found;
  }
}

/** Reads the store's current content by kind: the name of each item and its place. */
async function readStore(client: RawClient, sessionId: string): Promise<Record<Kind, [string, string][]>> {
  const chains = (await readChains(client, sessionId)).map(
    ({ thought, branchId, thoughtNumber }): [string, string, boolean] => [
      thought,
      placeOf(branchId, thoughtNumber),
      branchId === undefined,
    ],
  );
  const notes = await readAll(client, "show", "entries", { branch: "main", doc: "notes" });
  const nodes = await readAll(client, "graph_query", "nodes", { branch: "main", include_edges: false });
  const halves = new Map<string, number>();
  for (const { id } of nodes) halves.set(id.slice(0, -2), (halves.get(id.slice(0, -2)) ?? 0) + 1);
  return {
    thought: chains.flatMap(([text, place, isMain]) =>
      isMain && text !== "the first" ? [[text, place]] : [],
    ),
    branch: chains.flatMap(([text, place, isMain]) => (isMain ? [] : [[text, place]])),
    note: notes.map(({ content, seq }) => [content, `${seq}`]),
    pair: [...halves].map(([name, ends]) => [name, ends === 2 ? "whole" : "half"]),
  };
}

/**
 * Checks that everything acknowledged is in its place, that everything stored was sent and is stored once,
 * and that the store verifies.
 */
async function check(dataDir: string, sessionId: string, oracle: Oracle): Promise<void> {
  const client = await connectRaw(spawnServer(dataDir), "modern");
  const stored = await readStore(client, sessionId);
  for (const kind of kinds) {
    const held = new Map(stored[kind]);
    const { sent, acknowledged } = oracle[kind];
    expect(held.size, `each ${kind} is there once`).toBe(stored[kind].length);
    expect(
      [...acknowledged].filter(([name, place]) => held.get(name) !== place),
      kind,
    ).toEqual([]);
    expect(
      [...held.keys()].filter((name) => !sent.has(name)),
      kind,
    ).toEqual([]);
  }
  expect([...stored.pair].filter(([, ends]) => ends !== "whole")).toEqual([]);
  const stats = { nodes: stored.pair.length * 2, edges: stored.pair.length };
  expect(await client.call("graph_validate", { workspace })).toMatchObject({ ok: true, stats });
  const { valid, errors } = await client.call("session", { subOperation: "verify", sessionId });
  expect({ valid, errors }).toEqual({ valid: true, errors: [] });
  client.server.child.kill("SIGKILL");
  await client.server.exited;
}

test(`${rounds * processes} kill -9 of four processes during thoughts, branches, notes and node pairs lose nothing (seed ${runSeed})`, {
  timeout: enoughTime(rounds * processes, 3_000),
}, async () => {
  const dataDir = join(tempDir(), "data");
  const beginning = await connectRaw(spawnServer(dataDir), "modern");
  const sessionId = await startThinking(beginning);
  await beginning.call("thought", { sessionId, thought: "the first" });
  await beginning.call("init", { workspace });
  beginning.server.child.kill("SIGKILL");
  await beginning.server.exited;

  const oracle = createOracle();
  for (let round = 0; round < rounds; round += 1) {
    const writers = Array.from({ length: processes }, (_, n) => `${round}-${n}`);
    await Promise.all(writers.map((writer) => writeUntilKilled(dataDir, sessionId, writer, oracle)));
    await check(dataDir, sessionId, oracle);
  }
  const counts = kinds.map((kind) => oracle[kind].acknowledged.size);
  for (const count of counts) expect(count).toBeGreaterThan(rounds);
  const [thoughts, branches, notes, pairs] = counts;
  reportSoak(
    "kill -9 of four processes at once",
    `${rounds * processes} kills; acknowledged: ${thoughts} thoughts, ${branches} branches, ${notes} notes, ${pairs} pairs of nodes`,
  );
});

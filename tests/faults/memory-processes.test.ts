import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { connectRaw, type RawClient } from "../support/raw-client.ts";
import { enoughTime, reportSoak, times } from "../support/run/soak.ts";
import { chanceFor } from "../support/seeded-random.ts";
import { spawnServer } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const processes = 4;
const turns = 12;
const workspace = "acme/repo";
const { upTo } = chanceFor("memory processes");
const writers = Array.from({ length: processes }, (_, n) => n);

type Args = Record<string, unknown>;
type Json = Record<string, any>;

async function connect(dataDir: string) {
  const client = await connectRaw(spawnServer(dataDir), "modern");
  return {
    server: client.server,
    call: (operation: string, args: Args = {}) => client.call(operation, { workspace, ...args }),
    stop: () => stop(client),
  };
}
type Client = Awaited<ReturnType<typeof connect>>;

async function stop({ server }: Pick<RawClient, "server">): Promise<void> {
  server.child.kill("SIGKILL");
  await server.exited;
}

/** Reads every item in a paged list, in order. */
async function readAll({ call }: Client, operation: string, key: string, args: Args): Promise<Json[]> {
  const found: Json[] = [];
  for (let cursor: unknown; ; ) {
    const page = await call(operation, { ...args, limit: 200, max_chars: 75_000, cursor });
    found.push(...page[key]);
    cursor = page.pagination.next_cursor;
    if (cursor === undefined) return found;
  }
}

const notesOn = async (client: Client, branch: string): Promise<[number, string][]> =>
  (await readAll(client, "show", "entries", { branch, doc: "notes" }))
    .map(({ seq, content }): [number, string] => [seq, content])
    .sort(([one], [other]) => one - other);

const idsOn = async (client: Client, branch: string): Promise<string[]> =>
  (await readAll(client, "graph_query", "nodes", { branch, include_edges: false }))
    .map(({ id }) => id)
    .sort();

/** Everything that was acknowledged. */
type Acknowledged = { notes: Map<string, number>; nodes: Map<string, number>; seqs: number[] };
const nothing = (): Acknowledged => ({ notes: new Map(), nodes: new Map(), seqs: [] });

const node = (id: string) => ({ op: "node_upsert", id, type: "fact" });
const batchOf = (name: string) => [
  node(`${name}.a`),
  node(`${name}.b`),
  { op: "edge_upsert", from: `${name}.a`, rel: "r", to: `${name}.b` },
];

/** Writes a note and a batch of three operations on one branch. */
async function write({ call }: Client, branch: string, name: string, told: Acknowledged): Promise<void> {
  const { entry } = await call("notes_commit", { branch, content: name });
  told.notes.set(name, entry.seq);
  told.seqs.push(entry.seq);
  const { last_seq } = await call("graph_apply", { branch, ops: batchOf(name) });
  for (const id of [`${name}.a`, `${name}.b`]) told.nodes.set(id, last_seq);
  told.seqs.push(last_seq);
}

const merges = (branch: string): [string, Args][] => [
  ["merge", { from: branch, into: "main" }],
  ["graph_merge", { from: branch, into: "main" }],
];

test("four processes write notes, graphs and merges to one workspace, and everything is stored once", async () => {
  const dataDir = join(tempDir(), "data");
  const clients = await Promise.all(writers.map(() => connect(dataDir)));
  const [first] = clients as [Client];
  await Promise.all(clients.map(({ call }) => call("init")));
  for (const n of writers) await first.call("branch_create", { name: `w${n}` });

  const onMain = writers.map(nothing);
  const onBranches = writers.map(nothing);
  await Promise.all(
    clients.flatMap((client, n) => {
      const [main, own] = [onMain[n], onBranches[n]] as [Acknowledged, Acknowledged];
      const work = async (lane: number): Promise<void> => {
        for (let turn = 0; turn < turns; turn += 1) {
          await write(client, "main", `main-${n}.${lane}.${turn}`, main);
          await write(client, `w${n}`, `own-${n}.${lane}.${turn}`, own);
          // Merge the writer's branch and its neighbour's, so that several processes merge the same branch at once.
          const [operation, args] = merges(`w${(n + turn) % processes}`)[turn % 2] as [string, Args];
          if (turn % 3 === 0) await client.call(operation, args);
        }
      };
      return [work(0), work(1)];
    }),
  );
  await Promise.all(
    clients.flatMap(({ call }) =>
      writers.flatMap((n) => merges(`w${n}`).map(([operation, args]) => call(operation, args))),
    ),
  );

  const all = [...onMain, ...onBranches];
  const seqs = all.flatMap((told) => told.seqs);
  expect(new Set(seqs).size, "no number is given twice").toBe(seqs.length);
  const contents = all.flatMap(({ notes }) => [...notes.keys()]).sort();
  const ids = all.flatMap(({ nodes }) => [...nodes.keys()]).sort();
  expect(contents).toHaveLength(processes * 2 * turns * 2);

  const reader = await connect(dataDir);
  const seen = await Promise.all([...clients, reader].map((client) => notesOn(client, "main")));
  for (const other of seen) expect(other).toEqual(seen[0]);
  const held = new Map((seen[0] ?? []).map(([seq, content]) => [content, seq]));
  expect((seen[0] ?? []).map(([, content]) => content).sort(), "each once, the merged ones too").toEqual(
    contents,
  );
  for (const { notes } of onMain) for (const [content, seq] of notes) expect(held.get(content)).toBe(seq);
  for (const client of [first, reader]) {
    expect(await idsOn(client, "main")).toEqual(ids);
    expect(await client.call("graph_validate", { branch: "main" })).toMatchObject({
      ok: true,
      stats: { nodes: ids.length, edges: ids.length / 2 },
    });
    expect((await client.call("graph_conflicts", { into: "main" })).conflicts).toEqual([]);
    for (const n of writers) {
      const own = onBranches[n] as Acknowledged;
      const notes = (await notesOn(client, `w${n}`)).map(([seq, content]) => [content, seq]);
      expect(notes).toEqual([...own.notes].sort(([, one], [, other]) => one - other));
      expect(await idsOn(client, `w${n}`)).toEqual([...own.nodes.keys()].sort());
    }
  }
  expect(clients.map(({ server }) => server.stderr())).toEqual(clients.map(() => ""));
});

const rounds = Math.ceil(times("memory kills", 8) / processes);

/** Writes, merges and creates branches without a pause, until it is killed at a random moment. */
async function writeUntilKilled(
  dataDir: string,
  writer: string,
  told: Acknowledged,
  sent: Set<string>,
): Promise<void> {
  const client = await connect(dataDir);
  const { call } = client;
  let begun = 0;
  const work = async (lane: number): Promise<void> => {
    for (;;) {
      const name = `${writer}.${lane}.${begun++}`;
      sent.add(name);
      if (lane === 0) {
        const { note } = await call("macro_branch_note", { name: `b-${name}`, from: "main", content: name });
        told.notes.set(name, note.seq);
        told.seqs.push(note.seq);
      } else await write(client, lane === 1 ? "main" : "side", name, told);
      for (const [operation, args] of merges("side")) if (begun % 4 === 0) await call(operation, args);
      if (begun === 3) void delay(upTo(60)).then(() => client.server.child.kill("SIGKILL"));
    }
  };
  const ends = await Promise.allSettled([0, 1, 2].map(work));
  const [, signal] = await client.server.exited;
  expect(signal).toBe("SIGKILL");
  for (const end of ends)
    expect(String((end as PromiseRejectedResult).reason)).toContain("the server ended before it answered");
}

test(`${rounds * processes} kill -9 during notes, graphs, merges and new branches lose nothing and leave nothing half done`, {
  timeout: enoughTime(rounds * processes, 4_000),
}, async () => {
  const dataDir = join(tempDir(), "data");
  const beginning = await connect(dataDir);
  await beginning.call("branch_create", { name: "side" });
  await beginning.stop();
  const [told, sent] = [nothing(), new Set<string>()];
  for (let round = 0; round < rounds; round += 1)
    await Promise.all(writers.map((n) => writeUntilKilled(dataDir, `${round}.${n}`, told, sent)));

  const client = await connect(dataDir);
  expect(new Set(told.seqs).size).toBe(told.seqs.length);
  for (const [operation, args] of merges("side")) await client.call(operation, args);
  for (const [operation, args] of merges("side"))
    expect(await client.call(operation, args)).toMatchObject({ merged: 0 });

  const branches = (await readAll(client, "branch_list", "branches", {})).map(({ name }) => name as string);
  const made = branches.filter((name) => name.startsWith("b-"));
  const [main, side] = [await notesOn(client, "main"), await notesOn(client, "side")];
  const ownNotes = await Promise.all(
    made.map(async (name): Promise<[number, string]> => {
      const { entries } = await client.call("diff", { from: "main", to: name });
      expect([name, entries.length], "a new branch comes with its note").toEqual([name, 1]);
      return [entries[0].seq, entries[0].content];
    }),
  );
  const everywhere = new Map([...main, ...side, ...ownNotes].map(([seq, content]) => [`${seq}`, content]));
  for (const [content, seq] of told.notes) expect(everywhere.get(`${seq}`), content).toBe(content);
  for (const [, content] of [...main, ...ownNotes]) expect(sent.has(content), content).toBe(true);
  for (const list of [main, ownNotes]) {
    const contents = list.map(([, content]) => content);
    expect(new Set(contents).size, "nothing twice").toBe(contents.length);
  }
  for (const [, content] of side) expect(main.map(([, held]) => held)).toContain(content);

  const ids = await idsOn(client, "main");
  for (const id of told.nodes.keys()) expect(ids).toContain(id);
  const halves = new Map<string, number>();
  for (const id of ids) halves.set(id.slice(0, -2), (halves.get(id.slice(0, -2)) ?? 0) + 1);
  expect(
    [...halves.values()].every((count) => count === 2),
    "batches are whole",
  ).toBe(true);
  expect(await client.call("graph_validate", { branch: "main" })).toMatchObject({
    ok: true,
    stats: { nodes: ids.length, edges: halves.size },
  });
  expect(told.notes.size).toBeGreaterThan(rounds * processes);
  reportSoak("kill -9 in the memory", `${rounds * processes} kills, ${told.seqs.length} writes acknowledged`);
});

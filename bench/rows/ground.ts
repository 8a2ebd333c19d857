import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import type { GraphOp } from "../../src/domain/memory/graph.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { milliseconds } from "../figures.ts";
import { atMost } from "../goals.ts";
import { interleave } from "../measure/interleave.ts";
import { p50 } from "../measure/samples.ts";
import { timeEach } from "../measure/timing.ts";
import type { Bench, Row } from "../row.ts";
import { root } from "../servers/candidates.ts";
import { graphDoc, workspace } from "../stores/fill-memory.ts";
import { copyFlat, graphSizes } from "../stores/known-memories.ts";

const goalMs = 10;
/** Chains of decisions, each based on the one before. The last is based on a card pinned to one of the files. */
const [chains, length, files, callsInTurn] = [200, 10, 100, 10] as const;

const fileOf = (n: number): string => `src/file-${n % files}.ts`;
const cardOf = (chain: number, at: number): string => `GROUND-${chain}-${at}`;

/** The cost of showing whether the files that cards rest on have changed. */
export const ground: Row = {
  id: "ground",
  about: "cards that show whether pinned files changed, in a graph of 100,000 nodes",

  async run(bench) {
    const nodes = graphSizes(bench).at(-1) ?? 0;
    const { perform, close } = openApp(await fill(bench, nodes), makeRepository(bench));
    const tops = Array.from({ length: 50 }, (_, chain) => cardOf(chain, 0));
    const ask = (ids: readonly string[], marks: boolean) => () =>
      timeEach(callsInTurn, () => perform("graph_query", { workspace, doc: graphDoc, ids, marks }));
    const turns = {
      one: ask(tops.slice(0, 1), true),
      oneBare: ask(tops.slice(0, 1), false),
      page: ask(tops, true),
      pageBare: ask(tops, false),
      file: () => timeEach(callsInTurn, () => perform("why", { workspace, file: fileOf(1) })),
    };
    await interleave(2, turns);
    const { one, oneBare, page, pageBare, file } = await interleave(bench.times(20), turns);
    await close();
    const of = `${nodes.toLocaleString("en")} nodes`;
    return [
      {
        id: "ground.card",
        what: `a card on ${length} others with its ground, ${of}`,
        ours: milliseconds(one),
        against: { name: "without", figure: milliseconds(oneBare) },
        goal: atMost(goalMs, p50(one) - p50(oneBare), "ms more"),
      },
      {
        id: "ground.page",
        what: `${tops.length} such cards, ${of}`,
        ours: milliseconds(page),
        against: { name: "without", figure: milliseconds(pageBare) },
        goal: atMost(goalMs, p50(page) - p50(pageBare), "ms more"),
      },
      { id: "ground.file", what: `why of a file that cards are pinned to, ${of}`, ours: milliseconds(file) },
    ];
  },
};

async function fill(bench: Bench, nodes: number): Promise<string> {
  const dataDir = await copyFlat(bench, nodes);
  const store = createSqliteStore({ kind: "directory", path: dataDir }, systemClock);
  const write = (ops: GraphOp[]) =>
    store.memory.commit(workspace, [{ do: "apply_graph", branch: "main", doc: graphDoc, ops }], {
      at: new Date(),
    });
  for (let chain = 0; chain < chains; chain += 1) {
    const ids = Array.from({ length }, (_, at) => cardOf(chain, at));
    const pinned = { ground: { files: [{ path: fileOf(chain), blobs: ["0".repeat(40)] }] } };
    const cards = ids.map((id, at): GraphOp => {
      const card = { op: "node_upsert", id, type: "decision", title: `Decision ${id}` } as const;
      return at === length - 1 ? { ...card, tags: ["ground"], meta: pinned } : card;
    });
    const edges = ids
      .slice(1)
      .map((from, at): GraphOp => ({ op: "edge_upsert", from, rel: "supports", to: ids[at] ?? "" }));
    await write([...cards, ...edges]);
  }
  await store.close();
  return dataDir;
}

function makeRepository(bench: Bench): string {
  const repository = bench.stores.freshDirectory();
  mkdirSync(join(repository, "src"), { recursive: true });
  for (let n = 0; n < files; n += 1)
    writeFileSync(join(repository, fileOf(n)), `export const value = ${n};\n`);
  const named = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  const git = (...words: string[]) => execFileSync("git", ["-C", repository, ...named, ...words]);
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "-m", "start");
  return repository;
}

function openApp(dataDir: string, workingDirectory: string) {
  const app = createApp({
    config: readConfig({ env: { THOUGHTBOX_DATA_DIR: dataDir, THOUGHTBOX_WORKSPACE: workspace } }),
    version: "bench",
    contentDir: join(root, "content"),
    workingDirectory,
    log: () => {},
  });
  const caller = { era: "modern", transport: "cli", can: { roots: false, sampling: false } } as const;
  return {
    close: () => app.close(),
    async perform(name: string, args: object): Promise<void> {
      const reply = await app.perform(name, args, { caller, anyStage: true });
      if (reply.kind !== "result") throw new Error(`${name}: ${JSON.stringify(reply).slice(0, 500)}`);
    },
  };
}

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import type { GraphOp } from "../../src/domain/memory/graph.ts";
import { pinRange } from "../../src/domain/memory/ground.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { milliseconds } from "../figures.ts";
import { atMost } from "../goals.ts";
import { interleave } from "../measure/interleave.ts";
import { p50, type Samples } from "../measure/samples.ts";
import { timeEach } from "../measure/timing.ts";
import type { Bench, Line, Row } from "../row.ts";
import { root } from "../servers/candidates.ts";
import { graphDoc, workspace } from "../stores/fill-memory.ts";
import { copyFlat, graphSizes } from "../stores/known-memories.ts";

const goalMs = 10;
/**
 * Chains of decisions. Each decision is based on the previous one, and the last is pinned to lines in one of the files.
 */
const [chains, length, files, callsInTurn] = [200, 10, 100, 10] as const;
/** Lines per file, the line that changes with each commit, and the pinned lines, which include it. */
const [linesOfFile, changing, pinnedLines] = [200, 101, "100-104"] as const;

const fileOf = (n: number): string => `src/file-${n % files}.ts`;
const cardOf = (chain: number, at: number): string => `GROUND-${chain}-${at}`;

const textOf = (version: number, n: number): string =>
  Array.from(
    { length: linesOfFile },
    (_, line) => `export const setting${line} = ${line === changing ? `${version} + ${n}` : line};\n`,
  ).join("");

/**
 * Measures the cost of showing whether pinned files have changed, and the current text of the pinned lines.
 */
export const ground: Row = {
  id: "ground",
  about: "cards that show whether pinned files changed, in a graph of 100,000 nodes",

  async run(bench) {
    const nodes = graphSizes(bench).at(-1) ?? 0;
    const repository = makeRepository(bench);
    const { perform, close } = openApp(await fill(bench, nodes), repository.directory);
    repository.change();
    const tops = Array.from({ length: 50 }, (_, chain) => cardOf(chain, 0));
    const ask = (ids: readonly string[], marks: boolean) => async () => {
      const { nodes: cards } = await perform("graph_query", { workspace, doc: graphDoc, ids, marks });
      if (marks !== JSON.stringify(cards).includes(`${fileOf(0)}:${changing + 1} is now: export const`))
        throw new Error(`the cards do not show the current line: ${JSON.stringify(cards).slice(0, 500)}`);
    };
    const turn = (ids: readonly string[], marks: boolean) => () => timeEach(callsInTurn, ask(ids, marks));
    const turns = {
      one: turn(tops.slice(0, 1), true),
      oneBare: turn(tops.slice(0, 1), false),
      page: turn(tops, true),
      pageBare: turn(tops, false),
      file: () => timeEach(callsInTurn, () => perform("why", { workspace, file: fileOf(1) })),
      // Times an answer after a commit that changes every file.
      committed: () => {
        repository.change();
        return timeEach(1, ask(tops.slice(0, 1), true));
      },
      committedPage: () => {
        repository.change();
        return timeEach(1, ask(tops, true));
      },
    };
    await interleave(2, turns);
    const { one, oneBare, page, pageBare, file, committed, committedPage } = await interleave(
      bench.times(20),
      turns,
    );
    await close();
    const of = `${nodes.toLocaleString("en")} nodes`;
    const line = (id: string, what: string, [ours, bare]: readonly [Samples, Samples]): Line => ({
      id: `ground.${id}`,
      what: `${what}, ${of}`,
      ours: milliseconds(ours),
      against: { name: "without", figure: milliseconds(bare) },
      goal: atMost(goalMs, p50(ours) - p50(bare), "ms more"),
    });
    return [
      line("card", `a card on ${length} others whose file changed, with its current line`, [one, oneBare]),
      line("page", `${tops.length} such cards`, [page, pageBare]),
      line("commit", "such a card, first read after a commit that changed its file", [committed, oneBare]),
      {
        id: "ground.commit-page",
        what: `${tops.length} such cards, first read after a commit that changed all their files, ${of}`,
        ours: milliseconds(committedPage),
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
    const text = textOf(0, chain % files);
    const pin = {
      path: fileOf(chain),
      lines: pinnedLines,
      blobs: [blobOf(text)],
      range: pinRange(text, pinnedLines),
    };
    const pinned = { ground: { files: [pin] } };
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

const blobOf = (text: string): string =>
  createHash("sha1")
    .update(`blob ${Buffer.byteLength(text)}\0`)
    .update(text)
    .digest("hex");

/** Creates a repository that contains the pinned text in its first commit. */
function makeRepository(bench: Bench) {
  const directory = bench.stores.freshDirectory();
  mkdirSync(join(directory, "src"), { recursive: true });
  const named = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  const git = (...words: string[]) => execFileSync("git", ["-C", directory, ...named, ...words]);
  let version = 0;
  const commit = () => {
    for (let n = 0; n < files; n += 1) writeFileSync(join(directory, fileOf(n)), textOf(version, n));
    git("add", "--all");
    git("commit", "--quiet", "-m", `version ${version}`);
    version += 1;
  };
  git("init", "--quiet");
  commit();
  return { directory, change: commit };
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
    async perform(name: string, args: object): Promise<Record<string, unknown>> {
      const reply = await app.perform(name, args, { caller, anyStage: true });
      if (reply.kind !== "result") throw new Error(`${name}: ${JSON.stringify(reply).slice(0, 500)}`);
      return reply.result;
    },
  };
}

// Compares the processor time of two builds of Thoughtbox for the same calls, which they make in alternating blocks.
//
//   node bench/compare-builds.mjs <dist of the base> [<dist of this tree>] [--rounds 40] [--starts 3] [--only search]
//     [--profile <folder>]
//
// Each build runs in its own process on a store in RAM. The ratio is base/now. If the ratio is greater than
// 1, this tree is faster. The ratio is the median over all rounds, so a machine that slows down slows both
// sides.
//
// V8 compiles a function after some hundred calls, and its code is final only after thousands. `first` is the
// ratio for the first calls of a process, and `ratio` is the ratio after all code is compiled. Each kind of
// call runs in its own processes, so that no other call has compiled its code. Several processes measure each
// kind, because V8 does not optimise the code in the same way in each process.
import { fork } from "node:child_process";
import { once } from "node:events";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const workspace = "compared";
const words = "cache timeout retry index queue socket parser budget branch merge commit reader writer".split(
  " ",
);
const sentence = (n, length) =>
  Array.from({ length }, (_, at) => words[(n * 7 + at * (n % 5) + at) % words.length]).join(" ");

const micro = (taken) => `${taken.toFixed(0)} µs`.padStart(10);
const quantile = (values, part) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)];
const median = (values) => quantile(values, 0.5);

/** How many blocks the `first` column covers. */
const firstBlocks = 10;

/**
 * The calls that each build makes. `block` is the number of calls per turn, `warm` is the number of calls before the
 * rounds.
 */
const kinds = {
  thought: {
    block: 40,
    warm: 6000,
    call: (box, n, { sessionId }) =>
      box.call("thought", {
        sessionId,
        thought: `Thought ${n}: ${sentence(n, 20)}`,
        nextThoughtNeeded: true,
      }),
  },
  notes_commit: {
    block: 40,
    warm: 6000,
    call: (box, n) => box.call("notes_commit", { workspace, content: `Note ${n}: ${sentence(n, 20)}` }),
  },
  think_card: {
    block: 20,
    warm: 3000,
    call: (box, n) =>
      box.call("think_card", {
        workspace: "cards",
        card: { type: "evidence", title: `Card ${n}`, text: sentence(n, 20) },
      }),
  },
  tasks_create: {
    block: 20,
    warm: 3000,
    call: (box, n, { plan }) =>
      box.call("tasks_create", { workspace: "tasks", kind: "task", parent: plan, title: `Task ${n}` }),
  },
  graph_merge: {
    block: 10,
    warm: 300,
    async call(box, n) {
      const place = { workspace: "merges", branch: `branch-${n}` };
      await box.call("branch_create", { workspace: "merges", name: place.branch, from: "main" });
      await box.call("graph_apply", {
        ...place,
        ops: [{ op: "node_upsert", id: "node", type: "evidence", title: `Title ${n}` }],
      });
      await box.call("graph_merge", { workspace: "merges", from: place.branch, into: "main" });
    },
  },
  tasks_resume_super: {
    block: 10,
    warm: 1500,
    call: (box, _n, { resumed }) =>
      box.call("tasks_resume_super", { workspace, target: resumed, read_only: true }),
  },
  think_pack: { block: 10, warm: 1000, call: (box) => box.call("think_pack", { workspace }) },
  context_pack: { block: 10, warm: 1000, call: (box) => box.call("context_pack", { workspace }) },
  search: {
    block: 10,
    warm: 300,
    call: (box, n) => box.call("session.search", { query: `${words[n % words.length]} budget` }),
  },
  search_newest: {
    block: 10,
    warm: 1500,
    call: (box, n) => box.call("session.search", { query: words[n % words.length], order: "newest" }),
  },
};

if (process.send) await serveTurns();
else await compare();

/** Runs in the child process: warms up one build, then makes a block of calls on request. */
async function serveTurns() {
  const { createThoughtbox } = await import(pathToFileURL(join(process.argv[2], "index.mjs")).href);
  const box = await createThoughtbox({ storage: "memory", suggestions: false });
  const known = await fill(box);
  const counts = {};
  process.on("message", async ({ kind, calls }) => {
    if (kind === undefined) {
      await box.close();
      process.exit(0);
    }
    try {
      const before = process.cpuUsage();
      for (let call = 0; call < calls; call += 1) {
        counts[kind] = (counts[kind] ?? 0) + 1;
        await kinds[kind].call(box, counts[kind], known);
      }
      const { user, system } = process.cpuUsage(before);
      process.send({ taken: (user + system) / calls });
    } catch (thrown) {
      process.send({ failed: `${kind}: ${thrown.message}` });
    }
  });
  process.send({ ready: true });
}

/** Records fifteen sessions, a plan with three tasks, and a graph with some cards and notes. */
async function fill(box) {
  let sessionId;
  for (let session = 0; session < 15; session += 1) {
    sessionId = (await box.call("start_new", { title: `Session ${session}` })).sessionId;
    for (let n = 0; n < 40; n += 1)
      await box.call("thought", {
        sessionId,
        thought: sentence(session * 40 + n, 30),
        nextThoughtNeeded: true,
      });
  }
  const createPlan = async (place) =>
    (await box.call("tasks_create", { workspace: place, kind: "plan", title: "Plan" })).target.id;
  const [plan, resumed] = [await createPlan("tasks"), await createPlan(workspace)];
  for (let n = 0; n < 3; n += 1)
    await box.call("tasks_create", { workspace, kind: "task", parent: resumed, title: `Task ${n}` });
  const types = ["hypothesis", "evidence", "question", "decision"];
  for (let n = 0; n < 40; n += 1) {
    const card = { type: types[n % types.length], title: `Card ${n}`, text: sentence(n, 20) };
    await box.call("think_card", { workspace, card });
    await box.call("notes_commit", { workspace, content: sentence(n, 20) });
  }
  await box.call("graph_apply", {
    workspace: "merges",
    branch: "main",
    ops: [{ op: "node_upsert", id: "node", type: "evidence", title: "Title" }],
  });
  return { sessionId, plan, resumed };
}

async function compare() {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: "string", default: "40" },
      starts: { type: "string", default: "3" },
      only: { type: "string", multiple: true },
      profile: { type: "string" },
    },
  });
  const here = dirname(fileURLToPath(import.meta.url));
  const [base, now = join(here, "..", "dist")] = positionals;
  if (base === undefined) throw new Error("Name the dist folder of the base build.");
  const rounds = Number(values.rounds);
  process.stdout.write(`${"".padEnd(20)}       base        now  ratio    (middle half)   first\n`);
  for (const kind of Object.keys(kinds).filter((kind) => values.only?.includes(kind) ?? true)) {
    const taken = { base: [], now: [], first: [] };
    for (let start = 0; start < Number(values.starts); start += 1) {
      const builds = {
        base: await openBuild(base, values.profile),
        now: await openBuild(now, values.profile),
      };
      try {
        await measure(builds, kind, rounds, start, taken);
      } finally {
        await Promise.all(Object.values(builds).map((build) => build.close()));
      }
    }
    const ratios = taken.base.map((of, round) => of / taken.now[round]);
    const [low, high] = [0.25, 0.75].map((part) => quantile(ratios, part).toFixed(2));
    const row = [
      ...[kind.padEnd(20), micro(median(taken.base)), micro(median(taken.now))],
      ...[median(ratios).toFixed(2).padStart(6), `   (${low} to ${high})`],
      median(taken.first).toFixed(2).padStart(7),
    ];
    process.stdout.write(`${row.join(" ")}\n`);
  }
}

async function measure(builds, kind, rounds, start, taken) {
  const { block, warm } = kinds[kind];
  const inTurn = (turn) => (turn % 2 === 0 ? ["base", "now"] : ["now", "base"]);
  const first = {};
  for (const name of inTurn(start)) first[name] = await builds[name].take(kind, firstBlocks * block);
  taken.first.push(first.base / first.now);
  for (const name of inTurn(start)) await builds[name].take(kind, warm);
  for (let round = 0; round < rounds; round += 1)
    for (const name of inTurn(round)) taken[name].push(await builds[name].take(kind, block));
}

async function openBuild(dist, profile) {
  const child = fork(fileURLToPath(import.meta.url), [resolve(dist)], {
    execArgv: profile ? ["--cpu-prof", `--cpu-prof-dir=${profile}`, "--cpu-prof-interval=200"] : [],
  });
  const ended = once(child, "exit").then(() => ({ failed: "The process ended." }));
  const next = () => new Promise((resolved) => child.once("message", resolved));
  const answered = async () => {
    const message = await Promise.race([next(), ended]);
    if (message.failed) throw new Error(`${dist}: ${message.failed}`);
    return message;
  };
  await answered();
  return {
    async take(kind, calls) {
      child.send({ kind, calls });
      return (await answered()).taken;
    },
    async close() {
      if (child.connected) child.send({});
      await ended;
    },
  };
}

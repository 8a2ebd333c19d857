// Recreates the pictures in docs/images/ with the built application on its own server, in Debian's chromium.
// To recreate only some pictures, pass their names as arguments. Without arguments, all pictures are recreated.
// With `short`, pictures that take minutes are left out.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { importDay } from "./pictured-day.mjs";
import { createPicturedRepository } from "./pictured-repository.mjs";
import { writePicturedTranscript } from "./pictured-transcript.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const out = join(root, "docs", "images");
const { places, flags } = JSON.parse(readFileSync(join(root, "scripts", "chromium.json"), "utf8"));
const chromiumPath = places.find((place) => existsSync(place));
if (!chromiumPath) {
  console.error("thoughtbox: no chromium here. Install it (apt-get install chromium), then try again.");
  process.exit(1);
}

const [first, ...others] = process.argv.slice(2);
const isShort = first === "short";
const wanted = first === undefined || isShort ? undefined : [first, ...others];
const isWanted = (name) => (wanted ? wanted.includes(name) : !(isShort && name.startsWith("long-")));

const wide = { width: 1440, height: 900 };
const medium = { width: 1024, height: 720 };
const phone = { width: 400, height: 800 };

/**
 * The picture's name, the address after the origin, and the differences from a wide, dark page. `keys` are pressed in
 * order.
 */
const pictures = [
  ["first-run", "#/first"],
  ["graph-dark", "#/s/sample"],
  ["graph-light", "#/s/sample", { colorScheme: "light" }],
  ["detail", "#/s/sample/17"],
  ["outline", "#/s/sample/25?view=outline"],
  ["compare", "#/s/sample/compare/main..lock-wait"],
  ["replay", "#/s/sample?t=26"],
  ["search", "#/s/sample?q=vacuum"],
  ["folded", "#/s/sample?fold=slow-query,vacuum"],
  ["palette", "#/s/sample", { keys: ["Control+k", "i", "m", "p", "o", "r", "t"] }],
  ["keys", "#/s/sample", { keys: ["?"] }],
  ["medium", "#/s/sample/17", { viewport: medium, colorScheme: "light" }],
  ["phone-outline", "#/s/sample", { viewport: phone }],
  ["phone-graph", "#/s/sample?view=graph", { viewport: phone }],
  ["phone-detail", "#/s/sample/17", { viewport: phone, colorScheme: "light" }],
  ["sessions", "#/sessions"],
  ["board", "#/m"],
  ["memory", "#/m?view=cards"],
  ["memory-light", "#/m?view=cards", { colorScheme: "light" }],
];

const NEXT = { O: "QHOE", Q: "HEO", H: "EEAC", E: "EECHQ", C: "PHQ", P: "EO", A: "EH", R: "EC" };

/** Records a session with `count` thoughts, the same every time. */
async function think(call, title, count) {
  const { sessionId } = await call("start_new", { sessionTitle: title, tags: ["example"] });
  let state = count;
  const random = () => {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
  const next = (type) => {
    const after = NEXT[type];
    return random() < 0.03 ? "R" : after[Math.floor(random() * after.length)];
  };
  const record = (thought, more) => call("thought", { sessionId, thought, ...more });
  /** Records a branch. About half of the branches are dead ends. */
  const fork = async (number, name) => {
    const length = 3 + Math.floor(random() * 6);
    const isDeadEnd = random() < 0.5;
    const step = (at) => {
      const type = at === 0 ? "H" : at === length - 1 ? (isDeadEnd ? "X" : "C") : "E";
      return `S${number + at + 1}|${type}|S${number + at}|Way ${name}, step ${at + 1}`;
    };
    // Create the branch first, because concurrent calls arrive in any order.
    await record(step(0), { branchId: name, branchFromThought: number });
    await Promise.all(
      Array.from({ length: length - 1 }, (_, at) => record(step(at + 1), { branchId: name })),
    );
  };
  let type = "O";
  // Make many calls at once, because one transaction commits all waiting calls.
  let waiting = [];
  let forks = 0;
  for (let number = 1; number <= count; number++) {
    const text =
      number === 1 ? `S1|Q|${title}` : `S${number}|${type}|S${number - 1}|Finding ${number} of ${count}`;
    waiting.push(record(text, { nextThoughtNeeded: number < count }));
    if (waiting.length === 25 || number === count - 1) {
      await Promise.all(waiting);
      if (count > 40 && waiting.length === 25) {
        forks += 1;
        await fork(number - Math.floor(random() * 20), `way-${forks}`);
      }
      waiting = [];
    }
    type = next(type);
  }
  await Promise.all(waiting);
  return sessionId;
}

/** Records a task in progress: steps, a lease, a chain of cards, a gap in the memory, and a merge conflict. */
async function remember(call) {
  await call("init", {});
  await call("tasks_create", { title: "Reports by eight, every day" });
  await call("tasks_create", {
    parent: "PLAN-001",
    title: "Find why the nightly report is late",
    steps: [
      { title: "Measure the nightly jobs" },
      { title: "Test the join and the locks apart" },
      { title: "Decide what to change first" },
    ],
  });
  await call("tasks_create", {
    parent: "PLAN-001",
    title: "Watch the vacuum after the change",
    steps: [{ title: "Alert above 10 % dead tuples" }],
  });
  await call("tasks_focus_set", { target: "TASK-001" });
  await call("tasks_done", { path: "s:0" });
  await call("tasks_step_lease_claim", { path: "s:1", agent_id: "ada" });
  const at = { branch: "task/TASK-001", doc: "TASK-001-graph" };
  const card = (id, type, title, more = {}) => ({
    op: "node_upsert",
    id,
    type,
    title,
    status: "open",
    ...more,
  });
  const edge = (from, rel, to) => ({ op: "edge_upsert", from, rel, to });
  await call("graph_apply", {
    ...at,
    ops: [
      card("CARD-1", "frame", "The report must be there at eight", { tags: ["pinned"] }),
      card("CARD-2", "hypothesis", "The import holds locks the report waits for"),
      card("CARD-3", "test", "Read pg_locks every five seconds", { status: "done" }),
      card("CARD-4", "evidence", "The join waited three seconds for a row lock", { status: "done" }),
      card("CARD-5", "decision", "Import in batches of 5,000 rows", { text: "Short transactions first." }),
      card("CARD-6", "hypothesis", "A cancelled vacuum bloats the index"),
      card("CARD-7", "test", "Compare dead tuples before and after"),
      card("CARD-8", "evidence", "No sequential scan in the plan", { status: "done" }),
      card("CARD-9", "hypothesis", "The join lacks an index", { status: "rejected" }),
      card("CARD-10", "question", "Who cancels the vacuum at 02:10?"),
      card("CARD-11", "hypothesis", "The replica lags at night"),
      edge("CARD-2", "supports", "CARD-1"),
      edge("CARD-3", "supports", "CARD-2"),
      edge("CARD-4", "supports", "CARD-3"),
      edge("CARD-4", "supports", "CARD-2"),
      edge("CARD-5", "supports", "CARD-4"),
      edge("CARD-6", "supports", "CARD-1"),
      edge("CARD-7", "supports", "CARD-6"),
      edge("CARD-9", "supports", "CARD-1"),
      edge("CARD-8", "blocks", "CARD-9"),
    ],
  });
  await call("branch_create", { name: "smaller-batches", from: at.branch });
  const decide = (branch, title, text) =>
    call("graph_apply", { ...at, branch, ops: [card("CARD-5", "decision", title, { text })] });
  await decide(
    "smaller-batches",
    "Import in batches of 1,000 rows",
    "Short transactions first, then measure.",
  );
  await decide(at.branch, "Import in batches of 5,000 rows, by day", "Short transactions first.");
  await call("graph_merge", { from: "smaller-batches", into: at.branch, doc: at.doc });
}

/** Creates a notebook with a cell that was changed after it ran. Returns the address of the chart's cell. */
async function calculate(call, sessionId) {
  const { notebookId } = await call("notebook.create", {
    ...{ sessionId, name: "How long does the join wait?", language: "javascript" },
  });
  const add = (type, content, more = {}) =>
    call("notebook.add_cell", { sessionId, notebookId, type, content, ...more });
  await add("markdown", "Lock waits of the last seven nights, in seconds.");
  const nights = await add(
    "code",
    `const waits = { Mon: 2.8, Tue: 3.1, Wed: 2.9, Thu: 3.4, Fri: 3.0 };
export const nights = Object.entries(waits).map(([night, seconds]) => ({ night, seconds }));
nights`,
    { filename: "nights.js" },
  );
  const drawn = await add(
    "code",
    `import { nights } from "./nights.js";
const bars = nights.map(({ night, seconds }) => [night, seconds]);
display({ mime: "image/svg+xml", data: plot(bars, { kind: "bars", height: 200 }) });`,
    { filename: "drawn.js" },
  );
  const mean = await add("code", 'import { nights } from "./nights.js";\nnights.length', {
    filename: "mean.js",
  });
  for (const { cellId } of [nights, drawn, mean])
    await call("notebook.run_cell", { sessionId, notebookId, cellId });
  await call("notebook.update_cell", {
    ...{ sessionId, notebookId, cellId: drawn.cellId },
    content: `import { nights } from "./nights.js";
const bars = nights.map(({ night, seconds }) => [night, seconds]);
display({ mime: "image/svg+xml", data: plot(bars, { kind: "bars", height: 220, title: "Seconds per night" }) });
Math.max(...nights.map(({ seconds }) => seconds))`,
  });
  const recordAs = { sessionId, type: "E", references: [1] };
  await call("notebook.run_cell", { sessionId, notebookId, cellId: drawn.cellId, recordAs });
  await call("notebook.update_cell", {
    ...{ sessionId, notebookId, cellId: mean.cellId },
    content:
      'import { nights } from "./nights.js";\nnights.reduce((sum, { seconds }) => sum + seconds, 0) / nights.length',
  });
  return `#/n/${notebookId}/${drawn.cellId}`;
}

const runImport = (home, dataDir) =>
  spawnSync(process.execPath, [join(root, "dist", "thoughtbox.js"), "import", "--from", "claude-code"], {
    env: { ...process.env, CLAUDE_CONFIG_DIR: home, THOUGHTBOX_DATA_DIR: dataDir },
  });

/** Imports the transcript of a session with actions between its thoughts. Returns the session. */
async function importTranscript(call, dataDir) {
  const home = join(dataDir, "claude");
  writePicturedTranscript(home);
  runImport(home, dataDir);
  const { sessions } = await call("session.list", { project: "*", tags: ["transcript"] });
  return sessions[0];
}

/** Starts a server and waits until it answers. */
async function serve(dataDir, port, cwd = root) {
  const server = spawn(process.execPath, [join(root, "dist", "thoughtbox.js"), "serve"], {
    cwd,
    env: {
      ...process.env,
      THOUGHTBOX_DATA_DIR: dataDir,
      THOUGHTBOX_OBSERVATORY_PORT: String(port),
      PORT: String(port + 1000),
      HOST: "127.0.0.1",
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const origin = `http://127.0.0.1:${port}/`;
  for (let tries = 0; tries < 100; tries++) {
    if (
      await fetch(`${origin}api/health`).then(
        (answer) => answer.ok,
        () => false,
      )
    )
      break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { origin, stop: () => server.kill() };
}

const dataDir = mkdtempSync(join(tmpdir(), "thoughtbox-pictures-"));
const { createThoughtbox } = await import(pathToFileURL(join(root, "dist", "index.mjs")));
const thoughtbox = await createThoughtbox({ dataDir });
const call = (name, args) => thoughtbox.call(name, args);
await remember(call);
const port = 17_000 + (process.pid % 1000);
const server = await serve(dataDir, port);
const servers = [server];
const browser = await chromium.launch({ executablePath: chromiumPath, args: flags });
try {
  mkdirSync(out, { recursive: true });
  // In this time zone it is about 14:00, so that the last five hours are within a working day.
  const offset = 14 - new Date().getUTCHours();
  const timezoneId = `Etc/GMT${offset > 0 ? "-" : "+"}${Math.abs(offset)}`;
  const shoot = async (name, hash, { keys = [], since, origin = server.origin, ...options } = {}) => {
    if (!isWanted(name)) return;
    const page = await browser.newPage({
      viewport: wide,
      colorScheme: "dark",
      reducedMotion: "reduce",
      timezoneId,
      ...options,
    });
    if (since !== undefined) {
      const visit = JSON.stringify({ since, seen: Date.now() });
      await page.addInitScript((kept) => localStorage.setItem("thoughtbox.visit", kept), visit);
    }
    await page.goto(origin + hash);
    await page
      .locator(".fr, .tr, .nc, .ev, .kan, .ncell, .board h2, .cc, .zoom, .fm .say, .chr, [role=tree]")
      .first()
      .waitFor();
    await page.evaluate("document.fonts.ready");
    await page.waitForTimeout(600);
    for (const key of keys) await page.keyboard.press(key);
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(out, `${name}.png`) });
    await page.close();
  };
  await importDay(call);
  await shoot("home", "#/", { since: Date.now() - 5 * 60 * 60_000 });
  const one = await call("start_new", { sessionTitle: "One thought" });
  await call("thought", {
    sessionId: one.sessionId,
    thought: "S1|O|CI takes 19 minutes since we split the packages.",
  });
  pictures.push(["notebook", await calculate(call, one.sessionId)]);
  pictures.push(["one-thought", `#/s/${one.sessionId}`]);
  for (const [name, hash, options] of pictures) await shoot(name, hash, options);
  // This session is recorded after the others, because it would change their lists.
  const { id } = await importTranscript(call, dataDir);
  await shoot("captured", `#/s/${id}/7?view=outline`, { keys: ["Escape", "A"] });
  // The Files page shows the repository that its server was started in.
  const shop = join(dataDir, "shop");
  createPicturedRepository(shop, join(dataDir, "shop-home"));
  runImport(join(dataDir, "shop-home"), join(dataDir, "shop-data"));
  servers.push(await serve(join(dataDir, "shop-data"), port + 1, shop));
  const files = { origin: servers.at(-1).origin };
  await shoot("file", "#/f/src/payments/charge.ts?l=14-16", files);
  await shoot("changes", "#/f/changes/main...capture-key", { ...files, colorScheme: "light" });
  // These pictures are last, because recording them takes minutes.
  for (const count of [10_000, 50_000].filter((one) => isWanted(`long-${one}`)))
    await shoot(`long-${count}`, `#/s/${await think(call, `Nightly crawl, ${count} findings`, count)}`);
} finally {
  await thoughtbox.close();
  await browser.close();
  for (const { stop } of servers) stop();
  rmSync(dataDir, { recursive: true, force: true });
}

// Runs real clients, each with a scripted model. The clients search, record and resume thoughts, write a
// note, try a hypothesis on a branch and merge it, write a card, create a task and resume its plan with one
// call, and run a notebook. No call may fail. Prints what each client sent its model. `--keep` uses the
// clients already installed.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { copilot, opencode, qwen } from "./clients/chat-clients.mjs";
import { claudeCode } from "./clients/claude-code.mjs";
import { codex } from "./clients/codex.mjs";
import { tryConnected } from "./clients/connected.mjs";
import { gemini } from "./clients/gemini.mjs";
import { installClients } from "./clients/install.mjs";
import { startScriptedModel } from "./clients/scripted-model.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const binary = join(root, "dist", "thoughtbox.js");
const patienceMs = 120_000;

/** The environment of a user who has configured nothing. */
const bareEnv = Object.fromEntries(
  ["PATH", "LANG", "TMPDIR", "USER"].flatMap((key) => (process.env[key] ? [[key, process.env[key]]] : [])),
);

const pool = [
  { op: "node_upsert", id: "h1", type: "hypothesis", title: "The pool is too small", status: "open" },
  { op: "node_upsert", id: "t1", type: "test", title: "Double the pool for an hour" },
  { op: "edge_upsert", from: "t1", rel: "supports", to: "h1" },
];

const stories = {
  "search first": {
    script: follow([{ tool: "session_search", args: { query: "why is the build slow" } }]),
    check([found]) {
      if (!Array.isArray(found?.hits)) throw new Error(`nothing was searched: ${JSON.stringify(found)}`);
    },
  },
  "first thought": {
    script: follow([
      { tool: "thought", args: { thought: "S1|O|The build takes nine minutes" } },
      { tool: "thought", args: { thought: "S2|O|Eight of them in the linker" } },
    ]),
    check([recorded, second, ...more], transport) {
      if (more.length > 0) throw new Error(`it took ${more.length + 2} calls`);
      if (transport === "stdio" && second?.sessionId !== recorded?.sessionId)
        throw new Error(`the second thought opened another session: ${JSON.stringify(second)}`);
      if (recorded?.thoughtNumber !== 1 || !recorded.sessionOpened)
        throw new Error(`thought 1 was not recorded: ${JSON.stringify(recorded)}`);
    },
  },
  resume: {
    script([resumed, recorded]) {
      if (recorded) return { say: "Done." };
      if (!resumed) return { tool: "load_context", args: { latest: true } };
      return {
        tool: "thought",
        args: { sessionId: resumed.sessionId, thought: "S3|H|S1|It compiles twice" },
      };
    },
    check([resumed, recorded]) {
      if (!JSON.stringify(resumed?.lastThoughts ?? null).includes("Eight of them in the linker"))
        throw new Error(`the session was not resumed: ${JSON.stringify(resumed).slice(0, 500)}`);
      if (!(recorded?.thoughtNumber >= 2) || recorded.sessionId !== resumed.sessionId)
        throw new Error(`the next thought was not recorded: ${JSON.stringify(recorded)}`);
    },
  },
  remember: {
    script: follow([
      { tool: "notes_commit", args: { title: "Observation", content: "Reads are slow since noon." } },
      operation("macro_branch_note", { name: "try/pool", content: "What if the pool were larger?" }),
      operation("graph_apply", { ops: pool }),
      operation("graph_merge", { from: "try/pool", merge_to_base: true }),
      operation("checkout", { ref: "main" }),
    ]),
    check(results) {
      const [noted, tried, applied, merged, back] = results;
      if (noted?.entry?.branch !== "main") throw new Error(`nothing was noted: ${JSON.stringify(noted)}`);
      if (tried?.branch?.created !== true) throw new Error(`no branch was made: ${JSON.stringify(tried)}`);
      if (applied?.applied?.nodes_upserted !== 2 || applied.branch !== "try/pool")
        throw new Error(`the graph was not changed: ${JSON.stringify(applied)}`);
      if (merged?.merged !== 3 || merged.conflicts_created !== 0)
        throw new Error(`it was not merged: ${JSON.stringify(merged)}`);
      if (results.length !== 5 || back?.current !== "main")
        throw new Error(`it is not back on main: ${JSON.stringify(back)}`);
    },
  },
  recall: {
    script: follow([
      { tool: "context_pack", args: {} },
      { tool: "open", args: { id: "h1" } },
      operation("graph_query", { text: "pool" }),
      { tool: "recall", args: { question: "why are reads slow since noon" } },
    ]),
    check([packed, opened, found, known]) {
      if (!JSON.stringify(packed ?? null).includes("Reads are slow since noon."))
        throw new Error(`the note is not in the pack: ${JSON.stringify(packed).slice(0, 500)}`);
      if (!JSON.stringify(opened ?? null).includes("The pool is too small"))
        throw new Error(`the hypothesis does not open: ${JSON.stringify(opened).slice(0, 500)}`);
      if (found?.nodes?.[0]?.id === undefined || found.edges?.[0]?.rel !== "supports")
        throw new Error(`the graph was not found: ${JSON.stringify(found).slice(0, 500)}`);
      if (!JSON.stringify(known?.notes ?? null).includes("Reads are slow since noon."))
        throw new Error(`the note was not recalled: ${JSON.stringify(known).slice(0, 500)}`);
    },
  },
  card: {
    script: follow([
      {
        tool: "think_card",
        args: { type: "decision", title: "Link with mold", text: "It is four times faster." },
      },
    ]),
    check([written]) {
      if (written?.card_id === undefined) throw new Error(`no card was written: ${JSON.stringify(written)}`);
    },
  },
  task: {
    script: follow([
      { tool: "tasks_create", args: { title: "Faster builds", steps: ["Measure the linker", "Change it"] } },
      { tool: "tasks_close_step", args: { target: "TASK-001", path: "s:0", checkpoints: "all" } },
    ]),
    check([created, closed]) {
      if (created?.target?.id !== "TASK-001" || created.steps?.length !== 2)
        throw new Error(`no task was created: ${JSON.stringify(created)}`);
      if (closed?.target?.id !== "TASK-001") throw new Error(`no step was closed: ${JSON.stringify(closed)}`);
    },
  },
  "resume a plan": {
    script: follow([{ tool: "context_pack", args: { target: "PLAN-001" } }]),
    check([pack, ...more]) {
      const [task] = pack?.board?.tasks ?? [];
      if (more.length > 0 || task?.id !== "TASK-001" || !task.step?.includes("Change it"))
        throw new Error(`the plan was not resumed: ${JSON.stringify(pack).slice(0, 500)}`);
    },
  },
  "resume a task": {
    script: follow([operation("tasks_resume_super", { target: "TASK-001" })]),
    check([pack]) {
      if (!pack?.capsule?.next?.title?.includes("Change it"))
        throw new Error(`the task was not resumed: ${JSON.stringify(pack).slice(0, 500)}`);
    },
  },
  notebook: {
    script(results) {
      const [{ sessionId } = {}, , { notebookId } = {}] = results;
      const cell = { type: "code", filename: "minutes.js", content: "8 * 60 + 60" };
      return follow([
        operation("start_new", { sessionTitle: "How many minutes" }),
        operation("cipher", { sessionId }),
        operation("notebook.create", { sessionId, name: "Minutes" }),
        operation("notebook.add_cell", { sessionId, notebookId, ...cell }),
        operation("notebook.run_cell", { sessionId, notebookId, cellId: cell.filename }),
      ])(results);
    },
    check(results) {
      if (!JSON.stringify(results[4] ?? null).includes("540"))
        throw new Error(`the cell did not run: ${JSON.stringify(results.at(-1)).slice(0, 500)}`);
    },
  },
};

/** Operations that are not in the daily tool list are called through the gateway. */
function operation(name, args) {
  return { tool: "thoughtbox_gateway", args: { operation: name, args } };
}

/** Returns a script that makes these calls in order and then says `Done.` */
function follow(calls) {
  return (results) => calls[results.length] ?? { say: "Done." };
}

/** Runs one client once. Resolves with what the client's model received. */
async function runClient(client, programs, story, place) {
  const model = await startScriptedModel(client.dialect, story.script);
  try {
    const { args, env } = client.prepare({ ...place, modelUrl: model.url });
    const work = join(place.folder, "work");
    mkdirSync(work, { recursive: true });
    const child = spawn(join(programs, client.program), args, {
      cwd: work,
      env: { ...bareEnv, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: patienceMs,
    });
    const [said, complained, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);
    try {
      if (model.seen.failure) throw model.seen.failure;
      if (code !== 0) throw new Error(`it ended with ${code}`);
      const failed = model.seen.results.find(({ code, error }) => code ?? error?.code);
      if (failed) throw new Error(`a call failed: ${JSON.stringify(failed).slice(0, 500)}`);
      story.check(model.seen.results, place.url === undefined ? "stdio" : "HTTP");
    } catch (error) {
      throw new Error(`${error.message}\n${`${said}\n${complained}`.trim().slice(-2_000)}`);
    }
    return model.seen;
  } finally {
    await model.close();
  }
}

async function serveHttp(dataDir) {
  const child = spawn(process.execPath, [binary, "serve"], {
    env: { ...bareEnv, THOUGHTBOX_DATA_DIR: dataDir, PORT: "0", THOUGHTBOX_OBSERVATORY_PORT: "0" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  const url = await new Promise((resolve, reject) => {
    child.stderr.on("data", (chunk) => {
      said += chunk;
      const found = /serves MCP at (\S+)/.exec(said)?.[1];
      if (found) resolve(found);
    });
    child.once("exit", () => reject(new Error(`the server ended: ${said}`)));
  });
  const stop = () => {
    child.kill("SIGTERM");
    return once(child, "exit");
  };
  return { url, stop };
}

async function tryClient(client, programs, transport) {
  const folder = mkdtempSync(join(tmpdir(), "thoughtbox-client-"));
  const dataDir = join(folder, "data");
  const stdio = { command: process.execPath, args: [binary, "stdio"], env: { THOUGHTBOX_DATA_DIR: dataDir } };
  const http = transport === "HTTP" ? await serveHttp(dataDir) : undefined;
  const place = { folder, ...(http ? { url: http.url } : { stdio }) };
  const rows = [];
  try {
    for (const [name, story] of Object.entries(stories)) {
      if (!isWanted(client.name, transport, name)) continue;
      const row = { client: client.name, transport, story: name };
      try {
        rows.push({ ...row, seen: await runClient(client, programs, story, place) });
      } catch (error) {
        rows.push({ ...row, error });
        break;
      }
    }
  } finally {
    await http?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return rows;
}

const number = (value) => value.toLocaleString("en").padStart(9);

function print({ client, transport, story, seen, error }) {
  const head = `${client.padEnd(12)} ${transport.padEnd(6)} ${story.padEnd(14)}`;
  if (error) console.log(`${head} FAILED: ${error.message}`);
  else
    console.log(
      `${head} ok  ${number(seen.requests)} ${number(seen.bytes)} ${number(seen.ownBytes)} ${number(seen.tools.length)} ${number(seen.looked.size)}`,
    );
}

const versionOf = (programs, { program }) =>
  spawnSync(join(programs, program), ["--version"], { encoding: "utf8" }).stdout.trim();

/** `--only=Codex,stdio` runs only combinations whose client, transport or story contains these words. */
const only = (process.argv.find((arg) => arg.startsWith("--only="))?.slice(7) ?? "")
  .split(",")
  .filter(Boolean);
const isWanted = (...names) => only.every((word) => names.join(" ").includes(word));

try {
  const programs = installClients(root, { keep: process.argv.includes("--keep") });
  const clients = [codex, claudeCode, gemini, copilot, opencode, qwen];
  console.log(clients.map((client) => `${client.name}: ${versionOf(programs, client)}`).join("\n"));
  console.log("\nclient       over   story           ok   requests bytes sent our tools    loaded  searched");
  const rows = [];
  for (const client of clients)
    for (const transport of ["stdio", "HTTP"]) {
      const tried = await tryClient(client, programs, transport);
      tried.forEach(print);
      rows.push(...tried);
    }
  const connected = {
    ...{ "claude-code": claudeCode, codex, "gemini-cli": gemini },
    ...{ "qwen-code": qwen, "copilot-cli": copilot, opencode },
  };
  for (const [name, client] of Object.entries(connected)) {
    if (!isWanted(client.name, "connected")) continue;
    const error = await tryConnected(client, name, { programs, binary, env: bareEnv }).then(
      () => undefined,
      (thrown) => thrown,
    );
    rows.push({ error });
    console.log(
      `${client.name.padEnd(12)} connected: ${error ? `FAILED: ${error.message}` : "recorded live, found and recalled without a call"}`,
    );
  }
  process.exitCode = rows.some(({ error }) => error) ? 1 : 0;
} catch (error) {
  console.error(`test:clients: ${error.message}`);
  process.exitCode = 1;
}

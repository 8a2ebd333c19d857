// Records the fixtures in tests/support/recorded. Each client works with a scripted model. The files that a
// client writes about that session are kept, with the scratch directory renamed. `--keep` uses the clients
// that are already installed. `--only=opencode` records only that client.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { json, text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { copilot, opencode, qwen } from "./clients/chat-clients.mjs";
import { gemini } from "./clients/gemini.mjs";
import { installClients } from "./clients/install.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const kept = join(root, "tests", "support", "recorded");
const patienceMs = 180_000;
const only = process.argv.find((arg) => arg.startsWith("--only="))?.slice(7);

const before = "export const pool = {\n  size: 10,\n};\n";
const commit = "git add -A && git -c user.name=Ada -c user.email=ada@example.com commit -m pool";

/** Returns the work, which is the same for every client, as the client's own tool calls. */
function storyOf({ write, edit, shell, delegate }) {
  return [
    { think: "Checkout times out when 40 workers share ten connections.", ...write("pool.ts", before) },
    edit("pool.ts", "  size: 10,", "  size: 40,"),
    { think: "Does the test agree?", ...shell("echo 1 failed; exit 3") },
    shell(commit),
    ...(delegate ? [delegate, { think: "The proxy closes after 60 s.", say: "Its timeout is 60 s." }] : []),
    { say: "We decided to raise the pool to 40, because ten connections starve 40 workers." },
  ];
}

const subject = "Look at the proxy";
const recorded = {
  "gemini-cli": {
    client: gemini,
    story: {
      write: (path, content) => ({ tool: "write_file", args: { file_path: `$WORK/${path}`, content } }),
      edit: (path, old_string, new_string) => ({
        tool: "replace",
        args: { file_path: `$WORK/${path}`, instruction: "Raise it", old_string, new_string },
      }),
      shell: (command) => ({ tool: "run_shell_command", args: { command } }),
    },
    files: (home) => filesBelow(join(home, ".gemini", "tmp"), /\.jsonl$/),
  },
  "qwen-code": {
    client: qwen,
    story: {
      write: (path, content) => ({ tool: "write_file", args: { file_path: `$WORK/${path}`, content } }),
      edit: (path, old_string, new_string) => ({
        tool: "edit",
        args: { file_path: `$WORK/${path}`, old_string, new_string },
      }),
      shell: (command) => ({ tool: "run_shell_command", args: { command, is_background: false } }),
      delegate: {
        tool: "agent",
        args: {
          description: subject,
          prompt: subject,
          subagent_type: "general-purpose",
          run_in_background: false,
        },
      },
    },
    files: (home) => filesBelow(join(home, ".qwen", "projects"), /\.jsonl$/),
  },
  "copilot-cli": {
    client: copilot,
    story: {
      write: (path, file_text) => ({ tool: "create", args: { path: `$WORK/${path}`, file_text } }),
      edit: (path, old_str, new_str) => ({ tool: "edit", args: { path: `$WORK/${path}`, old_str, new_str } }),
      shell: (command) => ({ tool: "bash", args: { command, description: "Run it" } }),
      delegate: {
        tool: "task",
        args: {
          name: "proxy",
          description: subject,
          prompt: subject,
          agent_type: "general-purpose",
          mode: "sync",
        },
      },
    },
    files: (home) => filesBelow(join(home, ".copilot", "session-state"), /\.jsonl$/),
  },
  opencode: {
    client: opencode,
    story: {
      write: (path, content) => ({ tool: "write", args: { filePath: `$WORK/${path}`, content } }),
      edit: (path, oldString, newString) => ({
        tool: "edit",
        args: { filePath: `$WORK/${path}`, oldString, newString },
      }),
      shell: (command) => ({ tool: "bash", args: { command, description: "Run it" } }),
      delegate: {
        tool: "task",
        args: { description: subject, prompt: subject, subagent_type: "general" },
      },
    },
    files: async (home) => ({
      "opencode.sql": await dumpDatabase(join(home, ".local", "share", "opencode", "opencode.db")),
    }),
  },
};

function filesBelow(folder, wanted) {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    wanted.test(name),
  );
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** Returns the tables that contain the session, as statements that recreate them. */
async function dumpDatabase(file) {
  const { DatabaseSync } = await import("@photostructure/sqlite");
  const db = new DatabaseSync(file, { readOnly: true });
  const quote = (value) =>
    value === null ? "NULL" : typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
  const tables = db
    .prepare(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name IN ('project', 'session', 'message', 'part')",
    )
    .all();
  const statements = tables.flatMap(({ name, sql }) => [
    sql,
    ...db
      .prepare(`SELECT * FROM "${name}"`)
      .all()
      .map(
        (row) =>
          `INSERT INTO "${name}" (${Object.keys(row)
            .map((key) => `"${key}"`)
            .join(", ")}) VALUES (${Object.values(row).map(quote).join(", ")})`,
      ),
  ]);
  db.close();
  return `${statements.join(";\n")};\n`;
}

async function record(name, programs) {
  const { client, story, files } = recorded[name];
  const home = mkdtempSync(join(tmpdir(), "thoughtbox-record-"));
  const work = join(home, "shop");
  mkdirSync(work);
  execFileSync("git", ["init", "-q"], { cwd: work });
  const steps = storyOf(story);
  let at = 0;
  const model = createServer(async (request, response) => {
    if (!client.dialect.serves(request)) {
      response.writeHead(404, { "content-type": "application/json" }).end("{}");
      return;
    }
    const { isWork } = client.dialect.read(await json(request).then(({ tools }) => ({ tools })));
    if (!isWork) {
      client.dialect.write(response, { say: "Work" });
      return;
    }
    const { tool, args = {}, ...said } = steps[at] ?? { say: "Done." };
    at += 1;
    const placed = JSON.parse(JSON.stringify(args).replaceAll("$WORK", work));
    client.dialect.write(response, { ...said, call: tool && { name: tool }, args: placed, id: `call_${at}` });
  });
  await new Promise((resolve) => model.listen(0, "127.0.0.1", resolve));
  try {
    const modelUrl = `http://127.0.0.1:${model.address().port}`;
    const nothing = { command: process.execPath, args: ["-e", "0"], env: {} };
    const { args, env } = client.prepare({ folder: home, modelUrl, stdio: nothing });
    const { PATH, LANG } = process.env;
    const child = spawn(join(programs, client.program), args, {
      cwd: work,
      env: { PATH, LANG, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: patienceMs,
    });
    const [said, complained, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);
    if (code !== 0 || at < steps.length)
      throw new Error(
        `${name} ended with ${code} after ${at} of ${steps.length} steps: ${said}${complained}`,
      );
    const folder = join(kept, name);
    rmSync(folder, { recursive: true, force: true });
    for (const [file, content] of Object.entries(await files(home))) {
      const to = join(folder, rename(file, home));
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, rename(content, home));
    }
    console.log(`${client.name}: ${at} steps, ${readdirSync(folder, { recursive: true }).length} files`);
  } finally {
    model.close().closeAllConnections();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Replaces the home in a text, also in folder names, in which some clients replace its slashes. */
function rename(content, home) {
  return content.replaceAll(home, "/home/ada").replaceAll(home.replaceAll("/", "-"), "-home-ada");
}

const programs = process.env.CLIENTS ?? installClients(root, { keep: process.argv.includes("--keep") });
for (const name of Object.keys(recorded))
  if (only === undefined || only === name) await record(name, programs);

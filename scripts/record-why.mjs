// Records the fixture in tests/support/recorded/why. Claude Code and Codex work on a small repository with a
// scripted model, while people rename, squash, amend and commit. The fixture keeps the clients' files with
// the scratch directory renamed, the repository as a stream from `git fast-export`, and which session wrote
// each line of a file. `--keep` uses the clients that are already installed.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { json, text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { claudeCode } from "./clients/claude-code.mjs";
import { codex } from "./clients/codex.mjs";
import { installClients } from "./clients/install.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const kept = join(root, "tests", "support", "recorded", "why");
const patienceMs = 180_000;

const home = mkdtempSync(join(tmpdir(), "thoughtbox-record-"));
const work = join(home, "shop");
mkdirSync(work);
const programs = process.env.CLIENTS ?? installClients(root, { keep: process.argv.includes("--keep") });

function git(...words) {
  const who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgSign=false"];
  return execFileSync("git", [...who, ...words], { cwd: work, encoding: "utf8" }).trim();
}
const commit = (subject, ...more) => {
  git("add", "--all");
  git(...more, "commit", "--quiet", "-m", subject);
};

const file = (path) => join(work, path);
const write = (path, lines) => ({
  tool: "Write",
  args: { file_path: file(path), content: `${lines.join("\n")}\n` },
});
const read = (path) => ({ tool: "Read", args: { file_path: file(path) } });
const edit = (path, old, now) => ({
  tool: "Edit",
  args: { file_path: file(path), old_string: old.join("\n"), new_string: now.join("\n") },
});
const shell = (cmd) => ({ tool: "exec_command", args: { cmd } });
const patch = (...lines) =>
  shell(`apply_patch <<'EOF'\n*** Begin Patch\n${lines.join("\n")}\n*** End Patch\nEOF`);

/** Serves a scripted model. Steps are calls or `{say}`. */
async function startModel(client, steps) {
  let at = 0;
  const model = createServer(async (request, response) => {
    if (!client.dialect.serves(request)) {
      request.resume();
      response.writeHead(404, { "content-type": "application/json" }).end("{}");
      return;
    }
    const { isWork } = client.dialect.read(await json(request).then(({ tools }) => ({ tools })));
    const { tool, args, ...said } = isWork ? (steps[at] ?? { say: "Done." }) : { say: "Work" };
    if (isWork) at += 1;
    const id = `call_${Date.now()}`;
    client.dialect.write(response, { ...said, ...(tool && { call: { name: tool }, args, id }) });
  });
  await new Promise((resolve) => model.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${model.address().port}`,
    steps: () => at,
    stop: () => model.close().closeAllConnections(),
  };
}

const { PATH, LANG } = process.env;
const claudeEnv = (url) => ({
  ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "scripted", DISABLE_AUTOUPDATER: "1" },
});

/** Runs a client once. The last step ends the session. */
async function run(name, prompt, steps, more = []) {
  const client = { "claude-code": claudeCode, codex }[name];
  const model = await startModel(client, steps);
  const { url } = model;
  const starts = {
    "claude-code": {
      args: ["--print", prompt, "--allowedTools", "Read,Write,Edit,Task,Agent", ...more],
      env: claudeEnv(url),
    },
    codex: {
      args: [
        ...["exec", "--skip-git-repo-check", "-s", "danger-full-access"],
        ...["-c", 'model="scripted"', "-c", 'model_provider="scripted"'],
        ...["-c", `model_providers.scripted={name="scripted",base_url="${url}/v1",wire_api="responses"}`],
        ...[...more, prompt],
      ],
      env: { CODEX_HOME: join(home, ".codex") },
    },
  };
  mkdirSync(join(home, ".codex"), { recursive: true });
  const { args, env } = starts[name];
  const child = spawn(join(programs, client.program), args, {
    cwd: work,
    env: { PATH, LANG, HOME: home, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: patienceMs,
  });
  const [said, complained, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  model.stop();
  if (code !== 0 || model.steps() < steps.length)
    throw new Error(
      `${name} ended with ${code} after ${model.steps()} of ${steps.length} steps: ${said}${complained}`,
    );
  console.log(`${client.name}: ${prompt}`);
}

/** Runs Claude Code in a terminal, where a person answers its questions. `keys` are [what to wait for, what to type]. */
async function runAttended(prompt, steps, keys) {
  const model = await startModel(claudeCode, steps);
  const known = {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: ["scripted"], rejected: [] },
    projects: { [work]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  };
  writeFileSync(join(home, ".claude.json"), JSON.stringify(known));
  const socket = join(home, "tmux");
  const tmux = (...words) => execFileSync("tmux", ["-S", socket, ...words], { encoding: "utf8" });
  const env = Object.entries({ PATH, LANG: "C.UTF-8", HOME: home, ...claudeEnv(model.url) });
  tmux(
    ...["-f", "/dev/null", "new-session", "-d", "-x", "140", "-y", "50", "-c", work],
    ...["env", "-i", "TERM=xterm-256color", ...env.map(([name, value]) => `${name}=${value}`)],
    ...[join(programs, claudeCode.program), "--permission-mode", "default", prompt],
  );
  const until = Date.now() + patienceMs;
  const see = async (isThere) => {
    while (!isThere()) {
      if (Date.now() > until) throw new Error(`Claude Code waits:\n${tmux("capture-pane", "-p")}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };
  try {
    for (const [shown, ...typed] of keys) {
      await see(() => tmux("capture-pane", "-p").includes(shown));
      for (const text of typed) {
        tmux("send-keys", text);
        await new Promise((resolve) => setTimeout(resolve, 400));
      }
    }
    await see(() => model.steps() >= steps.length && tmux("capture-pane", "-p").includes(steps.at(-1).say));
  } finally {
    tmux("kill-server");
    model.stop();
  }
  console.log(`Claude Code in a terminal: ${prompt}`);
}

const folders = { claude: join(home, ".claude", "projects"), codex: join(home, ".codex", "sessions") };

function filesBelow(folder) {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".jsonl"),
    );
  } catch {
    return [];
  }
}

/** Returns the ID of the transcript that `make` created. */
async function session(client, make) {
  const before = new Set(filesBelow(folders[client]));
  await make();
  const fresh = filesBelow(folders[client]).filter((name) => !before.has(name) && !name.includes("agent-"));
  return /([0-9a-f-]{36})\.jsonl$/.exec(fresh[0] ?? "")?.[1];
}

/** Keeps what was said and done, without the clients' own prompts and program state. */
function withoutPrompts(transcript) {
  return transcript
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
    .filter(({ type }) => ["user", "assistant", "session_meta", "response_item", "event_msg"].includes(type))
    .filter(({ payload: { role, type } = {} }) => role !== "developer" && type !== "token_count")
    .map((line) => {
      const { base_instructions: _prompt, dynamic_tools: _tools, ...payload } = line.payload ?? {};
      return JSON.stringify({ ...line, ...(line.payload && { payload }) });
    })
    .join("\n")
    .concat("\n");
}

const pool = [
  "export const pool = openPool({",
  "  connections: workers.length,",
  "  waitForConnection: false,",
  "});",
];
const retry = ["export function retryPayment(order) {", "  return askCustomerAgain(order.customer);", "}"];
const expected = [];
const expect = (path, by, ...lines) => {
  for (const line of lines) expected.push({ path, line: line.trim(), by });
};

git("init", "--quiet", "--initial-branch=main");
writeFileSync(file("README.md"), "# Shop\n");
commit("docs: start");

const first = await session("claude", () =>
  run("claude-code", "Checkout times out under load. Find out why and fix it.", [
    write("pool.ts", pool),
    { say: "We decided to open one connection per worker, because sharing them starves checkout." },
  ]),
);
commit("fix: one connection per worker");

// A fork continues the first session and amends its commit.
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is code
const logging = "console.log(`pool of ${workers.length} connections is open`);";
const fork = await session("claude", () =>
  run(
    "claude-code",
    "Say in the log how large the pool is.",
    [
      read("pool.ts"),
      edit("pool.ts", ["});"], ["});", logging]),
      { say: "The log shows the size of the pool, because operators asked for it." },
    ],
    ["--resume", first, "--fork-session"],
  ),
);
git("add", "--all");
git("commit", "--quiet", "--amend", "--no-edit");
expect("connections.ts", first, ...pool.slice(0, 2));
expect("connections.ts", fork, logging);

// People rename the file. Two sessions work at once, and their commits are squashed into one.
git("mv", "pool.ts", "connections.ts");
commit("refactor: rename the pool");
git("switch", "--quiet", "-c", "payments");
const [payments, invoices] = await Promise.all([
  session("claude", () =>
    run("claude-code", "Failed payments must not be retried for ever.", [
      write("payments.ts", retry),
      { say: "The customer is asked again instead, because the provider blocks repeated attempts." },
    ]),
  ),
  session("codex", () =>
    run("codex", "Old invoices have to be archived.", [
      patch("*** Add File: invoices.ts", "+export const archiveInvoicesAfterYears = 10;"),
      { say: "Invoices are archived after ten years, because the law requires them until then." },
    ]),
  ),
]);
git("add", "payments.ts");
git("commit", "--quiet", "-m", "feat: ask again");
commit("feat: archive invoices");
expect("payments.ts", payments, ...retry.slice(0, 2));
expect("invoices.ts", invoices, "export const archiveInvoicesAfterYears = 10;");
git("switch", "--quiet", "main");
git("merge", "--squash", "--quiet", "payments");
commit("feat: payments and invoices (#12)");

// A sub-agent writes a file, and Codex moves one.
const helper = "export const hoursUntilTimeout = minutesUntilTimeout / 60;";
const delegated = await session("claude", () =>
  run("claude-code", "Write a helper for timeouts.", [
    {
      tool: "Task",
      args: { description: "Write it", prompt: "Write timeouts.ts.", subagent_type: "general-purpose" },
    },
    write("timeouts.ts", [helper]),
    { say: "The helper counts in hours, because the proxy is configured in hours." },
    { say: "A sub-agent wrote the helper." },
  ]),
);
commit("feat: a helper for timeouts");
expect("timeouts.ts", delegated, helper);

const moved = await session("codex", () =>
  run("codex", "Invoices belong to accounting.", [
    patch(
      "*** Update File: invoices.ts",
      "*** Move to: accounting.ts",
      "@@",
      "-export const archiveInvoicesAfterYears = 10;",
      "+export const archiveInvoicesAfterYears = lawOf(country).years;",
    ),
    { say: "Accounting owns the file, because every country has its own law." },
  ]),
);
commit("refactor: accounting");
expected.splice(
  expected.findIndex(({ path }) => path === "invoices.ts"),
  1,
);
expect("accounting.ts", moved, "export const archiveInvoicesAfterYears = lawOf(country).years;");

// A person refuses an edit and gives the reason. The agent then writes something else.
const refusedLine = "export const maxAttempts = Number.POSITIVE_INFINITY;";
const limited = "export const maxAttempts = 3;";
const refused = await session("claude", () =>
  runAttended(
    "Limit how often a payment is attempted.",
    [
      write("attempts.ts", [refusedLine]),
      write("attempts.ts", [limited]),
      { say: "Three attempts, because the provider blocks the card after that." },
    ],
    [
      ["attempts.ts?", "Down", "Down", "Tab", "No. The provider allows three attempts.", "Enter"],
      ["maxAttempts = 3", "Enter"],
    ],
  ),
);
commit("feat: limit attempts");
expect("attempts.ts", refused, limited);

// A person only indents a file, and a bot makes a commit. Neither is an agent's reasoning.
writeFileSync(file("payments.ts"), `${retry.map((line) => `  ${line}`).join("\n")}\n`);
commit("style: indent");
writeFileSync(file("versions.json"), '{ "checkout": "2.4.1", "payments": "1.9.0" }\n');
commit("chore: bump", "-c", "user.name=bot");
expect("versions.json", null, '{ "checkout": "2.4.1", "payments": "1.9.0" }');

rmSync(kept, { recursive: true, force: true });
const rename = (content) =>
  content
    .replaceAll(home, "/home/ada")
    .replaceAll(home.replaceAll("/", "-"), "-home-ada")
    .replaceAll(/\/tmp\/claude-\d+/g, "/tmp/claude");
const keep = (path, content) => {
  mkdirSync(dirname(join(kept, path)), { recursive: true });
  writeFileSync(join(kept, path), rename(content));
};
for (const [client, folder] of Object.entries(folders))
  for (const name of filesBelow(folder))
    keep(join(client, rename(name)), withoutPrompts(readFileSync(join(folder, name), "utf8")));
keep("repository.fast-export", git("fast-export", "main"));
keep("expected.json", `${JSON.stringify(expected, null, 2)}\n`);
rmSync(home, { recursive: true, force: true });
console.log(`${expected.length} lines with a known session`);

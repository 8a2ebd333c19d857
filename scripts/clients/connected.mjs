// A session that never calls us, after `thoughtbox connect`: its hooks record it, the next one starts with what it decided, and
// one that removes its lines is told whose they were.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json, text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";

const decision = "We decided to use mold, because lld breaks on ARM.";
const recalled = /Thoughtbox has records.*decided: \\+"We decided to use mold/;
const patienceMs = 120_000;

/** A model that makes these calls and then says one thing, and keeps what it was sent. */
async function startTalker(dialect, { say, calls = [] }) {
  const bodies = [];
  let made = 0;
  const server = createServer(async (request, response) => {
    if (!dialect.serves(request)) {
      request.resume();
      response.writeHead(404, { "content-type": "application/json" }).end("{}");
      return;
    }
    const body = await json(request);
    bodies.push(JSON.stringify(body));
    const { isWork } = dialect.read({ tools: body.tools });
    const next = isWork ? calls[made] : undefined;
    if (next) {
      made += 1;
      dialect.write(response, { call: { name: next.tool }, args: next.args, id: `call_${made}` });
    } else dialect.write(response, { say: isWork ? say : "Work" });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    bodies,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

/** How each client is started without a server of ours in its configuration. */
const starts = {
  "claude-code": ({ home, url }) => ({
    folder: ".claude",
    args: ["--print", "Look into the slow build.", "--allowedTools", "Read,Write,Edit"],
    env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "scripted", HOME: home, DISABLE_AUTOUPDATER: "1" },
  }),
  // Nobody can press the key that trusts the hooks here.
  codex: ({ home, url }) => ({
    folder: ".codex",
    args: [
      ...["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "-s", "danger-full-access"],
      ...["-c", 'model="scripted"', "-c", 'model_provider="scripted"'],
      ...["-c", `model_providers.scripted={name="scripted",base_url="${url}/v1",wire_api="responses"}`],
      "Look into the slow build.",
    ],
    env: { HOME: home, CODEX_HOME: join(home, ".codex") },
  }),
};

const pool = Array.from({ length: 14 }, (_, n) => `export const connection${n} = openConnection(${n});`);
const removed = "It removes 14 lines of";

/** The same work in each client's words: a file is written, and the next session takes its lines away. */
const work = {
  "claude-code": (folder) => ({
    write: [{ tool: "Write", args: { file_path: join(folder, "pool.ts"), content: `${pool.join("\n")}\n` } }],
    remove: [
      { tool: "Read", args: { file_path: join(folder, "pool.ts") } },
      {
        tool: "Edit",
        args: { file_path: join(folder, "pool.ts"), old_string: pool.join("\n"), new_string: "// gone" },
      },
    ],
  }),
  codex: () => ({
    write: [{ tool: "exec_command", args: { cmd: `cat > pool.ts <<'EOF'\n${pool.join("\n")}\nEOF` } }],
    remove: [
      {
        tool: "exec_command",
        args: {
          cmd: [
            "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: pool.ts\n@@",
            ...pool.map((line) => `-${line}`),
            "+// gone\n*** End Patch\nEOF",
          ].join("\n"),
        },
      },
    ],
  }),
};

export async function tryConnected(client, name, { programs, binary, env }) {
  const home = mkdtempSync(join(tmpdir(), "thoughtbox-connected-"));
  const folderOfWork = join(home, "shop");
  mkdirSync(join(folderOfWork, ".git"), { recursive: true });
  const own = { ...env, HOME: home, CODEX_HOME: join(home, ".codex") };
  const ours = (...words) =>
    spawnSync(process.execPath, [binary, ...words], { cwd: folderOfWork, env: own, encoding: "utf8" });
  const { folder } = starts[name]({ home, url: "" });
  mkdirSync(join(home, folder));
  const before = '# mine\nmodel_reasoning_effort = "low"\n';
  if (name === "codex") writeFileSync(join(home, folder, "config.toml"), before);
  const connected = ours("connect", name, "--capture=yes");
  if (connected.status !== 0) throw new Error(connected.stdout + connected.stderr);
  const server = spawn(process.execPath, [binary, "serve"], {
    env: { ...own, PORT: "0", THOUGHTBOX_OBSERVATORY_PORT: "0" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  try {
    await new Promise((resolve, reject) => {
      server.stderr.on("data", (said) => /stop with/i.test(said) && resolve());
      server.once("exit", () => reject(new Error("the server ended")));
    });
    const { write, remove } = work[name](folderOfWork);
    await runOnce({ say: decision, calls: write });
    const until = Date.now() + patienceMs;
    while (!ours("ls").stdout.includes("slow build")) {
      if (Date.now() > until) throw new Error("the session was not recorded");
      await pause(500);
    }
    // On a busy machine a hook may come too late for one session.
    let isRecalled = false;
    for (let tries = 0; tries < 5 && !isRecalled; tries += 1)
      isRecalled = (await runOnce({ say: "Thanks." })).some((body) => recalled.test(body));
    if (!isRecalled) throw new Error("no later session was told what the first one decided");
    let isTold = false;
    for (let tries = 0; tries < 5 && !isTold; tries += 1) {
      writeFileSync(join(folderOfWork, "pool.ts"), `${pool.join("\n")}\n`);
      isTold = (await runOnce({ say: "Done.", calls: remove })).some((body) => body.includes(removed));
    }
    if (!isTold) throw new Error("the session that removed another one's lines was not told");
    if (ours("connect", name, "--remove").status !== 0) throw new Error("it was not disconnected");
    if (name === "codex" && !readFileSync(join(home, folder, "config.toml"), "utf8").startsWith(before))
      throw new Error("config.toml was not restored");
  } finally {
    server.kill("SIGTERM");
    await once(server, "exit");
    rmSync(home, { recursive: true, force: true });
  }

  async function runOnce(script) {
    const model = await startTalker(client.dialect, script);
    const { args, env: more } = starts[name]({ home, url: model.url });
    const child = spawn(join(programs, client.program), args, {
      cwd: folderOfWork,
      env: { ...own, ...more },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: patienceMs,
    });
    const [said, complained, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);
    await model.close();
    if (code !== 0)
      throw new Error(`it ended with ${code}: ${`${said}\n${complained}`.trim().slice(-1_000)}`);
    return model.bodies;
  }
}

// Checks `thoughtbox connect`: a running session that never calls us is recorded, and search finds it. The next session
// starts with the first one's decisions. A session that removes the first one's lines learns who wrote them.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json, text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";

const decision = "We decided to use mold, because lld breaks on ARM.";
const recalled = /Thoughtbox has records.*decided: \\+"We decided to use mold/;
const patienceMs = 120_000;

/**
 * Starts a scripted model: it waits until it is released, makes the given calls, replies with the given text,
 * and records what it received.
 */
async function startTalker(dialect) {
  const talker = { say: "", calls: [], bodies: [], isAsked: undefined, mayAnswer: Promise.resolve() };
  const server = createServer(async (request, response) => {
    if (!dialect.serves(request)) {
      request.resume();
      response.writeHead(404, { "content-type": "application/json" }).end("{}");
      return;
    }
    const body = await json(request);
    const { isWork } = dialect.read({ tools: body.tools });
    talker.bodies.push(JSON.stringify(body));
    if (isWork) {
      talker.isAsked?.();
      await talker.mayAnswer;
    }
    const next = isWork ? talker.calls.shift() : undefined;
    if (next)
      dialect.write(response, {
        call: { name: next.tool },
        args: next.args,
        id: `call_${talker.bodies.length}`,
      });
    else dialect.write(response, { say: isWork ? talker.say : "Work" });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(talker, {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  });
}

/** Codex and Claude Code receive the model's address at startup, the others through their settings. */
const starts = {
  "claude-code": ({ home, url }) => {
    mkdirSync(join(home, ".claude"));
    return {
      args: ["--print", "Look into the slow build.", "--allowedTools", "Read,Write,Edit"],
      env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "scripted", HOME: home, DISABLE_AUTOUPDATER: "1" },
    };
  },
  // There is no user here who could press the key that approves the hooks.
  codex: ({ home, url }) => {
    mkdirSync(join(home, ".codex"));
    writeFileSync(join(home, ".codex", "config.toml"), '# mine\nmodel_reasoning_effort = "low"\n');
    return {
      args: [
        ...["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "-s", "danger-full-access"],
        ...["-c", 'model="scripted"', "-c", 'model_provider="scripted"'],
        ...["-c", `model_providers.scripted={name="scripted",base_url="${url}/v1",wire_api="responses"}`],
        "Look into the slow build.",
      ],
      env: { HOME: home, CODEX_HOME: join(home, ".codex") },
    };
  },
};

const pool = Array.from({ length: 14 }, (_, n) => `export const connection${n} = openConnection(${n});`);
const whole = `${pool.join("\n")}\n`;
const told = "It removes 14 lines of";

/** The same edits for each client that supports hooks before an action, in the client's own format. */
const edits = {
  "claude-code": (path) => ({
    write: [{ tool: "Write", args: { file_path: path, content: whole } }],
    remove: [
      { tool: "Read", args: { file_path: path } },
      { tool: "Edit", args: { file_path: path, old_string: pool.join("\n"), new_string: "// gone" } },
    ],
  }),
  codex: () => {
    const patch = ["*** Update File: pool.ts", "@@", ...pool.map((line) => `-${line}`), "+// gone"];
    const script = `apply_patch <<'EOF'\n*** Begin Patch\n${patch.join("\n")}\n*** End Patch\nEOF`;
    return {
      write: [{ tool: "exec_command", args: { cmd: `cat > pool.ts <<'EOF'\n${whole}EOF` } }],
      remove: [{ tool: "exec_command", args: { cmd: script } }],
    };
  },
};

/** Throws an error that names whatever is missing. */
export async function tryConnected(client, name, { programs, binary, env }) {
  const home = mkdtempSync(join(tmpdir(), "thoughtbox-connected-"));
  const work = join(home, "shop");
  mkdirSync(join(work, ".git"), { recursive: true });
  const model = await startTalker(client.dialect);
  const prepare = starts[name] ?? (() => client.prepare({ folder: home, modelUrl: model.url }));
  const { args, env: clientEnv } = prepare({ home, url: model.url });
  const own = { ...env, ...clientEnv, HOME: home };
  const ours = (...words) =>
    spawnSync(process.execPath, [binary, ...words], { cwd: work, env: own, encoding: "utf8" });
  let server;
  try {
    const connected = ours("connect", name, "--capture=yes");
    if (connected.status !== 0) throw new Error(connected.stdout + connected.stderr);
    server = await serve(own);
    const path = join(work, "pool.ts");
    const { write = [], remove } = edits[name]?.(path) ?? {};
    model.calls = write;
    await runOnce(decision, () => find("slow build", "ls"));
    await find("lld breaks", "search", "mold", "--json");
    // On a busy machine a hook may be too late for one session.
    let isRecalled = false;
    for (let tries = 0; tries < 5 && !isRecalled; tries += 1) {
      model.bodies = [];
      await runOnce("Thanks.");
      isRecalled = model.bodies.some((body) => recalled.test(body));
    }
    if (!isRecalled) throw new Error("no later session was told what the first one decided");
    let isTold = remove === undefined;
    for (let tries = 0; tries < 5 && !isTold; tries += 1) {
      writeFileSync(path, whole);
      Object.assign(model, { bodies: [], calls: [...remove] });
      await runOnce("Done.");
      isTold = model.bodies.some((body) => body.includes(told));
    }
    if (!isTold) throw new Error("the session that removed another one's lines was not told");
    if (
      !ours("connect")
        .stdout.split("\n")
        .some((line) => line.startsWith(name) && /now|ago/.test(line))
    )
      throw new Error(`connect does not report that its hooks ran:\n${ours("connect").stdout}`);
    const journal = JSON.parse(readFileSync(join(home, ".thoughtbox", "connect", `${name}.json`), "utf8"));
    const removed = ours("connect", name, "--remove");
    if (removed.status !== 0) throw new Error(`it was not disconnected: ${removed.stdout}${removed.stderr}`);
    // Clients write to the user's files themselves, so the files differ from the originals.
    for (const { path } of journal.entries)
      if (existsSync(path) && readFileSync(path, "utf8").includes("thoughtbox"))
        throw new Error(`${path} still names us`);
  } finally {
    server?.kill("SIGTERM");
    if (server) await once(server, "exit");
    await model.close();
    rmSync(home, { recursive: true, force: true });
  }

  async function find(wanted, ...words) {
    const until = Date.now() + patienceMs / 2;
    while (!ours(...words).stdout.includes(wanted)) {
      if (Date.now() > until) throw new Error(`thoughtbox ${words.join(" ")} does not show "${wanted}"`);
      await pause(250);
    }
  }

  /** `meanwhile` runs after the model receives the request and before it answers. */
  async function runOnce(say, meanwhile) {
    model.say = say;
    let [letGo, heard] = [() => {}, () => {}];
    if (meanwhile) model.mayAnswer = new Promise((resolve) => (letGo = resolve));
    const asked = new Promise((resolve) => (heard = resolve));
    model.isAsked = heard;
    const child = spawn(join(programs, client.program), args, {
      cwd: work,
      env: own,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: patienceMs,
    });
    const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
    const shown = meanwhile && Promise.race([asked.then(meanwhile), ended]).finally(letGo);
    const [[said, complained, [code]]] = await Promise.all([ended, shown]);
    if (code !== 0)
      throw new Error(`it ended with ${code}: ${`${said}\n${complained}`.trim().slice(-1_000)}`);
  }

  async function serve(serverEnv) {
    const child = spawn(process.execPath, [binary, "serve"], {
      env: { ...serverEnv, PORT: "0", THOUGHTBOX_OBSERVATORY_PORT: "0" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    await new Promise((resolve, reject) => {
      child.stderr.on("data", (said) => /stop with/i.test(said) && resolve());
      child.once("exit", () => reject(new Error("the server ended")));
    });
    return child;
  }
}

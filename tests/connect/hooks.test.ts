import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { saveConsent } from "../../src/disk/capture-consent.ts";
import { hookSocketPath } from "../../src/hook/socket-path.ts";
import { readRecall } from "../../src/recall-alone.ts";
import { openRecorded } from "../support/recorded/recorded-sessions.ts";
import { binary, cleanEnv } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { claudePath, claudeRoot, clientHomes, writeTranscripts } from "../support/transcripts.ts";

const contentDir = join(import.meta.dirname, "..", "..", "content");
const hookFile = join(dirname(binary), "hook.js");

async function serveHooks({ dataDir = join(tempDir(), "data"), env = {} as Record<string, string> } = {}) {
  const homes = clientHomes(dataDir);
  const config = readConfig({ env: { ...homes, ...env, THOUGHTBOX_DATA_DIR: dataDir } });
  const reported: unknown[] = [];
  const projectOf = (directory: string | undefined) => (directory?.includes("shop") ? "shop" : "_default");
  const log = (line: string) => void reported.push(line);
  const app = createApp({ config, version: "0.0.0-test", contentDir, log, projectOf });
  const hooks = await app.serveHooks();
  const close = async () => {
    await hooks.stop();
    await app.close();
  };
  onTestFinished(close);
  const caller = { era: "modern", transport: "cli", can: { roots: false, sampling: false } } as const;
  const call = async (name: string, args: object) => {
    const reply = await app.perform(name, args, { caller });
    if (reply.kind !== "result") throw new Error(JSON.stringify(reply));
    return reply.result;
  };
  return { dataDir, call, close, reported, socket: hookSocketPath(dataDir) };
}

/** Sends one request as the hook does, or any other text. */
async function ask(path: string, request: unknown): Promise<string> {
  const socket = connect(path);
  socket.end(typeof request === "string" ? request : `${JSON.stringify(request)}\n`);
  return text(socket).then(
    (said) => said.trim(),
    ({ code }) => code,
  );
}

/** Runs the built hook like a client. */
async function runHook(words: readonly string[], input: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [hookFile, ...words], { env: { ...cleanEnv(), ...env } });
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { out, err, code };
}

const begin = { client: "claude-code", event: "SessionStart", input: { cwd: "/tmp", source: "startup" } };

test("a server answers hooks on a socket that only its user can access", async () => {
  const { call, socket } = await serveHooks();
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
  expect(await ask(socket, begin)).toBe("{}");
  await call("thought", { thought: "S1|C|Pin the resolver" });
  expect(await ask(socket, begin)).toContain("Pin the resolver");
  expect(await ask(socket, { ...begin, input: { cwd: "/home/ada/shop" } })).toBe("{}");
});

test("every input is answered with an object, and the server keeps running", async () => {
  const { socket, reported } = await serveHooks();
  const odd = [
    "\n",
    "{\n",
    "null\n",
    "[]\n",
    '"x"\n',
    "{}\n",
    '{"client":1,"event":"SessionStart","input":{}}\n',
  ];
  for (const line of odd) expect(await ask(socket, line), line).toBe("{}");
  const strange = { client: "claude-code", event: "Nothing", input: {} };
  expect(await ask(socket, strange)).toBe("{}");
  expect(
    await ask(socket, { ...begin, input: { cwd: 1, source: ["x"], session_id: "x".repeat(9_000) } }),
  ).toBe("{}");
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const action = `{"client":"claude-code","event":"PreToolUse","input":{"tool_name":"Edit","tool_input":${deep}}}\n`;
  expect(await ask(socket, action)).toBe("{}");
  expect(reported).toEqual([]);
  expect(await ask(socket, "x".repeat(2_000_000))).toMatch(/^(?:|ECONNRESET|EPIPE)$/);
  expect(await ask(socket, begin)).toBe("{}");
});

test("a server replaces the socket of a killed server, but not of a running one", async () => {
  const dataDir = join(tempDir(), "data");
  const path = hookSocketPath(dataDir);
  mkdirSync(dirname(path), { recursive: true });
  const child = spawn(process.execPath, [
    "-e",
    `require("node:net").createServer().listen(${JSON.stringify(path)},()=>console.log("up"))`,
  ]);
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(existsSync(path)).toBe(true);
  const first = await serveHooks({ dataDir });
  await first.call("thought", { thought: "S1|C|The first listens" });
  const inode = statSync(path).ino;
  await serveHooks({ dataDir });
  expect(statSync(path).ino).toBe(inode);
  expect(await ask(path, begin)).toContain("The first listens");
});

test("another server takes over when the listening one exits", async () => {
  const first = await serveHooks();
  await serveHooks({ dataDir: first.dataDir });
  await first.close();
  await vi.waitFor(async () => expect(await ask(first.socket, begin)).toBe("{}"), {
    timeout: 30_000,
    interval: 100,
  });
});

test("a data directory with a long path has its socket at a short path", async () => {
  const dataDir = join(tempDir(), "x".repeat(120), "data");
  const path = hookSocketPath(dataDir);
  expect(path.startsWith(tmpdir())).toBe(true);
  expect(Buffer.byteLength(path)).toBeLessThan(100);
  expect(path).not.toBe(hookSocketPath(`${dataDir}2`));
  const { socket } = await serveHooks({ dataDir });
  expect(await ask(socket, begin)).toBe("{}");
});

test("on Windows, each data directory has its own named pipe", () => {
  expect(hookSocketPath("C:\\Users\\ada\\.thoughtbox", "win32")).toMatch(
    /^\\\\\.\\pipe\\thoughtbox-[0-9a-f]{16}$/,
  );
});

test("a finished turn records the transcript only with consent", async () => {
  const { dataDir, call, socket } = await serveHooks();
  writeTranscripts({ dataDir });
  const transcript = join(claudeRoot({ dataDir }), claudePath);
  const stop = {
    client: "claude-code",
    event: "Stop",
    input: { cwd: "/home/ada/shop", transcript_path: transcript },
  };
  const sessions = async () =>
    ((await call("list_sessions", { project: "shop" })) as { sessions: object[] }).sessions;
  await call("session_capture", { transcript_path: transcript });
  expect(await ask(socket, stop)).toBe("{}");
  expect(await sessions()).toEqual([]);
  saveConsent(dataDir, { capture: "on", at: new Date().toISOString() });
  await vi.waitFor(
    async () => {
      expect(await ask(socket, stop)).toBe("{}");
      expect(await sessions()).toHaveLength(1);
    },
    { timeout: 30_000, interval: 100 },
  );
  const outside = { ...stop, input: { transcript_path: join(dataDir, "capture.json") } };
  expect(await ask(socket, outside)).toBe("{}");
});

test("a hook does not record a project that the user excluded", async () => {
  const env = { THOUGHTBOX_CAPTURE: "on", THOUGHTBOX_CAPTURE_EXCLUDE: "/home/ada/shop" };
  const { dataDir, call } = await serveHooks({ env });
  writeTranscripts({ dataDir });
  const answer = await call("session_capture", {
    transcript_path: join(claudeRoot({ dataDir }), claudePath),
  });
  expect(JSON.stringify(answer)).toContain("excluded from capture");
  expect(await call("list_sessions", { project: "shop" })).toMatchObject({ sessions: [] });
});

test("the hook prints the server's answer and exits with 0", async () => {
  const { dataDir, call } = await serveHooks();
  await call("thought", { thought: "S1|C|Pin the resolver" });
  const env = { THOUGHTBOX_DATA_DIR: dataDir };
  const input = JSON.stringify(begin.input);
  await vi.waitFor(
    async () => {
      const { out, err, code } = await runHook(["claude-code", "SessionStart"], input, env);
      expect({ err, code }).toEqual({ err: "", code: 0 });
      expect(JSON.parse(out).hookSpecificOutput.additionalContext).toContain("Pin the resolver");
    },
    { timeout: 50_000, interval: 10 },
  );
  expect(readFileSync(join(dataDir, "run", "hooks", "claude-code"), "utf8")).toBe("SessionStart\n");
});

test("Codex that runs the plugin for Claude Code counts as Codex", async () => {
  const dataDir = join(tempDir(), "data");
  mkdirSync(dataDir);
  const input = { transcript_path: "/home/ada/.codex/sessions/2026/03/02/rollout-2026-03-02-shop.jsonl" };
  await runHook(["claude-code", "Stop"], JSON.stringify(input), { THOUGHTBOX_DATA_DIR: dataDir });
  expect(readdirSync(join(dataDir, "run", "hooks"))).toEqual(["codex"]);
});

test("a turn of opencode, which has no transcript file, is recorded with its session ID", async () => {
  const { dataDir, call } = await serveHooks({ env: { THOUGHTBOX_CAPTURE: "on" } });
  const db = openRecorded(dataDir);
  const [{ id }] = db.prepare("SELECT id FROM session WHERE parent_id IS NULL").all() as [{ id: string }];
  db.close();
  await call("session_capture", { client: "opencode", event: "Stop", session_id: id });
  const { sessions } = (await call("list_sessions", { project: "*" })) as {
    sessions: { tags: string[] }[];
  };
  expect(sessions.filter(({ tags }) => tags.includes("opencode"))).toHaveLength(1);
});

test.each([
  [["claude-code", "SessionStart"], "{ broken"],
  [["claude-code", "SessionStart"], ""],
  [["claude-code", "Stop"], "[]"],
  [["../../etc", "Stop"], "{}"],
  [["claude-code", "Unknown"], "{}"],
  [[], "{}"],
  [["claude-code", "SessionStart"], JSON.stringify({ big: "x".repeat(2_000_000) })],
])(
  "the hook answers %j with an empty object if there is no data directory, whatever the input",
  async (words, input) => {
    const dataDir = join(tempDir(), "none");
    const { out, err, code } = await runHook(words, input, { THOUGHTBOX_DATA_DIR: dataDir });
    expect({ out, err, code }).toEqual({ out: "{}", err: "", code: 0 });
    expect(existsSync(dataDir)).toBe(false);
  },
);

test("a server that does not answer does not keep the client waiting", async () => {
  const dataDir = join(tempDir(), "data");
  const path = hookSocketPath(dataDir);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const mute = createServer(() => {}).listen(path);
  onTestFinished(() => void mute.close());
  await once(mute, "listening");
  const { out, code } = await runHook(["claude-code", "SessionStart"], "{}", {
    THOUGHTBOX_DATA_DIR: dataDir,
  });
  expect({ out, code }).toEqual({ out: "{}", code: 0 });
});

test("the hook does not connect to a socket that another user could have created", async () => {
  const dataDir = join(tempDir(), "data");
  const path = hookSocketPath(dataDir);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  let asked = 0;
  const listenAt = async (place: string) => {
    const other = createServer((socket) => {
      asked += 1;
      socket.end('{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"obey"}}\n');
    }).listen(place);
    onTestFinished(() => void other.close());
    await once(other, "listening");
  };
  await listenAt(join(dataDir, "elsewhere.sock"));
  symlinkSync(join(dataDir, "elsewhere.sock"), path);
  const run = () => runHook(["claude-code", "SessionStart"], "{}", { THOUGHTBOX_DATA_DIR: dataDir });
  expect((await run()).out).toBe("{}");
  rmSync(path);
  await listenAt(path);
  chmodSync(path, 0o600);
  chmodSync(dirname(path), 0o777);
  expect((await run()).out).toBe("{}");
  expect(asked).toBe(0);
  chmodSync(dirname(path), 0o700);
  expect((await run()).out).toContain("obey");
});

test("a hook follows no symbolic link to write its mark", async () => {
  const victim = join(tempDir(), "claude-code");
  const plant: Record<string, (dataDir: string) => void> = {
    "the file": (dataDir) => {
      mkdirSync(join(dataDir, "run", "hooks"), { recursive: true, mode: 0o700 });
      symlinkSync(victim, join(dataDir, "run", "hooks", "claude-code"));
    },
    "its folder": (dataDir) => {
      mkdirSync(join(dataDir, "run"), { recursive: true, mode: 0o700 });
      symlinkSync(dirname(victim), join(dataDir, "run", "hooks"));
    },
    "the folder above": (dataDir) => {
      mkdirSync(dataDir, { mode: 0o700 });
      mkdirSync(join(dirname(victim), "hooks"), { recursive: true });
      symlinkSync(victim, join(dirname(victim), "hooks", "claude-code"));
      symlinkSync(dirname(victim), join(dataDir, "run"));
    },
  };
  const changed: string[] = [];
  for (const [name, link] of Object.entries(plant)) {
    writeFileSync(victim, "mine");
    const dataDir = join(tempDir(), "data");
    link(dataDir);
    const { out } = await runHook(["claude-code", "SessionStart"], "{}", { THOUGHTBOX_DATA_DIR: dataDir });
    expect(out).toBe("{}");
    if (readFileSync(victim, "utf8") !== "mine") changed.push(name);
  }
  expect(changed).toEqual([]);
});

test("without a server, a hook reads the store and changes nothing", async () => {
  const { dataDir, call, close } = await serveHooks();
  await call("thought", {
    thought: "S1|C|Pin the resolver, said sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789",
  });
  await close();
  const before = readFileSync(join(dataDir, "thoughtbox.db"));
  const request = { client: "codex", event: "SessionStart", input: { cwd: tmpdir() }, dataDir };
  const answer = JSON.stringify(await readRecall(request));
  expect(answer).toContain("Pin the resolver");
  expect(answer).not.toContain("abcdefghijklmnopqrstuvwxyz0123456789");
  expect(readFileSync(join(dataDir, "thoughtbox.db")).equals(before)).toBe(true);
  expect(await readRecall({ ...request, dataDir: join(dataDir, "none") })).toEqual({});
});

test("without a server, a hook does not read a guarded workspace or one that is not allowed", async () => {
  const { call, dataDir, close } = await serveHooks({ env: { THOUGHTBOX_PROJECT_GUARD: "alpha" } });
  await call("thought", { sessionTitle: "Pool", thought: "S1|C|Pin the resolver" });
  await call("notes_commit", { content: "Decision: pin the resolver" });
  await close();
  const request = { client: "codex", event: "SessionStart", input: { cwd: tmpdir() }, dataDir };
  expect(await readRecall(request)).toEqual({});
  const config = (settings: object) => writeFileSync(join(dataDir, "config.json"), JSON.stringify(settings));
  config({ projectGuard: "alpha" });
  expect(JSON.stringify(await readRecall(request))).toContain("Pin the resolver");
  config({ projectGuard: "alpha", workspaceAllow: ["another"] });
  expect(await readRecall(request)).toEqual({});
});

test("the built program connects a client, and the plugin of the package finds the program", async () => {
  const home = tempDir();
  mkdirSync(join(home, ".codex"));
  writeFileSync(join(home, ".codex", "config.toml"), 'model = "x"\n');
  const env = { ...cleanEnv(), HOME: home, CODEX_HOME: "", THOUGHTBOX_DATA_DIR: "" };
  const run = async (...words: string[]) => {
    const child = spawn(process.execPath, words, { env });
    child.stdin.end("{}");
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);
    return { out, err, code };
  };
  expect(await run(binary, "connect", "codex", "--capture=no")).toMatchObject({ code: 0, err: "" });
  const written = readFileSync(join(home, ".codex", "config.toml"), "utf8");
  expect(written).toContain(JSON.stringify([binary, "stdio"]).replaceAll(",", ", ").slice(1, 20));
  expect(written).toContain("hook.js");
  expect((await run(binary, "connect", "codex", "--remove")).code).toBe(0);
  expect(readFileSync(join(home, ".codex", "config.toml"), "utf8")).toBe('model = "x"\n');
  const plugin = join(dirname(binary), "..", "plugin", "run.cjs");
  expect(await run(plugin, "hook", "claude-code", "Stop")).toEqual({ out: "{}", err: "", code: 0 });
  expect((await run(plugin, "--version")).out).toMatch(/^\d+\.\d+\.\d+/);
});

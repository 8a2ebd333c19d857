// Clients start this program for each of their hooks. The program always prints one JSON object, exits with 0
// and takes at most 300 ms. Code that is slow to load is loaded only if no server answers.
import { closeSync, constants, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { mayCapture } from "./disk/capture-consent.ts";
import { isOwnDirectory } from "./disk/make-directory.ts";
import { clientOf, type HookInput, momentOf } from "./domain/recall/hook-answer.ts";
import { hookSocketPath, hookTokenPath, isOwnSocket } from "./hook/socket-path.ts";

const patienceMs = 300;
const longestInput = 1024 * 1024;

const [told = "", event = "", place] = process.argv.slice(process.argv[2] === "hook" ? 3 : 2);
const {
  THOUGHTBOX_DATA_DIR: asked,
  THOUGHTBOX_CAPTURE: capture,
  CLAUDE_CODE_ENTRYPOINT: entry,
  CLAUDE_CODE_SESSION_ATTENDED: watched,
} = process.env;
/** Only Claude Code reports whether a person is watching, so only its calls can be stopped. */
const attended = entry === "cli" && watched !== "0";
const dataDir = findDataDir();
const moment = /^[a-z-]{1,30}$/.test(told) ? momentOf(event) : undefined;
let client = told;

function findDataDir(): string {
  const named = place ?? asked?.trim();
  if (!named) return join(homedir(), ".thoughtbox");
  return resolve(/^~(?:$|[\\/])/.test(named) ? homedir() + named.slice(1) : named);
}

let isAnswered = false;

function end(answer: string): void {
  if (isAnswered) return;
  isAnswered = true;
  process.stdout.write(answer, () => process.exit(0));
}

/** Records that a hook ran, for `thoughtbox doctor`. Does not create a store. */
function leaveMark(): void {
  const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;
  const run = join(dataDir, "run");
  try {
    if (!existsSync(dataDir)) return;
    for (const folder of [dataDir, run, join(run, "hooks")]) {
      if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
      if (!isOwnDirectory(folder)) return;
    }
    const file = openSync(join(run, "hooks", client), O_CREAT | O_NOFOLLOW | O_TRUNC | O_WRONLY, 0o600);
    writeFileSync(file, `${event}\n`);
    closeSync(file);
  } catch {
    // The hook works without the mark.
  }
}

function readInput(): Promise<string> {
  return new Promise((done, fail) => {
    const chunks: Buffer[] = [];
    let length = 0;
    process.stdin.on("error", fail);
    process.stdin.on("end", () => done(Buffer.concat(chunks).toString("utf8")));
    process.stdin.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > longestInput) fail(new Error("too long"));
      chunks.push(chunk);
    });
  });
}

/** Rejects if no server of this user is listening. */
function askServer(input: unknown): Promise<string> {
  const path = hookSocketPath(dataDir);
  return new Promise((done, fail) => {
    if (!isOwnSocket(path)) throw new Error("no server is listening");
    const token = process.platform === "win32" ? readFileSync(hookTokenPath(dataDir), "utf8") : undefined;
    let answer = "";
    const socket = connect(path, () =>
      socket.write(`${JSON.stringify({ client, event, input, attended, token })}\n`),
    );
    socket.setEncoding("utf8");
    socket.on("error", fail);
    socket.on("data", (text) => {
      answer += text;
    });
    socket.on("end", () =>
      answer.endsWith("\n") ? done(answer.trimEnd()) : fail(new Error("connection closed early")),
    );
  });
}

/**
 * Handles the event if no server is running. Before an action, reports nothing. At a session start, answers
 * from the store. After a turn, records the turn in a process that outlives the hook.
 */
async function answerAlone(input: unknown): Promise<string> {
  if (moment === "begin") {
    const { readRecall } = await import("./recall-alone.ts");
    return JSON.stringify(await readRecall({ client, event, input: input as HookInput, dataDir }));
  }
  if (moment === "capture" && mayCapture(dataDir, capture)) {
    const { spawn } = await import("node:child_process");
    const words = [join(__dirname, "thoughtbox.js"), "capture", "--once"];
    const env = { ...process.env, THOUGHTBOX_DATA_DIR: dataDir };
    spawn(process.execPath, words, { detached: true, stdio: "ignore", windowsHide: true, env }).unref();
  }
  return "{}";
}

async function answer(): Promise<string> {
  const text = await readInput();
  if (moment === undefined) return "{}";
  const input: unknown = JSON.parse(text);
  client = clientOf(told, (input ?? {}) as HookInput);
  return askServer(input).catch(() => answerAlone(input));
}

setTimeout(() => end("{}"), patienceMs).unref();
process.on("uncaughtException", () => end("{}"));
void answer()
  .catch(() => "{}")
  .then((text) => {
    if (moment !== undefined) leaveMark();
    end(text);
  });

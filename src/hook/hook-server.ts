import { randomBytes, timingSafeEqual } from "node:crypto";
import { chmodSync, lstatSync, unlinkSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { dirname } from "node:path";
import { findDirectoryFlaw, makeDirectorySync } from "../disk/make-directory.ts";
import { codeOf } from "../disk/open-without-following.ts";
import { writeWholeSync } from "../disk/write-whole.ts";
import { hookSocketPath, hookTokenPath, isOwnSocket } from "./socket-path.ts";

export type HookRequest = {
  client: string;
  event: string;
  input: Readonly<Record<string, unknown>>;
  /** True if a person is watching the client. */
  attended?: boolean;
};

type HookServerOptions = {
  dataDir: string;
  /** Never rejects. */
  answer(request: HookRequest): Promise<object>;
  report(thrown: unknown): void;
  /** Called shortly after this process begins to listen. */
  onQuiet(): Promise<void>;
};

const longestRequest = 1024 * 1024;
const mostConnections = 64;
const idleMs = 5_000;
/** Only one of several servers listens. If it ends, another takes over after at most this time. */
const takeOverMs = 5_000;
/** How long the warm-up waits, so that a server that has just started can answer its client first. */
const quietMs = 500;

/** Listens for hooks from clients while no other process does. Resolves after the first attempt. */
export async function serveHooks({
  dataDir,
  answer,
  report,
  onQuiet,
}: HookServerOptions): Promise<{ stop(): Promise<void> }> {
  const path = hookSocketPath(dataDir);
  const token = process.platform === "win32" ? makeToken(dataDir) : undefined;
  let listening: Server | undefined;
  let isStopped = false;
  let quiet: NodeJS.Timeout | undefined;

  async function tryToListen(): Promise<void> {
    if (listening || isStopped) return;
    try {
      prepareFolder(path);
      if (await isAnswered(path)) return;
      removeStale(path);
      listening = await listen(path, (socket) => serve(socket, token, answer));
      listening.once("close", () => {
        listening = undefined;
      });
      quiet = setTimeout(() => void onQuiet().catch(report), quietMs).unref();
    } catch (thrown) {
      // Another process was faster.
      if (codeOf(thrown) !== "EADDRINUSE") report(thrown);
    }
  }

  await tryToListen();
  const retry = setInterval(() => void tryToListen(), takeOverMs).unref();
  return {
    async stop() {
      isStopped = true;
      clearInterval(retry);
      clearTimeout(quiet);
      const server = listening;
      if (server) await new Promise((done) => server.close(done));
    },
  };
}

function makeToken(dataDir: string): string {
  const token = randomBytes(32).toString("base64url");
  const file = hookTokenPath(dataDir);
  makeDirectorySync(dirname(file));
  writeWholeSync(dirname(file), "hook.token", token, { as: "replace", durable: false });
  return token;
}

const isPipe = (path: string): boolean => path.startsWith("\\\\.\\pipe\\");

/** Refuses a folder that others can write to, because they could replace the socket. */
function prepareFolder(path: string): void {
  if (isPipe(path)) return;
  const folder = dirname(path);
  makeDirectorySync(folder);
  const flaw = findDirectoryFlaw(lstatSync(folder));
  if (flaw !== undefined) throw new Error(`Hooks are not served, because ${folder} ${flaw}.`);
  chmodSync(folder, 0o700);
}

/** True if a process is listening. The file alone may be left over from a killed process. */
function isAnswered(path: string): Promise<boolean> {
  if (!isPipe(path) && !isOwnSocket(path)) return Promise.resolve(false);
  return new Promise((done) => {
    const socket = connect(path, () => {
      socket.destroy();
      done(true);
    });
    socket.on("error", () => done(false));
  });
}

function removeStale(path: string): void {
  if (isPipe(path)) return;
  try {
    unlinkSync(path);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw thrown;
  }
}

function listen(path: string, onConnection: (socket: Socket) => void): Promise<Server> {
  return new Promise((done, fail) => {
    const server = createServer({ allowHalfOpen: true }, onConnection);
    server.maxConnections = mostConnections;
    server.once("error", fail);
    server.listen(path, () => {
      if (!isPipe(path)) chmodSync(path, 0o600);
      // Hooks alone do not keep the process running.
      server.unref();
      done(server);
    });
  });
}

function serve(socket: Socket, token: string | undefined, answer: HookServerOptions["answer"]): void {
  let received = "";
  let isRead = false;
  socket.setEncoding("utf8");
  socket.setTimeout(idleMs, () => socket.destroy());
  socket.unref();
  // A disconnected client needs no answer.
  socket.on("error", () => socket.destroy());
  socket.on("data", (text) => {
    received += text;
    if (received.length > longestRequest) socket.destroy();
    const end = received.indexOf("\n");
    if (end < 0 || isRead) return;
    isRead = true;
    const request = readRequest(received.slice(0, end), token);
    if (!request) socket.end("{}\n");
    else void answer(request).then((said) => socket.end(`${JSON.stringify(said)}\n`));
  });
  socket.on("end", () => {
    if (!isRead) socket.destroy();
  });
}

function readRequest(line: string, token: string | undefined): HookRequest | undefined {
  try {
    const { client, event, input, attended, token: shown } = JSON.parse(line) as Record<string, unknown>;
    if (token !== undefined && !isSame(token, shown)) return undefined;
    if (typeof client !== "string" || typeof event !== "string") return undefined;
    if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
    return { client, event, input: input as HookRequest["input"], attended: attended === true };
  } catch {
    return undefined;
  }
}

function isSame(token: string, shown: unknown): boolean {
  const given = Buffer.from(typeof shown === "string" ? shown : "");
  return given.length === token.length && timingSafeEqual(given, Buffer.from(token));
}

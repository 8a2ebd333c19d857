import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { createApp } from "../../../src/app.ts";
import { readConfig } from "../../../src/config.ts";
import type { ClientMessage, ServerMessage } from "../../../src/observatory/wire-live.ts";
import type { Caller } from "../../../src/operations/pipeline/context.ts";
import { tempDir } from "../../support/temp-dir.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const caller: Caller = { era: "modern", transport: "cli", can: { roots: false, sampling: false } };

/** Writes a stand-in for the built `ui/`. */
function writePage(): string {
  const directory = tempDir();
  mkdirSync(join(directory, "assets"));
  writeFileSync(join(directory, "index.html"), "<!doctype html><title>Observatory</title>");
  writeFileSync(join(directory, "assets", "app-1a2b.js"), "export {};");
  writeFileSync(join(directory, ".built-from"), "not for readers");
  return directory;
}

/** Returns an agent whose calls are made in this process. */
export function openAgent(dataDir: string, env: Record<string, string> = {}, workingDirectory?: string) {
  const variables = {
    HOST: "127.0.0.1",
    DISABLE_THOUGHT_LOGGING: "true",
    THOUGHTBOX_OBSERVATORY_PORT: "0",
    THOUGHTBOX_DATA_DIR: dataDir,
    ...env,
  };
  const config = readConfig({ env: variables });
  const app = createApp({
    config,
    version: "0.0.0-test",
    contentDir: join(root, "content"),
    observatoryDir: writePage(),
    ...(workingDirectory !== undefined && { workingDirectory }),
    projectOf: (cwd) =>
      cwd === undefined ? config.project : readConfig({ env: variables, fromGit: true, cwd }).project,
    log: () => {},
  });
  onTestFinished(() => app.close());
  async function call(name: string, args: Record<string, unknown> = {}): Promise<any> {
    const reply = await app.perform(name, args, { caller, anyStage: true });
    if (reply.kind !== "result") throw new Error(`${name} answered ${JSON.stringify(reply)}`);
    return reply.result;
  }
  return { app, call, dataDir };
}

/** Starts the Observatory on a free port, with an agent in the same process. */
export async function openObservatory(
  options: { dataDir?: string; env?: Record<string, string>; workingDirectory?: string } = {},
) {
  const agent = openAgent(options.dataDir ?? tempDir(), options.env, options.workingDirectory);
  const service = await agent.app.serveObservatory();
  onTestFinished(() => service.stop(0));
  const url = `http://127.0.0.1:${service.port}`;
  return {
    ...agent,
    service,
    url,
    get: (path: string, headers: Record<string, string> = {}) =>
      fetch(`${url}${path}`, { headers, redirect: "manual" }),
    async json(path: string): Promise<any> {
      const answer = await fetch(`${url}${path}`);
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    },
    look: () => openViewer(url),
  };
}

/** Acts like an open page, without a browser. */
export async function openViewer(
  url: string,
  headers: Record<string, string> = {},
  protocols: string[] = [],
  keep = (text: string) => text,
) {
  const socket = new WebSocket(url.replace("http:", "ws:"), protocols, { headers });
  onTestFinished(() => socket.terminate());
  const messages: ServerMessage[] = [];
  const texts: string[] = [];
  let look = () => {};
  socket.on("message", (data) => {
    const text = keep(String(data));
    texts.push(text);
    if (text !== "pong") messages.push(JSON.parse(text));
    look();
  });
  const closed = new Promise<number>((resolve) => socket.on("close", resolve));
  socket.on("error", () => {});
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  const until = <Found>(find: () => Found | undefined | false): Promise<Found> =>
    new Promise((resolve, reject) => {
      look = () => {
        const found = find();
        if (found !== undefined && found !== false) resolve(found);
      };
      void closed.then((code) => reject(new Error(`closed with ${code} after ${texts.slice(-3)}`)));
      look();
    });
  return {
    socket,
    messages,
    texts,
    closed,
    say: (message: ClientMessage | string) =>
      socket.send(typeof message === "string" ? message : JSON.stringify(message)),
    until,
    /** Resolves with the first, or n-th, message with this name. */
    event: <Name extends ServerMessage["event"]>(name: Name, nth = 1) =>
      until(() => messages.filter(({ event }) => event === name)[nth - 1]) as Promise<
        Extract<ServerMessage, { event: Name }>
      >,
  };
}

/** Opens a viewer that drops long texts, so that many of them fit into memory. */
export const openForgetfulViewer = (url: string) =>
  openViewer(url, {}, [], (text) => text.replaceAll(/x{1000,}/g, ""));

/** Returns the positions of all thoughts that a viewer received, in order. */
export function positionsSeen(messages: readonly ServerMessage[]): number[] {
  return messages.flatMap((message) => {
    if (message.event === "session:snapshot") {
      const { thoughts, branches, page, skeleton } = message.data;
      if (skeleton) return skeleton.seq.map((_, row) => page.from + row);
      return [...thoughts, ...Object.values(branches).flatMap((branch) => branch.thoughts)]
        .map(({ position }) => position)
        .sort((a, b) => a - b);
    }
    return "data" in message && "thought" in message.data ? [message.data.thought.position] : [];
  });
}

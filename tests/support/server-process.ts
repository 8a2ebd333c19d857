import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

export const binary = join(import.meta.dirname, "..", "..", "dist", "thoughtbox.js");

/** No repository, so that no project is taken from one. */
export const nowhere = tmpdir();

type Message = { id?: unknown; result?: any; error?: any; method?: string };

/** The built binary on stdio, spoken to in raw JSON-RPC lines: for what no well-behaved client would send. */
export function spawnServer(
  dataDir: string,
  env: Record<string, string> = {},
  wrap: (command: string[]) => string[] = (c) => c,
  cwd = nowhere,
) {
  const [command = process.execPath, ...args] = wrap([process.execPath, binary, "stdio"]);
  const child: ChildProcessWithoutNullStreams = spawn(command, args, {
    cwd,
    env: { ...cleanEnv(), DISABLE_THOUGHT_LOGGING: "true", THOUGHTBOX_DATA_DIR: dataDir, ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const waiting = new Map<unknown, (message: Message) => void>();
  const lines: string[] = [];
  const strays: Message[] = [];
  let stderr = "";
  let nextId = 0;
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  child.stdin.on("error", () => {});
  createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY }).on("line", (line) => {
    lines.push(line);
    const message = JSON.parse(line) as Message;
    const resolve = waiting.get(message.id);
    if (resolve) {
      waiting.delete(message.id);
      resolve(message);
    } else strays.push(message);
  });
  const exited = once(child, "exit");

  function sendRaw(text: string | Buffer): void {
    child.stdin.write(text);
  }
  function expectAnswer(id: unknown): Promise<Message> {
    return new Promise((resolve, reject) => {
      waiting.set(id, resolve);
      void exited.then(() =>
        reject(new Error(`the server ended before it answered ${String(id)}: ${stderr.slice(-500)}`)),
      );
    });
  }
  function request(method: string, params: Record<string, unknown> = {}): Promise<Message> {
    const id = ++nextId;
    const answer = expectAnswer(id);
    sendRaw(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return answer;
  }

  return {
    child,
    exited,
    /** Every line seen on stdout. */
    lines,
    /** Messages that answer nothing we waited for. */
    strays,
    stderr: () => stderr,
    sendRaw,
    expectAnswer,
    request,
    /** Opens a legacy connection. */
    async initialize(): Promise<void> {
      const params = {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "test", version: "1" },
      };
      await request("initialize", params);
      sendRaw('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    },
    /** One gateway call; resolves with `structuredContent`, errors included. */
    async gateway(args: Record<string, unknown>): Promise<any> {
      const { result, error } = await request("tools/call", { name: "thoughtbox_gateway", arguments: args });
      if (error) throw new Error(`protocol error ${JSON.stringify(error)}`);
      return result.structuredContent;
    },
  };
}

export type ServerProcess = ReturnType<typeof spawnServer>;

/** The environment without anything that would configure Thoughtbox. */
export function cleanEnv(): Record<string, string> {
  const own = /^(THOUGHTBOX_|PORT$|HOST$|DISABLE_THOUGHT_LOGGING$)/;
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([key, value]) =>
      value === undefined || own.test(key) ? [] : [[key, value]],
    ),
  );
}

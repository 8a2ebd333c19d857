import { type Command, startChild } from "./child.ts";
import {
  type Answer,
  initialized,
  initializeParams,
  modernMeta,
  type Params,
  type Result,
  request,
  resultOf,
} from "./messages.ts";

/** The maximum number of milliseconds that a server may run. No row needs more. */
const lifeMs = 600_000;

export type StdioServer = ReturnType<typeof startStdioServer>;

/** Starts a server on pipes. Any number of requests can be in flight. */
export function startStdioServer(command: Command) {
  const { child, exited, stop } = startChild(command, ["pipe", "pipe", "pipe"]);
  // Read stderr and discard it, as clients do.
  child.stderr?.resume();
  const waiting = new Map<number, (answer: Answer) => void>();
  let nextId = 0;
  let rest = "";
  let notice = (): void => {};

  child.stdin?.on("error", () => {});
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) receive(JSON.parse(line) as Answer);
  });
  void exited.then(() => {
    for (const answer of waiting.values()) answer({ error: "the server ended" });
  });

  function receive(answer: Answer): void {
    if (answer.id === undefined) {
      notice();
      return;
    }
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  }

  const send = (message: object) => child.stdin?.write(`${JSON.stringify(message)}\n`);

  async function ask(method: string, params: Params = {}): Promise<Result> {
    nextId += 1;
    const id = nextId;
    const answer = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    send(request(id, method, params));
    return resultOf(await answer, `${method} ${JSON.stringify(params).slice(0, 200)}`);
  }

  const limit = setTimeout(() => child.kill("SIGKILL"), lifeMs).unref();
  void exited.then(() => clearTimeout(limit));

  return {
    pid: child.pid ?? 0,
    ask,
    /** Sets a listener for the server's notifications. */
    onNotification(listener: () => void): void {
      notice = listener;
    },
    async initialize(): Promise<void> {
      await ask("initialize", initializeParams);
      send(initialized);
    },
    call: (name: string, args: Params = {}): Promise<Result> => ask("tools/call", { name, arguments: args }),
    /** Calls a tool like a client that sends no handshake. */
    callModern: (name: string, args: Params = {}): Promise<Result> =>
      ask("tools/call", { name, arguments: args, _meta: modernMeta }),
    stop,
  };
}

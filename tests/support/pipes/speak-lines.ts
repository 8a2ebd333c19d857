import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

type Message = { id?: unknown; result?: any; error?: any; method?: string };

/**
 * Starts a conversation in raw JSON-RPC lines. When the conversation has `ended`, pending requests fail with
 * the reason.
 */
export function speakLines(
  input: Writable,
  output: Readable,
  ended: Promise<unknown>,
  lastWords: () => string = () => "",
) {
  const waiting = new Map<unknown, (message: Message) => void>();
  const lines: string[] = [];
  const strays: Message[] = [];
  let nextId = 0;
  createInterface({ input: output, crlfDelay: Number.POSITIVE_INFINITY }).on("line", (line) => {
    lines.push(line);
    const message = JSON.parse(line) as Message;
    const resolve = waiting.get(message.id);
    if (resolve) {
      waiting.delete(message.id);
      resolve(message);
    } else strays.push(message);
  });

  function sendRaw(text: string | Buffer): void {
    input.write(text);
  }
  function expectAnswer(id: unknown): Promise<Message> {
    return new Promise((resolve, reject) => {
      waiting.set(id, resolve);
      void ended.then(() =>
        reject(new Error(`the server ended before it answered ${String(id)}: ${lastWords()}`)),
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
    /** Every line seen. */
    lines,
    /** Messages that answer no pending request. */
    strays,
    sendRaw,
    expectAnswer,
    request,
    /** Opens a legacy connection. */
    async initialize(name = "test"): Promise<void> {
      const params = {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name, version: "1" },
      };
      await request("initialize", params);
      sendRaw('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    },
    /** Makes one gateway call. Resolves with the object in its answer, even if that is an error. */
    async gateway(args: Record<string, unknown>): Promise<any> {
      const { result, error } = await request("tools/call", { name: "thoughtbox_gateway", arguments: args });
      if (error) throw new Error(`protocol error ${JSON.stringify(error)}`);
      return result.structuredContent ?? JSON.parse(result.content[0].text);
    },
  };
}

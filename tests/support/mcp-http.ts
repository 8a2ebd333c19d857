/** MCP over HTTP by hand, for requests and answers that no client library would send or show. */

export const legacyVersion = "2025-11-25";
const modernVersion = "2026-07-28";

const both = "application/json, text/event-stream";
export const jsonHeaders = { "Content-Type": "application/json", Accept: both };

type Headers = Record<string, string>;
export type Message = { id?: number; method?: string; params?: any; result?: any; error?: any };

export function post(
  url: URL,
  body: unknown,
  headers: Headers = {},
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { ...jsonHeaders, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...(signal && { signal }),
  });
}

export function request(id: number, method: string, params: object = {}) {
  return { jsonrpc: "2.0", id, method, params };
}

/** Creates a modern request, which describes its client. The standard headers repeat its main fields. */
export function modernRequest(
  id: number,
  method: string,
  params: { name?: string; _meta?: object; [field: string]: unknown } = {},
) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": modernVersion,
    "io.modelcontextprotocol/clientInfo": { name: "by-hand", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
    ...params._meta,
  };
  const name = params.name === undefined ? {} : { "Mcp-Name": params.name };
  return {
    body: request(id, method, { ...params, _meta }),
    headers: { "MCP-Protocol-Version": modernVersion, "Mcp-Method": method, ...name },
  };
}

export function postModern(
  url: URL,
  id: number,
  method: string,
  params: Parameters<typeof modernRequest>[2] = {},
  signal?: AbortSignal,
): Promise<Response> {
  const { body, headers } = modernRequest(id, method, params);
  return post(url, body, headers, signal);
}

export const initialize = request(0, "initialize", {
  protocolVersion: legacyVersion,
  capabilities: {},
  clientInfo: { name: "by-hand", version: "1" },
});

/** Opens a legacy session without leaving a stream open. Resolves with the headers that continue it. */
export async function openLegacySession(url: URL): Promise<Headers> {
  const answer = await post(url, initialize);
  await answer.text();
  const id = answer.headers.get("mcp-session-id");
  if (answer.status !== 200 || id === null) throw new Error(`initialize answered ${answer.status}`);
  return { "Mcp-Session-Id": id, "MCP-Protocol-Version": legacyVersion };
}

/** Returns the messages in an answer, from a JSON body or an event stream. Ends when the stream ends. */
export async function* messages(answer: Response): AsyncGenerator<Message> {
  if (!answer.headers.get("content-type")?.includes("text/event-stream")) {
    yield (await answer.json()) as Message;
    return;
  }
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      const data = /^data: (.+)$/m.exec(event)?.[1];
      if (data !== undefined) yield JSON.parse(data) as Message;
    }
  }
}

export async function allMessages(answer: Response): Promise<Message[]> {
  const received: Message[] = [];
  for await (const message of messages(answer)) received.push(message);
  return received;
}

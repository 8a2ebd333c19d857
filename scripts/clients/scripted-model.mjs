// A scripted model on loopback, which answers each request from a client with the next tool call.
import { createServer } from "node:http";
import { json } from "node:stream/consumers";

/**
 * `dialect` reads the client's requests and writes the model's answers. `script` receives the results of the calls so
 * far and returns the next call `{tool, args}`, or `{say}` at the end.
 */
export async function startScriptedModel(dialect, script) {
  const seen = { requests: 0, bytes: 0, ownBytes: 0, results: [], tools: [], looked: new Set() };
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      seen.failure ??= error;
      response.writeHead(500).end();
    });
  });

  async function answer(request, response) {
    if (!dialect.serves(request)) {
      response.writeHead(404, { "content-type": "application/json" }).end("{}");
      return;
    }
    const body = await json(request);
    const { isWork, tools, results } = dialect.read(body);
    // Clients also send small requests, such as for a title. Those have no tools.
    if (!isWork) {
      dialect.write(response, { say: "Work" });
      return;
    }
    seen.requests += 1;
    seen.bytes += Buffer.byteLength(JSON.stringify(body));
    seen.tools = tools.map(({ name }) => name);
    seen.ownBytes = Math.max(
      seen.ownBytes,
      tools.reduce((sum, { bytes }) => sum + bytes, 0),
    );
    seen.results = results;
    const next = script(results);
    if (next.tool === undefined) {
      dialect.write(response, next);
      return;
    }
    const id = `call_${seen.requests}`;
    const tool = tools.find(({ name }) => name === next.tool);
    if (tool) dialect.write(response, { call: tool.call, args: next.args, id });
    else if (dialect.find && !seen.looked.has(next.tool)) {
      seen.looked.add(next.tool);
      dialect.write(response, { ...dialect.find(next.tool), id });
    } else if (dialect.callFound) dialect.write(response, { ...dialect.callFound(next.tool, next.args), id });
    else throw new Error(`the client offered no ${next.tool}, only ${seen.tools.join(", ")}`);
  }

  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

/**
 * Parses the first JSON object in an answer. Clients may add lines before and after it. A page is returned as
 * its text.
 */
export function readObject(text) {
  if (/^\s*(?:<\w+>\s*)?# /.test(text)) return { text };
  const start = text.indexOf("{");
  try {
    return JSON.parse(text.slice(start, endOfObject(text, start)));
  } catch (error) {
    throw new Error(`no object in ${text.slice(0, 300)}`, { cause: error });
  }
}

function endOfObject(text, start) {
  let depth = 0;
  for (const { 0: token, index } of text.slice(start).matchAll(/"(?:[^"\\]|\\.)*"|[{}]/gs)) {
    if (token === "{") depth += 1;
    else if (token === "}" && --depth === 0) return start + index + 1;
  }
  return undefined;
}

export function startEvents(response) {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  return (type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
}

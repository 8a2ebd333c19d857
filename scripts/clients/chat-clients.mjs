// Copilot CLI, opencode and Qwen Code, and the Chat Completions API that they use.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readObject } from "./scripted-model.mjs";

const qwenSearch = "tool_search";
const own = /^thoughtbox[-_]+(?=\w)/;

const dialect = {
  serves: ({ method, url }) => method === "POST" && /\/chat\/completions(\?|$)/.test(url),

  read({ tools = [], messages = [] }) {
    const calls = messages.flatMap(({ tool_calls: made }) => made ?? []);
    const searches = new Set(calls.filter((call) => call.function.name === qwenSearch).map(({ id }) => id));
    return {
      isWork: tools.length > 0,
      tools: tools
        .filter(({ function: { name } }) => own.test(name))
        .map((tool) => ({
          name: tool.function.name.replace(own, ""),
          call: { name: tool.function.name },
          bytes: Buffer.byteLength(JSON.stringify(tool)),
        })),
      results: messages
        .filter(({ role, tool_call_id: id }) => role === "tool" && !searches.has(id))
        .map(({ content }) =>
          readObject(typeof content === "string" ? content : content.map(({ text = "" }) => text).join("")),
        ),
    };
  },

  write(response, { say = "", think, call, args, id }) {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    const calls = call && [
      { index: 0, id, type: "function", function: { name: call.name, arguments: JSON.stringify(args) } },
    ];
    const head = { id: "scripted", object: "chat.completion.chunk", created: 1, model: "scripted" };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const send = (data) => response.write(`data: ${JSON.stringify({ ...head, ...data })}\n\n`);
    const reasoning = think && { reasoning_content: think };
    const delta = { role: "assistant", content: say, ...reasoning, ...(calls && { tool_calls: calls }) };
    send({ choices: [{ index: 0, delta, finish_reason: null }] });
    send({ choices: [{ index: 0, delta: {}, finish_reason: calls ? "tool_calls" : "stop" }], usage });
    response.end("data: [DONE]\n\n");
  },
};

function put(file, value) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(value));
}

/** If neither `stdio` nor `url` is given, the client is prepared without our server. */
export const copilot = {
  name: "Copilot CLI",
  program: "copilot",
  dialect,
  prepare({ folder, modelUrl, stdio, url }) {
    const server = stdio ? { type: "local", ...stdio } : url && { type: "http", url };
    put(join(folder, ".copilot", "mcp-config.json"), {
      mcpServers: { ...(server && { thoughtbox: { tools: ["*"], ...server } }) },
    });
    return {
      args: ["-p", "Look into the slow build.", "--allow-all-tools"],
      env: {
        HOME: folder,
        COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
        COPILOT_PROVIDER_TYPE: "openai",
        COPILOT_PROVIDER_API_KEY: "scripted",
        COPILOT_MODEL: "scripted",
        COPILOT_OFFLINE: "true",
      },
    };
  },
};

export const opencode = {
  name: "opencode",
  program: "opencode",
  dialect,
  prepare({ folder, modelUrl, stdio, url }) {
    const server = stdio
      ? { type: "local", command: [stdio.command, ...stdio.args], environment: stdio.env }
      : url && { type: "remote", url };
    const options = { baseURL: `${modelUrl}/v1`, apiKey: "scripted" };
    const scripted = {
      npm: "@ai-sdk/openai-compatible",
      options,
      models: { scripted: { name: "scripted", tool_call: true } },
    };
    put(join(folder, ".config", "opencode", "opencode.json"), {
      autoupdate: false,
      share: "disabled",
      model: "scripted/scripted",
      small_model: "scripted/scripted",
      provider: { scripted },
      mcp: { ...(server && { thoughtbox: { ...server, enabled: true } }) },
    });
    return {
      args: ["run", "Look into the slow build."],
      env: { HOME: folder, OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
    };
  },
};

const qwenTool = (name) => `mcp__thoughtbox__${name}`;

/**
 * Qwen Code lists the tools without schemas. The model looks up a tool, and then calls it through another
 * tool.
 */
export const qwen = {
  name: "Qwen Code",
  program: "qwen",
  dialect: {
    ...dialect,
    find: (name) => ({ call: { name: qwenSearch }, args: { query: `select:${qwenTool(name)}` } }),
    callFound: (name, args) => ({
      call: { name: "tool_call" },
      args: { name: qwenTool(name), arguments: args },
    }),
  },
  prepare({ folder, modelUrl, stdio, url }) {
    const server = stdio ?? (url && { httpUrl: url });
    put(join(folder, ".qwen", "settings.json"), {
      mcpServers: { ...(server && { thoughtbox: { ...server, trust: true } }) },
      security: { auth: { selectedType: "openai" } },
      telemetry: { enabled: false },
      privacy: { usageStatisticsEnabled: false },
    });
    return {
      args: ["--yolo", "-m", "scripted", "-p", "Look into the slow build."],
      env: {
        HOME: folder,
        OPENAI_API_KEY: "scripted",
        OPENAI_BASE_URL: `${modelUrl}/v1`,
        OPENAI_MODEL: "scripted",
      },
    };
  },
};

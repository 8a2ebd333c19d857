// Claude Code, and the Messages API that it uses.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readObject, startEvents } from "./scripted-model.mjs";

const prefix = "mcp__thoughtbox__";

const dialect = {
  serves: ({ method, url }) => method === "POST" && /^\/v1\/messages(\?|$)/.test(url),

  read({ tools = [], messages = [] }) {
    const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
    const ours = parts.filter(({ type, name }) => type === "tool_use" && name.startsWith(prefix));
    const ids = ours.map(({ id }) => id);
    return {
      isWork: tools.length > 0,
      tools: tools
        .filter(({ name }) => name.startsWith(prefix))
        .map((tool) => ({
          name: tool.name.slice(prefix.length),
          call: { name: tool.name },
          bytes: Buffer.byteLength(JSON.stringify(tool)),
        })),
      results: parts
        .filter(({ type, tool_use_id: id }) => type === "tool_result" && ids.includes(id))
        .map(({ content }) => readObject(typeof content === "string" ? content : textOf(content))),
    };
  },

  /** Newer versions of Claude Code give the model only the names of tools, and load a tool on demand. */
  find: (name) => ({ call: { name: "ToolSearch" }, args: { query: `select:${prefix}${name}` } }),

  write(response, { say, call, args, id }) {
    const send = startEvents(response);
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: "msg", type: "message", role: "assistant", model: "scripted", content: [], usage };
    const block = call
      ? { type: "tool_use", id: `toolu_${id}`, ...call, input: {} }
      : { type: "text", text: "" };
    const delta = call
      ? { type: "input_json_delta", partial_json: JSON.stringify(args) }
      : { type: "text_delta", text: say };
    send("message_start", { message });
    send("content_block_start", { index: 0, content_block: block });
    send("content_block_delta", { index: 0, delta });
    send("content_block_stop", { index: 0 });
    send("message_delta", { delta: { stop_reason: call ? "tool_use" : "end_turn" }, usage });
    send("message_stop", {});
    response.end();
  },
};

const textOf = (parts) => parts.map(({ text = "" }) => text).join("");

export const claudeCode = {
  name: "Claude Code",
  program: "claude",
  dialect,

  /** Writes what `claude mcp add` would. The server is already allowed, because no user can answer here. */
  prepare({ folder, modelUrl, stdio, url }) {
    const server = stdio ? { type: "stdio", ...stdio } : { type: "http", url };
    const file = join(folder, "mcp.json");
    writeFileSync(file, JSON.stringify({ mcpServers: { thoughtbox: server } }));
    return {
      args: [
        ...["--print", "Look into the slow build."],
        ...["--mcp-config", file, "--strict-mcp-config", "--allowedTools", "mcp__thoughtbox"],
      ],
      env: {
        HOME: folder,
        ANTHROPIC_BASE_URL: modelUrl,
        ANTHROPIC_API_KEY: "scripted",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
      },
    };
  },
};

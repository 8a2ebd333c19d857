// Codex, and the Responses API that it uses.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readObject, startEvents } from "./scripted-model.mjs";

const server = "mcp__thoughtbox";

const dialect = {
  serves: ({ method, url }) => method === "POST" && url.startsWith("/v1/responses"),

  read({ tools = [], input = [] }) {
    const own = tools.filter(({ type, name }) => type === "namespace" && name === server);
    const bytes = (tool) => Buffer.byteLength(JSON.stringify(tool));
    return {
      isWork: tools.length > 0,
      tools: own.flatMap(({ tools: members, ...head }) =>
        members.map((member, at) => ({
          name: member.name,
          call: { namespace: server, name: member.name },
          bytes: bytes(member) + (at === 0 ? bytes(head) : 0),
        })),
      ),
      results: input
        .filter(({ type }) => type === "function_call_output")
        .map(({ output }) =>
          readObject(typeof output === "string" ? output : JSON.stringify(textOf(output))),
        ),
    };
  },

  write(response, { say, call, args, id }) {
    const send = startEvents(response);
    const item = call
      ? { type: "function_call", id: `fc_${id}`, call_id: id, ...call, arguments: JSON.stringify(args) }
      : { type: "message", id: "msg", role: "assistant", content: [{ type: "output_text", text: say }] };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    send("response.created", { response: { id: "response" } });
    send("response.output_item.done", { output_index: 0, item });
    send("response.completed", { response: { id: "response", usage } });
    response.end();
  },
};

const textOf = (parts) => parts.map(({ text = "" }) => text).join("");

export const codex = {
  name: "Codex",
  program: "codex",
  dialect,

  /** Writes what `codex mcp add` would. `required` makes Codex wait until the server has started. */
  prepare({ folder, modelUrl, stdio, url }) {
    const home = join(folder, "codex");
    mkdirSync(home, { recursive: true });
    const text = (value) => JSON.stringify(value);
    const env = stdio && Object.entries(stdio.env).map(([key, value]) => `${key} = ${text(value)}`);
    const config = [
      'model = "scripted"',
      'model_provider = "scripted"',
      "[model_providers.scripted]",
      'name = "scripted"',
      `base_url = ${text(`${modelUrl}/v1`)}`,
      'wire_api = "responses"',
      "[mcp_servers.thoughtbox]",
      "required = true",
      ...(stdio
        ? [
            `command = ${text(stdio.command)}`,
            `args = ${text(stdio.args)}`,
            "[mcp_servers.thoughtbox.env]",
            ...env,
          ]
        : [`url = ${text(url)}`]),
    ];
    writeFileSync(join(home, "config.toml"), `${config.join("\n")}\n`);
    return {
      args: ["exec", "--skip-git-repo-check", "Look into the slow build."],
      env: { CODEX_HOME: home, HOME: folder },
    };
  },
};

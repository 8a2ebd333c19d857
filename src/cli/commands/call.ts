import { escapeInvisible, quote, toTerminalJson } from "../../kernel/text.ts";
import { cliCaller, withStore } from "../ask.ts";
import { type Answer, type Command, workspaceOption, workspaceSetting } from "../command.ts";
import { notUnderstood } from "../failure.ts";
import type { Host, Terminal } from "../host.ts";
import { renderProse } from "../rendering/prose.ts";

export const call: Command = {
  name: "call",
  group: "More",
  summary: "Run one operation directly on the store, without a server.",
  words: ["<operation>", "[json]", "[field=value…]"],
  options: workspaceOption,
  details: [
    "Pass fields as limit=5 or as one JSON object. Use `-` to read the object from stdin. You get the same results and errors as an MCP client.",
    "All operations: thoughtbox call help. One operation: thoughtbox help notes_commit",
  ],
  examples: [
    { line: "thoughtbox call help", shows: "every operation" },
    { line: "thoughtbox call list_sessions limit=5", shows: "fields as name=value" },
    { line: `thoughtbox call session.search '{"query": "pool"}'`, shows: "fields as JSON" },
    {
      line: "thoughtbox call notes_commit content='We keep SQLite.' --workspace acme/repo",
      shows: "a note in the memory",
    },
  ],

  async run({ terminal, words: [name = "", ...words], flags }) {
    const args = await readArguments(terminal, words);
    const answer = async (host: Host): Promise<Answer | number> => {
      const reply = await host.perform(name, args, { caller: cliCaller });
      if (reply.kind === "result") return toAnswer(reply, terminal.page !== undefined);
      const refused = reply.kind === "error" ? { error: reply.error } : reply.ask;
      terminal.error(toTerminalJson(`${JSON.stringify(refused, null, 2)}\n`));
      return 1;
    };
    return withStore(terminal, answer, workspaceSetting(flags));
  },
};

/** Programs get Markdown unchanged. People get the Markdown laid out for their terminal. */
function toAnswer({ result, markdown }: { result: object; markdown?: string }, isRead: boolean): Answer {
  if (markdown === undefined) return { data: result, lines: () => [], json: result };
  if (isRead) return { data: result, lines: (context) => renderProse(markdown, context) };
  return { data: result, lines: () => [escapeInvisible(markdown).trimEnd()], isDocument: true };
}

/** Reads arguments from JSON objects and `field=value` words. Later words override earlier ones. */
async function readArguments(terminal: Terminal, words: readonly string[]): Promise<Record<string, unknown>> {
  const args: Record<string, unknown> = {};
  for (const word of words) {
    const text = word === "-" ? await terminal.readInput() : word;
    const pair = /^([A-Za-z_][\w.]*)=([\s\S]*)$/.exec(text);
    if (pair?.[1] !== undefined && word !== "-") args[pair[1]] = pair[2];
    else Object.assign(args, parseObject(text));
  }
  return args;
}

function parseObject(text: string): object {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return parsed;
  } catch {
    // The text is not JSON. The error below quotes it.
  }
  throw notUnderstood(`${quote(text, 60)} is neither a JSON object nor field=value.`);
}

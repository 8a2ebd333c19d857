import { type Command, workspaceOption, workspaceSetting } from "../../command.ts";
import { notUnderstood } from "../../failure.ts";

export const stdio: Command = {
  name: "stdio",
  group: "Serve",
  summary: "Serve MCP on stdin and stdout, for a client that starts Thoughtbox itself.",
  options: workspaceOption,
  examples: [
    {
      line: "claude mcp add thoughtbox -- thoughtbox stdio",
      shows: "let Claude Code start it",
    },
  ],

  async run({ terminal, flags }) {
    const server = await terminal.openStdio({ THOUGHTBOX_TRANSPORT: "stdio", ...workspaceSetting(flags) });
    try {
      // Otherwise a person who typed the command would see nothing.
      if (terminal.inputIsTerminal && !flags.has("quiet"))
        terminal.error("Waiting for an MCP client on stdin.\nStop with Ctrl-C.\n");
      await server.serve(terminal.stop);
      return 0;
    } finally {
      await server.close();
    }
  },
};

/** Only for the help page. `launch/thoughtbox.cjs` starts `hook.ts` instead, which loads almost nothing. */
export const hook: Command = {
  name: "hook",
  group: "Serve",
  summary: "Handle a client's hook. Connected clients run this for you.",
  words: ["[client]", "[event]", "[data-dir]"],
  details: [
    "The client passes the event as JSON on stdin. The response is one JSON object on stdout, or {} if there is nothing to report. The response arrives within 300 ms, and the exit code is always 0.",
    "SessionStart returns what earlier sessions in this repository decided, rejected and left open. Stop, SubagentStop, PreCompact and SessionEnd record what is new in the transcript, if you agreed to capture.",
    "A running server answers over the socket run/hook.sock in the data directory. If no server is running, the hook reads the store itself.",
    "thoughtbox doctor reports when each client's hooks last ran.",
  ],
  examples: [{ line: "thoughtbox connect", shows: "which clients are connected, and when their hooks ran" }],

  run: async () => {
    throw notUnderstood("hook must be the first word: thoughtbox hook <client> <event>.");
  },
};

export const lsp: Command = {
  name: "lsp",
  group: "Serve",
  summary: "Run a language server that shows why lines of code exist.",
  details: [
    "Hover over a line to see who wrote it, what was asked and the reason. Code lenses mark the lines that each session wrote. Editors start this command and talk to it over stdin and stdout.",
    "Set it up in Neovim, Helix or VS Code: docs/guide/why.md.",
  ],
  examples: [
    {
      line: 'vim.lsp.config("thoughtbox", { cmd = { "thoughtbox", "lsp" } })',
      shows: "let Neovim start it",
    },
  ],

  run: ({ terminal }) => terminal.serveLanguage(),
};

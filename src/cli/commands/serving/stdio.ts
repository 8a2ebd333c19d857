import { type Command, workspaceOption, workspaceSetting } from "../../command.ts";

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
      await server.serve(terminal.stop);
      return 0;
    } finally {
      await server.close();
    }
  },
};

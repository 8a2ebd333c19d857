import type { Command } from "../command.ts";

export const stdio: Command = {
  name: "stdio",
  group: "Serve",
  summary: "Serve MCP on stdin and stdout, for a client that starts Thoughtbox itself.",
  examples: [
    {
      line: "claude mcp add thoughtbox -- thoughtbox stdio",
      shows: "let Claude Code start it",
    },
  ],

  async run({ terminal }) {
    const host = terminal.openServer({ THOUGHTBOX_TRANSPORT: "stdio" });
    try {
      await host.serveStdio(terminal.stop);
      return 0;
    } finally {
      await host.close();
    }
  },
};

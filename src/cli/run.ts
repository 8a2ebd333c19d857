import { callOperation } from "./call.ts";
import type { Terminal } from "./host.ts";
import { serve } from "./serve.ts";
import { writeDocs } from "./write-docs.ts";

type Command = { usage: string; summary: string; run(terminal: Terminal, words: string[]): Promise<number> };

const commands: Record<string, Command> = {
  serve: {
    usage: "serve",
    summary: "serve MCP over HTTP, for clients that connect by URL",
    run: serve,
  },
  stdio: {
    usage: "stdio",
    summary: "serve MCP on stdin and stdout, for a client that starts Thoughtbox itself",
    run: serveStdio,
  },
  call: {
    usage: "call <operation> [json] [field=value …]",
    summary: "run one operation, for example: thoughtbox call list_sessions limit=5",
    run: callOperation,
  },
  docs: { usage: "docs [directory]", summary: "write the reference pages", run: writeDocs },
};

/** Returns the exit code: 0 done, 1 the operation failed, 2 the command was not understood. */
export async function runCli(terminal: Terminal, words: string[]): Promise<number> {
  const [name = chooseByTransport(terminal), ...rest] = words;
  if (name === "--version" || name === "-v") return say(terminal, `${terminal.version}\n`);
  if (name === "help" || name === "--help" || name === "-h") return say(terminal, usage());
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return command.run(terminal, rest);
  terminal.error(`There is no command "${name}".\n\n${usage()}`);
  return 2;
}

/** Without a command: what THOUGHTBOX_TRANSPORT says, else stdio for a client at the other end of a pipe. */
function chooseByTransport({ transport, inputIsTerminal }: Terminal): string {
  const chosen = transport ?? (inputIsTerminal ? "http" : "stdio");
  return chosen === "stdio" ? "stdio" : "serve";
}

async function serveStdio(terminal: Terminal): Promise<number> {
  const host = terminal.open({ THOUGHTBOX_TRANSPORT: "stdio" });
  await host.serveStdio(terminal.stop);
  await host.close();
  return 0;
}

function usage(): string {
  const rows = Object.values(commands).map(
    ({ usage: form, summary }) => `  thoughtbox ${form.padEnd(42)}${summary}`,
  );
  return ["Thoughtbox keeps the reasoning of AI agents.", "", ...rows, ""].join("\n");
}

function say(terminal: Terminal, text: string): number {
  terminal.out(text);
  return 0;
}

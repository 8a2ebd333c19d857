import { callOperation } from "./call.ts";
import type { Terminal } from "./host.ts";
import { writeDocs } from "./write-docs.ts";

type Command = { usage: string; summary: string; run(terminal: Terminal, words: string[]): Promise<number> };

const commands: Record<string, Command> = {
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
  if (name === undefined || name === "help" || name === "--help" || name === "-h")
    return say(terminal, usage());
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return command.run(terminal, rest);
  terminal.error(`There is no command "${name}".\n\n${usage()}`);
  return 2;
}

/** Without a command a client at the other end of a pipe gets MCP, a person at a terminal gets help. */
function chooseByTransport({ transport, inputIsTerminal }: Terminal): string | undefined {
  if (transport !== undefined) return transport === "stdio" ? "stdio" : undefined;
  return inputIsTerminal ? undefined : "stdio";
}

async function serveStdio(terminal: Terminal): Promise<number> {
  const host = terminal.open({ THOUGHTBOX_TRANSPORT: "stdio" });
  await host.serveStdio();
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

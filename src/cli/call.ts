import type { Caller } from "../operations/caller.ts";
import type { Terminal } from "./host.ts";

const caller: Caller = { era: "modern", transport: "cli", can: { roots: false, sampling: false } };

/** `thoughtbox call <operation> [json | -] [field=value …]`: one operation, through the same door as any client. */
export async function callOperation(terminal: Terminal, [name, ...words]: string[]): Promise<number> {
  if (name === undefined) {
    terminal.error("thoughtbox call needs an operation. Try: thoughtbox call help\n");
    return 2;
  }
  const args = await readArguments(terminal, words);
  if (typeof args === "string") {
    terminal.error(`${args}\n`);
    return 2;
  }
  const host = terminal.open();
  try {
    const reply = await host.perform(name, args, { caller });
    if (reply.kind === "result") {
      terminal.out(`${reply.markdown ?? JSON.stringify(reply.result, null, 2)}\n`);
      return 0;
    }
    terminal.error(
      `${JSON.stringify(reply.kind === "error" ? { error: reply.error } : reply.ask, null, 2)}\n`,
    );
    return 1;
  } finally {
    await host.close();
  }
}

/** JSON first, then `field=value` words on top; a sentence when either cannot be read. */
async function readArguments(terminal: Terminal, words: string[]): Promise<Record<string, unknown> | string> {
  const args: Record<string, unknown> = {};
  for (const word of words) {
    const text = word === "-" ? await terminal.readInput() : word;
    const pair = /^([A-Za-z_][\w.]*)=([\s\S]*)$/.exec(text);
    if (pair?.[1] !== undefined && word !== "-") args[pair[1]] = pair[2];
    else {
      const parsed = parseObject(text);
      if (!parsed) return `"${text.slice(0, 60)}" is neither a JSON object nor field=value.`;
      Object.assign(args, parsed);
    }
  }
  return args;
}

function parseObject(text: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

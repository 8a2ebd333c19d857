import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { printJsonInPieces } from "../kernel/json/print-in-steps.ts";
import { nearest } from "../kernel/nearest.ts";
import { createTurns, runInTurns } from "../kernel/steps.ts";
import { quote, toTerminalJson } from "../kernel/text.ts";
import {
  type Answer,
  type Command,
  commonOptions,
  commonSettings,
  type Flags,
  type Option,
} from "./command.ts";
import { stdio } from "./commands/serving/stdio.ts";
import { CommandFailure, nameTypedOptions, notUnderstood, toFailure } from "./failure.ts";
import type { Terminal } from "./host.ts";
import { findCommand, orList, parseWords } from "./parse-words.ts";
import { repeatPlace } from "./rendering/statement.ts";
import { foldLines, isWholeCommand, textWidth, wrap } from "./rendering/width.ts";
import { renderContext, typedPlace, widthOf } from "./screen.ts";
import { withSettings } from "./with-settings.ts";

/** `width` is `undefined` if the output is not a terminal. Each sentence is then one line, as programs expect. */
function failureText(
  { message, next }: Pick<CommandFailure, "message" | "next">,
  width: number | undefined,
): string {
  const said = width === undefined ? [`thoughtbox: ${message}`] : wrap(`thoughtbox: ${message}`, width);
  const step =
    next === undefined ? [] : nextStep(next, width === undefined ? undefined : width - indent.length);
  return `${[...said, ...step.map((line) => indent + line)].join("\n")}\n`;
}

const indent = "  ";

/**
 * Leaves the wrapping of a command to the terminal, because a command that is broken across lines cannot be
 * copied.
 */
function nextStep(next: string, width: number | undefined): string[] {
  if (width === undefined || textWidth(next) <= width || isWholeCommand(next)) return [next];
  const at = next.indexOf(": thoughtbox ");
  return at < 0 ? wrap(next, width) : [...wrap(next.slice(0, at + 1), width), next.slice(at + 2)];
}

/** Returns the exit code: 0 if it succeeded, 1 if it failed, 2 if the command was not understood. */
export async function runCli(terminal: Terminal, typed: readonly string[]): Promise<number> {
  const asJson = typed.includes("--json");
  try {
    const outcome = await execute(terminal, commandFirst(typed));
    if (typeof outcome === "number") return outcome;
    const { answer, flags } = outcome;
    if (asJson) await printJson(answer.data, terminal);
    else if (answer.json !== undefined) await printJson(answer.json, terminal);
    else await printLines(answer, terminal, flags);
    return answer.failed ? 1 : 0;
  } catch (thrown) {
    const failure = toFailure(thrown);
    if (!failure) throw thrown;
    const width = terminal.errorIsTerminal ? widthOf(terminal) : undefined;
    terminal.error(asJson ? toTerminalJson(failureAsJson(failure)) : failureText(failure, width));
    return failure.exitCode;
  }
}

type Executed = number | { answer: Answer; flags: Flags };

/** Allows common options before the command, as in `thoughtbox --data-dir x ls`. */
function commandFirst(typed: readonly string[]): readonly string[] {
  let at = 0;
  for (let word = typed[at]; word?.startsWith("-"); word = typed[at]) {
    const [name = "", inline] = word.replace(/^--/, "").split("=", 2);
    const option =
      commonOptions[name] ?? Object.values(commonOptions).find(({ short }) => word === `-${short}`);
    if (!option || asCommand[word]) break;
    at += option.value !== undefined && inline === undefined ? 2 : 1;
  }
  const command = typed[at];
  return at === 0 || command === undefined ? typed : [command, ...typed.slice(0, at), ...typed.slice(at + 1)];
}

async function execute(terminal: Terminal, typed: readonly string[]): Promise<Executed> {
  const [name = chooseWithoutCommand(terminal), ...rest] = typed;
  if (typed.length === 0 && terminal.transport === "http") {
    const { serveByTransport } = await import("./commands/serving/serve.ts");
    return run(serveByTransport, terminal, parseWords(serveByTransport, []));
  }
  const command = await loadCommand(asCommand[name] ?? name, terminal);
  // Errors name the alias that was typed.
  const { words, flags } = parseWords(command.aliases?.includes(name) ? { ...command, name } : command, rest);
  if (flags.has("help"))
    return run(await loadCommand("help", terminal), terminal, { words: [command.name], flags });
  refuseMissingStore(command, terminal, flags);
  const settled = withSettings(terminal, commonSettings(command, flags));
  return run(command, flags.has("quiet") ? withoutProgress(settled) : settled, { words, flags });
}

/** Throws if the named directory does not exist and the command cannot create a store. */
function refuseMissingStore({ name, group }: Command, terminal: Terminal, flags: Flags): void {
  const named = flags.text("data-dir");
  if (named === undefined || (group !== "Look" && !needingStore.includes(name))) return;
  const settings = terminal.settings({ THOUGHTBOX_DATA_DIR: named });
  const setting = (wanted: string) => settings.find(({ key }) => key === wanted);
  if (setting("databaseUrl")?.source !== "default" || setting("storage")?.value === "memory") return;
  const path = resolve(terminal.directory, String(setting("dataDir")?.value ?? named));
  if (existsSync(path)) return;
  throw new CommandFailure(`The data directory ${quote(path)} does not exist.`, {
    next: "Run thoughtbox config get dataDir without --data-dir to see the directory in use.",
  });
}

const needingStore = [
  "archive",
  "backup",
  "dump",
  "export",
  "rename",
  "rm",
  "tag",
  "trash",
  "undelete",
  "verify",
];

async function run(
  command: Command,
  terminal: Terminal,
  { words, flags }: { words: readonly string[]; flags: Flags },
): Promise<Executed> {
  const outcome = await command.run({ terminal, words, flags }).catch((thrown: unknown) => {
    const failure = toFailure(thrown);
    throw failure ? asTyped(failure, flags) : thrown;
  });
  return typeof outcome === "number" ? outcome : { answer: outcome, flags };
}

function asTyped(failure: CommandFailure, flags: Flags): CommandFailure {
  const { message, next, exitCode, code } = nameTypedOptions(failure, flags.has);
  const place = typedPlace(flags);
  return new CommandFailure(repeatPlace(message, place), {
    exitCode,
    next: next === undefined ? undefined : repeatPlace(next, place),
    ...(code && { code }),
  });
}

const withoutProgress = (terminal: Terminal): Terminal =>
  Object.assign(Object.create(terminal) as Terminal, {
    draw() {},
    errorIsTerminal: false,
  } satisfies Partial<Terminal>);

const asCommand: Readonly<Record<string, string>> = {
  "--version": "version",
  "-v": "version",
  "--help": "help",
  "-h": "help",
};

/** Loads `stdio` without the other commands, because a client is waiting for it. */
async function loadCommand(name: string, terminal: Terminal): Promise<Command> {
  if (name === stdio.name) return stdio;
  // Loads the modules in two steps, because a process with a low limit for open files cannot load all of them
  // at once.
  await import("../operations/pipeline/define.ts");
  const { commands } = await import("./commands.ts");
  if (name.startsWith("-")) throw notACommand(commands, name);
  return findCommand(commands, name, { others: await terminal.catalogue });
}

/** Returns the error for an option that was typed where the command should be. */
function notACommand(commands: readonly Command[], typed: string): CommandFailure {
  const [word = ""] = typed.split("=", 1);
  const name = word.replace(/^-+/, "");
  const isOption = ([long, { short }]: readonly [string, Option]) =>
    (word.startsWith("--") ? long : short) === name;
  const common = Object.entries(commonOptions).find(isOption);
  if (common)
    return notUnderstood(
      `No command was given, only the option ${word}.`,
      `Add a command: thoughtbox ${word}${common[1].value === undefined ? "" : ` <${common[1].value}>`} ls`,
    );
  const owners = commands.filter(({ options = {} }) => Object.entries(options).some(isOption));
  const [owner] = owners;
  if (owner)
    return notUnderstood(
      `No command was given. ${word} is an option of ${orList(owners.slice(0, 4).map((one) => one.name))}.`,
      `See thoughtbox ${owner.name} --help`,
    );
  const guess = word.startsWith("--") ? nearest(name, Object.keys(commonOptions)) : undefined;
  return notUnderstood(
    `There is no global option ${quote(word, 60)}.${guess ? ` Did you mean --${guess}?` : ""}`,
    "thoughtbox help lists the commands and the options for every command.",
  );
}

/**
 * Follows THOUGHTBOX_TRANSPORT if it is set. If it is not set, a person gets help, and a client at the other
 * end of a pipe gets the stdio server.
 */
function chooseWithoutCommand({ transport, inputIsTerminal }: Terminal): string {
  if (transport !== undefined) return transport === "stdio" ? "stdio" : "serve";
  return inputIsTerminal ? "help" : "stdio";
}

async function printJson(data: unknown, { out, stop }: Terminal): Promise<void> {
  const turn = createTurns();
  for (const piece of await runInTurns(printJsonInPieces(data), stop)) {
    out(toTerminalJson(piece));
    await turn();
  }
  out("\n");
}

async function printLines({ lines, isDocument }: Answer, terminal: Terminal, flags: Flags): Promise<void> {
  const { stop, out } = terminal;
  const context = renderContext(terminal, flags);
  const drawn = lines(context);
  const whole = "next" in drawn ? await runInTurns(drawn, stop) : drawn;
  const all = isDocument || !terminal.page ? whole : foldLines(whole, context.width);
  if (!flags.has("no-pager") && (await terminal.page?.(all))) return;
  const turn = createTurns();
  for (const block of blocksOf(all)) {
    out(block);
    await turn();
  }
}

/** How many characters are prepared for the screen in one go. Lines are not split. */
const blockLength = 1_000_000;

function* blocksOf(lines: readonly string[]): Generator<string> {
  let waiting: string[] = [];
  let length = 0;
  for (const line of lines) {
    waiting.push(line);
    length += line.length + 1;
    if (length < blockLength) continue;
    yield* cutAtLines(`${waiting.join("\n")}\n`);
    [waiting, length] = [[], 0];
  }
  if (waiting.length > 0) yield* cutAtLines(`${waiting.join("\n")}\n`);
}

/** Splits long text at line breaks, because a command may return a whole document as one item. */
function* cutAtLines(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const lineEnd = text.indexOf("\n", from + blockLength);
    const end = lineEnd < 0 ? text.length : lineEnd + 1;
    yield text.slice(from, end);
    from = end;
  }
}

function failureAsJson({ message, next, code }: CommandFailure): string {
  return `${JSON.stringify({ error: { ...(code && { code }), message, ...(next && { next }) } }, null, 2)}\n`;
}

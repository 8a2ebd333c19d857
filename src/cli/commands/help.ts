import * as z from "zod";
import { quote, shellWord } from "../../kernel/text.ts";
import { help } from "../../operations/help/help.ts";
import type { Operation } from "../../operations/pipeline/operation.ts";
import { ask, withStore } from "../ask.ts";
import { type Command, commonOptions, groups, type Option } from "../command.ts";
import { CommandFailure, notUnderstood } from "../failure.ts";
import type { Terminal } from "../host.ts";
import { findCommand } from "../parse-words.ts";
import { renderProse } from "../rendering/prose.ts";
import { proseWidth, type RenderContext } from "../rendering/render-context.ts";
import { foldCommand, pad, textWidth, wrap } from "../rendering/width.ts";

export const version: Command = {
  name: "version",
  group: "More",
  summary: "Print the version.",
  examples: [{ line: "thoughtbox version", shows: "the same as thoughtbox --version" }],
  run: async ({ terminal }) => ({
    data: { version: terminal.version },
    lines: () => [terminal.version],
  }),
};

/** `all` is a function because the list includes this command. */
export function createHelp(all: () => readonly Command[]): Command {
  return {
    name: "help",
    group: "More",
    summary: "Explain a command, an operation or a topic, or list all commands.",
    words: ["[name…]"],
    details: [
      "If a command has the same name as an operation or a topic, help explains the command. For the other page, use thoughtbox call help topic=<name>.",
    ],
    examples: [
      { line: "thoughtbox help", shows: "all commands" },
      { line: "thoughtbox help show", shows: "one command, like thoughtbox show --help" },
      { line: "thoughtbox help notes_commit", shows: "one operation, which you run with thoughtbox call" },
      { line: "thoughtbox help branches", shows: "a topic" },
    ],

    async run({ terminal, words: [name, ...more] }) {
      const commands = all();
      if (name === undefined)
        return {
          data: { commands: commands.map(describe) },
          lines: (context) => renderOverview(commands, context),
        };
      const command = commands.find((one) => one.name === name || one.aliases?.includes(name));
      if (command) {
        for (const word of more) refuseUnknownVerb(command, word);
        return pageOf(command, await findPages(terminal, command));
      }
      if (more[0] !== undefined) throw notUnderstood(`help does not take ${quote(more[0], 60)}.`, listed);
      const catalogue = await terminal.catalogue;
      const operation = catalogue.find((one) => one.name === name);
      if (!operation) {
        const page = await topicPage(terminal, name);
        return page instanceof CommandFailure ? refuseName(commands, catalogue, name, page) : page;
      }
      const { title, summary, stage, effect, examples } = operation;
      return {
        data: { operation: name, title, summary, stage, effect, examples },
        lines: (context) => renderOperationPage(operation, context),
      };
    },
  };
}

const listed =
  "thoughtbox help lists the commands, and thoughtbox call help lists the operations and topics.";

function refuseName(
  commands: readonly Command[],
  catalogue: readonly Operation[],
  name: string,
  { message }: CommandFailure,
): never {
  const [, topic] = /Did you mean ([a-z-]+)\?$/.exec(message) ?? [];
  const called = "command, operation or topic";
  findCommand(commands, name, { others: catalogue, called, all: listed, topic });
  throw new Error("The name is not a command.");
}

/** Throws unless the command's help contains the word, such as `scan` in `help git scan`. */
function refuseUnknownVerb(command: Command, word: string): void {
  const { name, words = [], details = [], examples } = command;
  const texts = [...words, ...details, ...examples.map(({ line }) => line)];
  if (texts.some((text) => text.split(/[^\w-]+/).includes(word))) return;
  throw notUnderstood(`${name} does not take ${quote(word, 60)}.`, `See thoughtbox help ${name}`);
}

/** Finds operations and topics with the command's name or alias. Help works even if the settings are invalid. */
async function findPages(terminal: Terminal, { name, aliases = [] }: Command): Promise<string[]> {
  const pages: string[] = [];
  for (const one of [name, ...aliases]) if (await hasTopic(terminal, one)) pages.push(one);
  return pages;
}

const hasTopic = (terminal: Terminal, name: string): Promise<boolean> =>
  topicPage(terminal, name).then(
    (page) => !(page instanceof CommandFailure),
    () => false,
  );

/** Returns the page that agents read about a topic, such as branches. Fails if there is no such topic. */
async function topicPage(terminal: Terminal, name: string) {
  const answer = await withStore(terminal, (host) => ask(host, help, { topic: name })).catch((thrown) => {
    if (thrown instanceof CommandFailure && thrown.code === "INVALID_PAYLOAD") return thrown;
    throw thrown;
  });
  if (answer instanceof CommandFailure) return answer;
  return { data: answer, lines: (context: RenderContext) => renderProse(answer.markdown, context) };
}

/** `pages`: operations or topics with the same name as the command. */
function pageOf(command: Command, pages: readonly string[]) {
  return {
    data: describe(command),
    lines: (context: RenderContext) => [
      ...renderCommandPage(command, context),
      ...(pages.length === 0
        ? []
        : ["", ...wrap("Agents have a page with the same name:", context.width).map(context.paint.dim)]),
      ...pages.map((page) => `${indent}${context.paint.cyan(`thoughtbox call help topic=${page}`)}`),
    ],
  };
}

function describe({ name, group, summary, words = [], options = {}, examples }: Command) {
  return { name, group, summary, words, options, examples };
}

const indent = "  ";

/** Lists each command on one line. */
function renderOverview(commands: readonly Command[], context: RenderContext): string[] {
  const { paint } = context;
  return [
    ...wrap("Thoughtbox saves the reasoning of AI agents.", textLimit(context)).map(paint.bold),
    "",
    `${indent}thoughtbox <command> [options]`,
    ...groups.flatMap((group) => [
      "",
      paint.bold(group),
      ...renderRows(
        commands.filter((command) => command.group === group).map(({ name, summary }) => [name, summary]),
        context,
        12,
      ),
    ]),
    "",
    paint.bold("Options for every command"),
    ...renderOptions(Object.entries(commonOptions), context),
    "",
    ...wrap(
      "One command: thoughtbox help <command>. All operations: thoughtbox call help",
      textLimit(context),
    ).map(paint.dim),
  ];
}

function renderCommandPage(command: Command, context: RenderContext): string[] {
  const { paint } = context;
  const { name, summary, words = [], details = [], examples } = command;
  const also = command.aliases === undefined ? [] : ["", paint.dim(`Also: ${command.aliases.join(", ")}`)];
  const own = Object.entries(command.options ?? {});
  const common = Object.keys(commonOptions)
    .filter((flag) => !command.options?.[flag])
    .map((flag) => `--${flag}`);
  const usage = ["thoughtbox", name, ...words, "[options]"].join(" ");
  return [
    ...wrap(summary, textLimit(context)).map(paint.bold),
    "",
    ...wrap(usage, textLimit(context) - 2).map((line) => indent + line),
    ...also,
    ...(details.length > 0 ? ["", ...details.flatMap((line) => wrap(line, textLimit(context)))] : []),
    ...(own.length > 0 ? ["", paint.bold("Options"), ...renderOptions(own, context)] : []),
    "",
    ...wrap(`Every command also takes ${common.join(", ")}: thoughtbox help`, textLimit(context)).map(
      paint.dim,
    ),
    "",
    paint.bold("Examples"),
    ...examples.flatMap(({ line, shows }) => [
      ...exampleLines(line, textLimit(context) - 2).map((part) => `${indent}${paint.cyan(part)}`),
      ...wrap(shows, textLimit(context) - 4).map((line) => `${indent}${indent}${paint.dim(line)}`),
    ]),
  ];
}

/** Matches shell commands. Only these, and not an editor's settings, can be split with backslashes. */
const isShellLine = /^(?:[A-Z_]+=\S* )*(?:thoughtbox|claude) /;

const exampleLines = (line: string, width: number): string[] =>
  isShellLine.test(line) ? foldCommand(line, width) : [line];

const renderOptions = (options: readonly (readonly [string, Option])[], context: RenderContext): string[] =>
  renderRows(
    options.map(([flag, option]) => [optionForm(flag, option), describeOption(option)]),
    context,
  );

function optionForm(flag: string, { value, short }: Option): string {
  return `${short === undefined ? "" : `-${short}, `}--${flag}${value === undefined ? "" : ` <${value}>`}`;
}

/**
 * Lists the choices after the description. For options that take cipher letters, lists no choices, because
 * the description explains the letters.
 */
function describeOption({ describe, choices = [] }: Option): string {
  return choices.length > 0 ? `${describe} One of ${choices.join(", ")}.` : describe;
}

/** The least width for the text, in columns. If less is left, the text starts on the next line. */
const narrowestText = 20;

export function renderRows(
  rows: readonly (readonly [name: string, text: string])[],
  context: RenderContext,
  atLeast = 0,
): string[] {
  const column = rows.reduce((widest, [name]) => Math.max(widest, textWidth(name)), atLeast);
  const room = textLimit(context) - column - 4;
  if (room < narrowestText)
    return rows.flatMap(([name, text]) => [
      ...wrap(name, textLimit(context) - 2).map((line) => indent + context.paint.cyan(line)),
      ...wrap(text, textLimit(context) - 4).map((line) => indent + indent + line),
    ]);
  return rows.flatMap(([name, text]) => {
    const [first = "", ...rest] = wrap(text, room);
    return [
      `${indent}${context.paint.cyan(pad(name, column))}  ${first}`,
      ...rest.map((line) => indent + " ".repeat(column + 2) + line),
    ];
  });
}

export const textLimit = ({ width }: RenderContext): number => Math.min(width, proseWidth);

type Field = { description?: string; type?: string; default?: unknown; enum?: unknown[] };
type Schema = { properties?: Record<string, Field>; required?: string[] };

/** Describes an operation as a command line. Agents get the same facts from the `help` operation. */
function renderOperationPage(operation: Operation, context: RenderContext): string[] {
  const { name, title, summary, examples } = operation;
  const { paint } = context;
  const schema = z.toJSONSchema(operation.input, { io: "input" }) as Schema;
  const fields = Object.entries(schema.properties ?? {});
  const needed = (schema.required ?? []).map((field) => `${field}=…`);
  return [
    ...wrap(`${title}. ${summary}`, textLimit(context)).map(paint.bold),
    "",
    ...wrap(["thoughtbox call", name, ...needed, "[field=value…]"].join(" "), textLimit(context) - 2).map(
      (line) => `  ${line}`,
    ),
    "",
    paint.bold("Fields"),
    ...renderRows(
      fields.map(([field, about]) => [
        field,
        describeField(about, schema.required?.includes(field) ?? false),
      ]),
      context,
    ),
    ...(examples.length > 0 ? ["", paint.bold("Examples")] : []),
    ...examples.flatMap(({ title: shows, input }) => [
      ...callLines(name, input, textLimit(context) - 2).map((line) => `  ${paint.cyan(line)}`),
      ...wrap(shows, textLimit(context) - 4).map((line) => `    ${paint.dim(line)}`),
    ]),
  ];
}

function describeField(
  { description = "", type, default: preset, enum: choices }: Field,
  needed: boolean,
): string {
  return [
    description,
    ...(choices ? [`One of ${choices.join(", ")}.`] : []),
    ...(type === "array" || type === "object" ? ["As JSON."] : []),
    ...(needed ? ["Required."] : []),
    ...(preset === undefined || /\bdefault\b/i.test(description)
      ? []
      : [`Default ${JSON.stringify(preset)}.`]),
  ].join(" ");
}

/** Formats a call to paste. If it is wider than `room`, puts each field on its own line. */
function callLines(name: string, input: Record<string, unknown>, room: number): string[] {
  const words = Object.entries(input).map(([field, value]) => `${field}=${shellWord(value)}`);
  const begin = `thoughtbox call ${name}`;
  const line = [begin, ...words].join(" ");
  if (line.length <= room) return [line];
  return [begin, ...words.map((word) => `  ${word}`)].map((part, index) =>
    index < words.length ? `${part} \\` : part,
  );
}

import { parseArgs } from "node:util";
import { nearest } from "../kernel/nearest.ts";
import { quote } from "../kernel/text.ts";
import { type Command, type Flags, type Option, optionsOf } from "./command.ts";
import { notUnderstood } from "./failure.ts";

const all = "thoughtbox help lists them all.";

/** `others` are further names to suggest if none of the commands is close. `called` says what a name can mean here. */
export function findCommand(
  commands: readonly Command[],
  name: string,
  { others = [], called = "command" }: { others?: readonly { name: string }[]; called?: string } = {},
): Command {
  const found = commands.find((command) => command.name === name || command.aliases?.includes(name));
  if (found) return found;
  const namesOf = (all: readonly { name: string }[]) => all.map((one) => one.name);
  // In a tie, prefers commands for people to commands that clients start.
  const likely = [...commands].sort(
    (one, other) => Number(other.group === "Look") - Number(one.group === "Look"),
  );
  const guess = nearest(name, [...namesOf(likely), ...likely.flatMap(({ aliases = [] }) => aliases)]);
  if (guess) throw notUnderstood(`There is no ${called} ${quote(name, 60)}. Did you mean ${guess}?`, all);
  const operation = nearest(name, namesOf(others));
  throw operation
    ? notUnderstood(
        `There is no ${called} ${quote(name, 60)}. Did you mean the operation ${operation}?`,
        "thoughtbox help lists all commands, and thoughtbox call help lists all operations.",
      )
    : notUnderstood(`There is no ${called} ${quote(name, 60)}.`, all);
}

/** Splits the typed text into words and options. Throws an error if something does not fit the command. */
export function parseWords(command: Command, typed: readonly string[]): { words: string[]; flags: Flags } {
  const options = optionsOf(command);
  const { tokens } = parseArgs({
    args: [...typed],
    options: Object.fromEntries(
      Object.entries(options).map(([name, option]) => [name, toParseOption(option)]),
    ),
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  const words: string[] = [];
  const given = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const value = readValue(command, options, token);
    given.set(token.name, [...(given.get(token.name) ?? []), value]);
  }
  if (!given.has("help")) checkWords(command, words);
  return {
    words,
    flags: {
      has: (name) => given.has(name),
      text: (name) => given.get(name)?.at(-1),
      all: (name) => given.get(name) ?? [],
    },
  };
}

const toParseOption = ({ value, short }: Option) => ({
  type: value === undefined ? ("boolean" as const) : ("string" as const),
  ...(short !== undefined && { short }),
});

type OptionToken = {
  name: string;
  rawName: string;
  value?: string | undefined;
  inlineValue?: boolean | undefined;
};

function readValue(
  command: Command,
  options: Readonly<Record<string, Option>>,
  { name, rawName, value, inlineValue }: OptionToken,
): string {
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (!option) {
    const guess = nearest(name, Object.keys(options));
    throw notUnderstood(
      `${command.name} has no option ${quote(rawName, 60)}.${guess ? ` Did you mean --${guess}?` : ""}`,
      seeHelp(command),
    );
  }
  if (option.value === undefined) {
    if (inlineValue) throw notUnderstood(`--${name} takes no value.`, seeHelp(command));
    return "";
  }
  const missing =
    value === undefined || value === "" || (!inlineValue && value.startsWith("-") && value !== "-");
  if (missing) throw notUnderstood(`--${name} needs a value: --${name} <${option.value}>.`, seeHelp(command));
  if (option.choices && !option.choices.includes(value)) {
    const guess = nearest(value, option.choices);
    throw notUnderstood(
      `--${name} is ${quote(value, 60)}. It must be ${orList(option.choices)}.${guess ? ` Did you mean ${guess}?` : ""}`,
      seeHelp(command),
    );
  }
  return value;
}

/** Hints for a missing word. */
const hints: Readonly<Record<string, { example?: string; next?: string }>> = {
  "<session>": { example: ", for example latest" },
  "<operation>": { next: "thoughtbox call help lists the operations." },
};

function checkWords(command: Command, words: readonly string[]): void {
  const { name, words: expected = [] } = command;
  const missing = expected.find((word, index) => word.startsWith("<") && words[index] === undefined);
  if (missing !== undefined)
    throw notUnderstood(
      `${name} needs ${missing}${hints[missing]?.example ?? ""}.`,
      hints[missing]?.next ?? seeHelp(command),
    );
  const endless = expected.some((word) => word.includes("…"));
  const surplus = endless ? undefined : words[expected.length];
  if (surplus !== undefined)
    throw notUnderstood(`${name} does not take ${quote(surplus, 60)}.`, seeHelp(command));
}

const seeHelp = ({ name }: Command): string => `See thoughtbox ${name} --help`;

export function orList(choices: readonly string[]): string {
  return choices.length < 2 ? choices.join("") : `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
}

import { parseArgs } from "node:util";
import { nearest } from "../kernel/nearest.ts";
import { quote } from "../kernel/text.ts";
import { type Command, type Flags, type Option, optionsOf } from "./command.ts";
import { notUnderstood } from "./failure.ts";

/** Maps names that people know from other programs to our commands. */
const otherWords: Readonly<Record<string, string>> = {
  add: "note",
  cat: "read",
  check: "verify",
  cleanup: "trash",
  del: "rm",
  edit: "rename",
  exit: "help",
  find: "search",
  get: "read",
  graph: "show",
  grep: "search",
  history: "show",
  info: "show",
  init: "connect",
  install: "connect",
  kill: "serve",
  login: "connect",
  mcp: "stdio",
  new: "note",
  ps: "doctor",
  query: "search",
  remove: "rm",
  resume: "show",
  run: "serve",
  server: "serve",
  set: "config",
  settings: "config",
  setup: "connect",
  start: "serve",
  stats: "doctor",
  status: "doctor",
  stop: "capture",
  tail: "watch",
  uninstall: "connect",
  update: "migrate",
  upgrade: "migrate",
  view: "show",
  web: "open",
};

/** Commands that are never suggested, because they remove, move or change data. */
const destructive = ["rm", "delete", "trash", "move", "restore", "archive", "migrate", "undelete"];

/**
 * Most short words are within two letters of some command. A short command is therefore suggested only if it has the
 * same letters, or the same first letter and one other difference.
 */
function isLike(typed: string, name: string): boolean {
  const [one, other] = [typed.toLowerCase(), name.toLowerCase()];
  const isPart = one.length >= 3 && (one.startsWith(other) || other.startsWith(one));
  if (destructive.includes(name)) return false;
  const isShort = Math.min(one.length, other.length) < 6;
  const apart = lettersApart(one, other);
  return isPart || !isShort || apart === 0 || (one[0] === other[0] && apart === 1);
}

/** Counts the letters that only one of the words contains, whatever their order. */
function lettersApart(one: string, other: string): number {
  const rest = [...other];
  let extra = 0;
  for (const letter of one) {
    const at = rest.indexOf(letter);
    if (at < 0) extra += 1;
    else rest.splice(at, 1);
  }
  return Math.max(extra, rest.length);
}

/** Returns the length of the longest common prefix of both words. */
function sharedStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

type Naming = {
  /** Operations to suggest if no command has a similar name. */
  others?: readonly { name: string }[];
  /** What the names are called in the error message. The default is "command". */
  called?: string;
  /** The sentence that states where all names are listed. */
  all?: string;
  /** The help topic with a similar name, if any. */
  topic?: string | undefined;
};

export function findCommand(
  commands: readonly Command[],
  name: string,
  { others = [], called = "command", all = "thoughtbox help lists all commands.", topic }: Naming = {},
): Command {
  const found = commands.find((command) => command.name === name || command.aliases?.includes(name));
  if (found) return found;
  const meant = Object.hasOwn(otherWords, name.toLowerCase()) ? otherWords[name.toLowerCase()] : undefined;
  if (meant) throw notUnderstood(`There is no ${called} ${quote(name, 60)}. Did you mean ${meant}?`, all);
  const call = others.find((one) => one.name === name) ?? others.find((one) => one.name.endsWith(`.${name}`));
  if (call)
    throw notUnderstood(
      `${quote(name, 60)} is an operation for agents, not a command.`,
      `Run it with: thoughtbox call ${call.name}`,
    );
  const namesOf = (list: readonly { name: string }[]) => list.map((one) => one.name);
  // In a tie, prefers the name with the longest common beginning, then commands for people over commands that
  // clients start.
  const likely = [...commands].sort(
    (one, other) =>
      sharedStart(name, other.name) - sharedStart(name, one.name) ||
      Number(other.group === "Look") - Number(one.group === "Look"),
  );
  const names = [...namesOf(likely), ...likely.flatMap(({ aliases = [] }) => aliases)];
  const guess = nearest(
    name,
    names.filter((one) => isLike(name, one)),
  );
  if (guess) throw notUnderstood(`There is no ${called} ${quote(name, 60)}. Did you mean ${guess}?`, all);
  const operation = nearest(
    name,
    namesOf(others).filter((one) => isLike(name, one)),
  );
  throw operation
    ? notUnderstood(
        `There is no ${called} ${quote(name, 60)}. Did you mean the operation ${operation}?`,
        "thoughtbox help lists all commands, and thoughtbox call help lists all operations.",
      )
    : notUnderstood(
        `There is no ${called} ${quote(name, 60)}.${topic ? ` Did you mean the topic ${topic}?` : ""}`,
        all,
      );
}

/** Splits the typed text into words and options. Throws an error if any of them does not fit the command. */
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
  const spelled = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const value = readValue(command, options, token, typed[token.index] ?? token.rawName);
    spelled.set(token.name, token.rawName);
    given.set(token.name, [...(given.get(token.name) ?? []), value]);
  }
  if (!given.has("help")) checkWords(command, words);
  return {
    words,
    flags: {
      has: (name) => given.has(name),
      text: (name) => given.get(name)?.at(-1),
      all: (name) => given.get(name) ?? [],
      typed: (name) => spelled.get(name) ?? `--${name}`,
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
  word: string,
): string {
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (!option) {
    const guess = nearest(name, Object.keys(options));
    throw notUnderstood(
      `${command.name} has no option ${quote(rawName, 60)}.${guess ? ` Did you mean --${guess}?` : ""}`,
      (guess ? undefined : asWord(command, word)) ?? seeHelp(command),
    );
  }
  if (option.value === undefined) {
    if (inlineValue) throw notUnderstood(`${rawName} takes no value.`, seeHelp(command));
    return "";
  }
  const missing =
    value === undefined || value === "" || (!inlineValue && value.startsWith("-") && value !== "-");
  if (missing)
    throw notUnderstood(`${rawName} needs a value: ${rawName} <${option.value}>.`, seeHelp(command));
  if (option.value === "number" && !/^\d+$/.test(value))
    throw notUnderstood(`${rawName} must be a number, not ${quote(value, 60)}.`, seeHelp(command));
  if (option.choices && !option.choices.includes(value)) {
    const guess = nearest(value, option.choices);
    throw notUnderstood(
      `--${name} is ${quote(value, 60)}. It must be ${orList(option.choices)}.${guess ? ` Did you mean ${guess}?` : ""}`,
      seeHelp(command),
    );
  }
  return value;
}

/** Returns how to type a word that looks like an option, or `undefined` if the command takes no free text. */
function asWord({ name, words = [] }: Command, word: string): string | undefined {
  if (word.startsWith("--") || !words.some((one) => one.includes("…"))) return undefined;
  const before = words.filter((one) => !one.includes("…"));
  return `If it is not an option, put -- before it: ${["thoughtbox", name, ...before, "--", word].join(" ")}`;
}

/** Hints for a command that was typed without a required word, keyed by the word. */
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

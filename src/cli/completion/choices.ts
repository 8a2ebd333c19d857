import type { Command, Option } from "../command.ts";

type Named = { name: string; summary: string };

/** What the scripts are made from: everything that can be typed, and everything that `call` can call. */
export type Vocabulary = { commands: readonly Command[]; operations: readonly Named[] };

/** What the first word after a command can be. Sessions are asked for when Tab is pressed, the rest is known before. */
export type FirstWord =
  | { kind: "sessions" | "files" | "free" }
  | { kind: "names"; names: readonly { name: string; summary?: string }[] };

export function firstWordOf(
  { words: [first = ""] = [], name }: Command,
  { commands, operations }: Vocabulary,
): FirstWord {
  if (first.includes("session")) return { kind: "sessions" };
  if (/file|directory/.test(first)) return { kind: "files" };
  const alternatives = /^<([a-z]+(?:\|[a-z]+)+)>$/.exec(first)?.[1];
  if (alternatives !== undefined) return { kind: "names", names: alternatives.split("|").map(named) };
  if (name === "help") return { kind: "names", names: commands };
  if (name === "call") return { kind: "names", names: operations };
  if (name === "completion") return { kind: "names", names: ["bash", "zsh", "fish"].map(named) };
  return { kind: "free" };
}

const named = (name: string) => ({ name });

export const takesPath = ({ value }: Option): boolean => value === "place";

/** Prints a line for each session: its id, a tab, its title. Not listed in help; a Tab must not leave a trace or a word. */
export const askForSessions = "thoughtbox completion sessions 2>/dev/null";

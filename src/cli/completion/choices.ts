import type { Command } from "../command.ts";

/** Words that a command's first argument may be, as far as they are known beforehand. */
export function choicesFor(
  { words: [first = ""] = [], name }: Command,
  commands: readonly Command[],
): string[] {
  if (first.includes("session")) return ["latest"];
  if (name === "help") return commands.map((command) => command.name);
  return name === "completion" ? ["bash", "zsh", "fish"] : [];
}

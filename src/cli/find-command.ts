import { nearest } from "../kernel/nearest.ts";
import { quote } from "../kernel/text.ts";
import type { Command } from "./command.ts";
import { notUnderstood } from "./failure.ts";

export function findCommand(commands: readonly Command[], name: string): Command {
  const found = commands.find((command) => command.name === name);
  if (found) return found;
  const guess = nearest(
    name,
    commands.map((command) => command.name),
  );
  throw notUnderstood(
    `There is no command ${quote(name, 60)}.${guess ? ` Did you mean ${guess}?` : ""}`,
    "thoughtbox help lists them all.",
  );
}

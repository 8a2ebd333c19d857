import { nearest } from "../kernel/nearest.ts";
import { quote } from "../kernel/text.ts";
import type { Command } from "./command.ts";
import { notUnderstood } from "./failure.ts";

const all = "thoughtbox help lists them all.";

/** `others` are names that were looked through before. */
export function findCommand(
  commands: readonly Command[],
  name: string,
  others: readonly { name: string }[] = [],
): Command {
  const found = commands.find((command) => command.name === name);
  if (found) return found;
  const namesOf = (all: readonly { name: string }[]) => all.map((one) => one.name);
  const guess = nearest(name, namesOf(commands));
  if (guess) throw notUnderstood(`There is no command ${quote(name, 60)}. Did you mean ${guess}?`, all);
  const operation = nearest(name, namesOf(others));
  throw operation
    ? notUnderstood(
        `There is no command ${quote(name, 60)}. Did you mean the operation ${operation}?`,
        "thoughtbox help lists all commands, thoughtbox call help all operations.",
      )
    : notUnderstood(`There is no command ${quote(name, 60)}.`, all);
}

import { nearest } from "../kernel/nearest.ts";
import { quote } from "../kernel/text.ts";
import type { Command } from "./command.ts";
import { notUnderstood } from "./failure.ts";

/** `others` are names that were looked through before. */
export function findCommand(
  commands: readonly Command[],
  name: string,
  others: readonly { name: string }[] = [],
): Command {
  const found = commands.find((command) => command.name === name);
  if (found) return found;
  const guess = nearest(
    name,
    [...commands, ...others].map((one) => one.name),
  );
  throw notUnderstood(
    `There is no command ${quote(name, 60)}.${guess ? ` Did you mean ${guess}?` : ""}`,
    "thoughtbox help lists them all.",
  );
}

import type { Facts, ThoughtboxError } from "../../kernel/errors.ts";
import { ledgerWords } from "./recoveries/ledger.ts";
import { memoryWords } from "./recoveries/memory.ts";
import { notebookWords } from "./recoveries/notebook.ts";
import { taskWords } from "./recoveries/tasks.ts";
import { thinkWords } from "./recoveries/think.ts";
import type { Words } from "./recoveries/words.ts";

const families = [ledgerWords, memoryWords, thinkWords, taskWords, notebookWords] as const;

const words = new Map(
  families.flatMap((family) => Object.entries(family as Record<string, (facts: never) => Words>)),
);

/** Rules and adapters say what is wrong; the words, and the operation to call next, are added here. */
export function putIntoWords({ message, details, recovery, reason, facts }: ThoughtboxError): Words {
  const word = reason === undefined ? undefined : words.get(reason);
  if (word) return word(facts as Facts as never);
  return { message, ...(details && { details }), ...(recovery && { recovery }) };
}

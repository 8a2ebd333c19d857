import { type Facts, ThoughtboxError } from "../../kernel/errors.ts";
import { anchorWords } from "./recoveries/anchors.ts";
import { ledgerWords } from "./recoveries/ledger.ts";
import { memoryWords } from "./recoveries/memory.ts";
import { notebookWords } from "./recoveries/notebook.ts";
import { storageWords } from "./recoveries/storage.ts";
import { taskWords } from "./recoveries/tasks.ts";
import { thinkWords } from "./recoveries/think.ts";
import type { Words } from "./recoveries/words.ts";

const families = [
  ledgerWords,
  memoryWords,
  thinkWords,
  anchorWords,
  taskWords,
  notebookWords,
  storageWords,
] as const;

const words = new Map(
  families.flatMap((family) => Object.entries(family as Record<string, (facts: never) => Words>)),
);

/** Adds the message, and the operation to call next, to a failure that a rule or adapter reported. */
export function putIntoWords({ message, details, recovery, reason, facts }: ThoughtboxError): Words {
  const word = reason === undefined ? undefined : words.get(reason);
  if (word) return word(facts as Facts as never);
  return { message, ...(details && { details }), ...(recovery && { recovery }) };
}

/** Returns the message of an error. Our own failures get their message here. */
export function describeThrown(thrown: unknown): string {
  if (thrown instanceof ThoughtboxError) return putIntoWords(thrown).message;
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Returns the same failure with its message, for programs. */
export function withWords(thrown: unknown): unknown {
  if (!(thrown instanceof ThoughtboxError)) return thrown;
  const { message, ...options } = putIntoWords(thrown);
  return new ThoughtboxError(thrown.code, message, { ...options, cause: thrown.cause });
}

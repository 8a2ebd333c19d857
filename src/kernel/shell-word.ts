import { visible } from "./text.ts";

/** A value as a word that a shell leaves alone, for lines that are to be pasted. */
export function shellWord(value: unknown): string {
  const text = visible(typeof value === "string" ? value : JSON.stringify(value));
  return /^[\w@%+:,./*-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

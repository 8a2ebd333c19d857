import { hasRandomPart } from "./secret-values.ts";

/**
 * The pattern of one kind of secret. The secret is the group `secret`, at the end of the match, or the whole match.
 * Every pattern is linear on hostile text: a failed attempt stops after a bounded number of characters, or at a
 * character that the next attempt cannot cross.
 */
export type SecretShape = {
  kind: string;
  pattern: RegExp;
  /**
   * Source of a mark that every match contains. For most texts, one search for all marks shows that no pattern is
   * needed.
   */
  mark: string;
  accepts?: (secret: string, following: string | undefined) => boolean;
  /** A match may contain spaces, or be shorter than `longRun`. */
  isLoose?: true;
};

/** Part of every match of a strict shape, but of hardly any prose. */
export const longRun = /(?:^|\s)\S{15}/;

/**
 * A prefix that is not inside a word, but may follow `\\n` in JSON that was pasted as text. Looking back after the
 * prefix, not before it, lets the engine skip text without the prefix.
 */
export function atWordStart(prefix: string): string {
  return `${prefix}(?<=(?:^|[^A-Za-z0-9_-]|\\\\[nrt])${prefix})`;
}

export function isRandomKey(key: string): boolean {
  return hasRandomPart(key) && !isFiller(key);
}

/** Whether a token is filler, as in examples. */
export function isFiller(token: string): boolean {
  return /x{8}|\*{3}|0{12}/i.test(token.slice(0, 64));
}

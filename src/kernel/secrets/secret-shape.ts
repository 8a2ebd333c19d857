import { hasRandomPart } from "./secret-values.ts";

/**
 * The pattern of one kind of secret. The secret is the `secret` group, at the end of the match, or the whole match.
 * Every pattern is linear on hostile text: a failed attempt stops after a bounded number of characters, or at a
 * character that the next attempt cannot cross.
 */
export type SecretShape = {
  kind: string;
  pattern: RegExp;
  /**
   * The source of a short pattern that every match contains. A single search for the marks of all shapes
   * shows that most texts contain no secret.
   */
  mark: string;
  accepts?: (secret: string, following: string | undefined) => boolean;
  /** A match may contain spaces, or be shorter than `longRun`. */
  isLoose?: true;
};

/** Every match of a shape without `isLoose` contains a run of this form, but prose almost never does. */
export const longRun = /(?:^|\s)\S{15}/;

/**
 * Matches a prefix at the start of a word, or after `\\n` in JSON that was pasted as text. The look-behind follows the
 * prefix, so that the engine can skip text without the prefix.
 */
export function atWordStart(prefix: string): string {
  return `${prefix}(?<=(?:^|[^A-Za-z0-9_-]|\\\\[nrt])${prefix})`;
}

export function isRandomKey(key: string): boolean {
  return hasRandomPart(key) && !isFiller(key);
}

/** True for filler in examples. */
export function isFiller(token: string): boolean {
  return /x{8}|\*{3}|0{12}/i.test(token.slice(0, 64));
}

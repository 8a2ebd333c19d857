const maxWords = 32;

/** Every word and every "quoted phrase" of what a person typed. */
export function phrasesOf(query: string): string[] {
  return [...query.replaceAll("\0", " ").matchAll(/"([^"]+)"|([\p{L}\p{N}\p{M}\p{Co}]+)/gu)]
    .map(([, phrase, word]) => phrase ?? word ?? "")
    .filter((phrase) => /[\p{L}\p{N}]/u.test(phrase))
    .slice(0, maxWords);
}

/**
 * Turns what a person typed into an FTS5 expression without giving them FTS5's syntax: every word and every
 * "quoted phrase" becomes a string literal. `undefined` when nothing searchable is left.
 */
export function matchWords(
  query: string,
  mode: "all" | "any",
  ending: "exact" | "prefix" = "exact",
): string | undefined {
  const phrases = phrasesOf(query);
  if (phrases.length === 0) return undefined;
  const suffix = ending === "prefix" ? " *" : "";
  return phrases.map((phrase) => `"${phrase}"${suffix}`).join(mode === "all" ? " AND " : " OR ");
}

import { formatReference, parseCipher } from "../../src/domain/cipher/parse.ts";

export type CipherLine = { number: number; type: string; references: string; content: string };
export type CipherText = {
  /** The thought's text without its notation. */
  words: string;
  lines: CipherLine[];
  warnings: string[];
};

/** Parses a thought in cipher with the server's parser. Returns `undefined` for prose. */
export function readCipher(text: string): CipherText | undefined {
  const parsed = parseCipher(text);
  if (!parsed) return undefined;
  const lines = parsed.steps.map(({ number, type, references, content }) => ({
    number,
    type,
    content,
    references: references
      .filter(({ inline }) => !inline)
      .map(formatReference)
      .join(","),
  }));
  return {
    words: lines.map(({ content }) => content).join("\n\n"),
    lines,
    warnings: [...new Set(parsed.warnings.map(({ line, message }) => `Line ${line}: ${message}`))],
  };
}

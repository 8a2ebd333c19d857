import { readReferenceField, stepHeader } from "./grammar.ts";
import type { CipherStatement, ReferenceTarget } from "./notation.ts";

/** Inverse of `parseCipher` for any statement that it could have read; see `protectContent` for the others. */
export function formatStep({ number, type, references, content }: CipherStatement): string {
  const text = protectContent(content.trim());
  const field = references.filter((reference) => !reference.inline).map(formatReference);
  if (field.length > 0) return `S${number}|${type}|${field.join(",")}|${text}`;

  const [firstLine = ""] = text.split("\n", 1);
  const wouldReadAsField = readReferenceField(firstLine, 0).length > 0;
  return `S${number}|${type}|${wouldReadAsField ? "|" : ""}${text}`;
}

export function formatCipher(steps: readonly CipherStatement[]): string {
  return steps.map(formatStep).join("\n");
}

function formatReference({ number, to, revises }: ReferenceTarget): string {
  return `${revises ? "^" : ""}S${number}${to === undefined ? "" : `-S${to}`}`;
}

/** Prose may hold a line that looks like a step; indented, it stays content of this one. The first line is safe. */
function protectContent(content: string): string {
  return content.replace(stepHeader, "    $&").trimStart();
}

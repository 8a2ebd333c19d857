import { escapeInvisible } from "../../kernel/text.ts";

/** The surroundings of a hit, at most `chars` characters of the text; nothing that acts on a terminal is left in it. */
export function snippetAround(text: string, at: number, length: number, chars: number): string {
  const spare = Math.max(0, chars - length);
  const start = Math.max(0, at - Math.floor(spare / 2));
  const end = Math.min(text.length, Math.max(at + Math.min(length, chars), start + chars));
  const cut = text
    .slice(start, end)
    .replace(/^[\udc00-\udfff]/, "")
    .replace(/[\ud800-\udbff]$/, "");
  return `${start > 0 ? "…" : ""}${escapeInvisible(cut)}${end < text.length ? "…" : ""}`;
}

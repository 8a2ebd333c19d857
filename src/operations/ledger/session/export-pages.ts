import { clip } from "../../../kernel/text.ts";

export type TextPage = { content: string; nextAfter?: number };

/**
 * The part of a text from the character `after` on that an answer of `limit` characters has room for: whole lines
 * where there are any. Quotes and backslashes count as they are written in JSON.
 */
export function pageOfText(text: string, after: number, limit: number): TextPage {
  const rest = text.slice(after);
  if (written(rest.slice(0, limit + 1)) <= limit && rest.length <= limit) return { content: rest };
  let part = clip(rest, limit);
  while (written(part) > limit) part = clip(part, Math.floor((part.length * limit) / written(part)) - 1);
  const lines = part.slice(0, part.lastIndexOf("\n") + 1);
  const content = lines === "" ? part : lines;
  return { content, nextAfter: after + content.length };
}

const written = (text: string): number => JSON.stringify(text).length - 2;

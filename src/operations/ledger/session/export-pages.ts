import { createTurns } from "../../../kernel/steps.ts";
import { clip } from "../../../kernel/text.ts";

export type TextPage = { content: string; nextAfter?: number };

/**
 * The part of a text that an answer of `limit` characters has room for: whole lines where there are any. `rest` is what
 * there is from the character `after` on, one character more than `limit` of it at least. Quotes and backslashes count as
 * they are written in JSON.
 */
export function pageOfText(rest: string, after: number, limit: number): TextPage {
  if (rest.length <= limit && written(rest) <= limit) return { content: rest };
  let part = clip(rest, limit);
  while (written(part) > limit) part = clip(part, Math.floor((part.length * limit) / written(part)) - 1);
  const lines = part.slice(0, part.lastIndexOf("\n") + 1);
  const content = lines === "" ? part : lines;
  return { content, nextAfter: after + content.length };
}

const written = (text: string): number => JSON.stringify(text).length - 2;

/** At most `count` characters of a text in pieces, from the character `after` on. */
export function textFrom(
  pieces: readonly string[],
  after: number,
  count: number = Number.POSITIVE_INFINITY,
): string {
  const found: string[] = [];
  let [skip, wanted] = [after, count];
  for (const piece of pieces) {
    if (wanted <= 0) break;
    const part = skip >= piece.length ? "" : piece.slice(skip, skip + wanted);
    skip = Math.max(0, skip - piece.length);
    wanted -= part.length;
    if (part !== "") found.push(part);
  }
  return found.join("");
}

export async function bytesOf(pieces: readonly string[]): Promise<number> {
  const turn = createTurns();
  let bytes = 0;
  for (const piece of pieces) {
    bytes += Buffer.byteLength(piece);
    await turn();
  }
  return bytes;
}

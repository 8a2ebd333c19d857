import { seededRandom } from "../seeded-random.ts";

/** Texts that make careless code slow. Each function takes the length in UTF-16 units. */
export const hostileTexts: Readonly<Record<string, (length: number) => string>> = {
  "one word again and again": repeat("error "),
  "single letters": repeat("a "),
  "words that are all different": differentWords,
  blanks: repeat(" "),
  "line ends": repeat("\n"),
  "one run without spaces": repeat("a"),
  "Chinese without spaces": repeat("汉"),
  "opening marks": repeat("[(<{*_`"),
  "combining marks": repeat("e\u0301"),
  "names of secrets": repeat("password=token: "),
  "cipher steps": repeat("S1|H|S2|"),
  "references to cards": repeat("@CARD-1 [[a:core]] "),
  anchors: (length) => fill(length, (index) => `@pool-${index}:S1 `),
};

function repeat(part: string): (length: number) => string {
  return (length) => part.repeat(Math.ceil(length / part.length)).slice(0, length);
}

function differentWords(length: number): string {
  const random = seededRandom(7);
  return fill(length, () => `${Math.floor(random() * 1e9).toString(36)} `);
}

function fill(length: number, part: (index: number) => string): string {
  const parts: string[] = [];
  for (let index = 0, written = 0; written < length; index += 1) {
    const next = part(index);
    parts.push(next);
    written += next.length;
  }
  return parts.join("").slice(0, length);
}

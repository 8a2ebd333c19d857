const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const plain = /^[\x20-\x7e]*$/;
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])|\ufe0f/u;
const combining = /^\p{M}+$/u;

/** Columns that a text takes on a terminal; it must hold no control characters. */
export function textWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (combining.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}

/** At most `width` columns; what was cut off is shown by an ellipsis. */
export function cut(text: string, width: number): string {
  if (text.length <= width && plain.test(text)) return text;
  if (textWidth(text) <= width) return text;
  return `${take(text, Math.max(0, width - 1)).trimEnd()}…`;
}

export function pad(text: string, width: number, side: "left" | "right" = "left"): string {
  const room = " ".repeat(Math.max(0, width - textWidth(text)));
  return side === "left" ? text + room : room + text;
}

/** Lines of at most `width` columns, broken between words where there are any. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (let word of text.split(" ")) {
    while (textWidth(word) > width) {
      if (line !== "") lines.push(line);
      line = "";
      const head = take(word, width) || word.slice(0, 1);
      lines.push(head);
      word = word.slice(head.length);
    }
    const joined = line === "" ? word : `${line} ${word}`;
    if (textWidth(joined) <= width) line = joined;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

/** Facts in a row; where it must break, the dot stays with the fact before it. */
export function wrapFacts(facts: readonly string[], width: number): string[] {
  return wrap(facts.join("\u00a0· "), width).map((line) => line.replaceAll("\u00a0", " "));
}

function take(text: string, width: number): string {
  let taken = "";
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += graphemeWidth(segment);
    if (used > width) break;
    taken += segment;
  }
  return taken;
}

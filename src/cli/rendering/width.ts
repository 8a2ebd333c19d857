const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const plain = /^[\x20-\x7e]*$/;
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])|\ufe0f/u;
const combining = /^\p{M}+$/u;

/**
 * Characters that are one column wide, and Chinese, Japanese and Korean characters that are two columns wide.
 * These characters never combine with each other.
 */
const simple = /^[\x20-\x7e\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]*$/;

/** Returns how many columns text needs in a terminal. The text must not contain control characters. */
export function textWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemesOf(text)) width += graphemeWidth(grapheme);
  return width;
}

/** Segments text into graphemes only if necessary, because that is slow. */
function* graphemesOf(text: string): Generator<string> {
  if (simple.test(text)) yield* text;
  else for (const { segment } of graphemes.segment(text)) yield segment;
}

function graphemeWidth(grapheme: string): number {
  if (grapheme.length === 1 && grapheme <= "~") return 1;
  if (combining.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}

/** Truncates text to at most `width` columns and ends it with an ellipsis. */
export function cut(text: string, width: number): string {
  if (text.length <= width && plain.test(text)) return text;
  const { head, isWhole } = take(text, width);
  return isWhole ? text : `${take(head, Math.max(0, width - 1)).head.trimEnd()}…`;
}

export function pad(text: string, width: number, side: "left" | "right" = "left"): string {
  const room = " ".repeat(Math.max(0, width - textWidth(text)));
  return side === "left" ? text + room : room + text;
}

/**
 * A URL. Only the terminal wraps a URL, because a URL that is broken across lines can be neither clicked nor
 * copied.
 */
const address = /^[("'<[]{0,3}https?:\/\/[\x21-\x7e]+$/;

/**
 * Breaks text into lines of at most `width` columns, between words if possible. Only a URL may be longer. Reads every
 * character once.
 */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let [line, used] = ["", 0];
  const add = (word: string, columns: number) => {
    if (line === "") [line, used] = [word, columns];
    else if (used + 1 + columns <= width) [line, used] = [`${line} ${word}`, used + 1 + columns];
    else {
      lines.push(line);
      [line, used] = [word, columns];
    }
  };
  for (const word of text.split(" ")) {
    if (word.length <= width && plain.test(word)) {
      add(word, word.length);
      continue;
    }
    const pieces = address.test(word) ? [{ piece: word, columns: textWidth(word) }] : breakWord(word, width);
    if ((pieces[0]?.columns ?? 0) >= width && line !== "") {
      lines.push(line);
      line = "";
    }
    for (const [index, { piece, columns }] of pieces.entries()) {
      if (index < pieces.length - 1) lines.push(piece);
      else add(piece, columns);
    }
  }
  lines.push(line);
  return lines;
}

const escapeCharacter = "\x1b";
const colour = new RegExp(`${escapeCharacter}\\S*?\\[\\d+m`, "g");
const betweenColours = new RegExp(`(${colour.source})`);
/** Matches a command, which must not be broken across lines, so that a person can copy it. */
const command = /^\s*(?:→ )?thoughtbox [a-z]|^\s*→ (?:chmod|sudo) |\\$/;

/**
 * Breaks wide lines between words, and inside a word that is too long, and indents the continuation. Commands
 * and URLs are not broken.
 */
export function foldLines(lines: readonly string[], width: number): string[] {
  return lines.flatMap((line, at) => {
    // No character is wider than two columns.
    if (line.length * 2 <= width || line.includes("\n")) return [line];
    const shown = line.replace(colour, "");
    const isCommand = command.test(shown) || lines[at - 1]?.replace(colour, "").endsWith("\\");
    return isCommand || textWidth(shown) <= width ? [line] : foldLine(line, width);
  });
}

/** True if the text is one command to copy, and not a sentence that begins with a command. */
export const isWholeCommand = (text: string): boolean =>
  /^(?:[A-Z_]+=\S+ )*(?:thoughtbox|chmod|sudo) /.test(text) && !text.endsWith(".");

const toCopy = /: (?:[A-Z_]+=\S+ )*(?:thoughtbox|claude|echo) /;

/**
 * Puts a command at the end of a wide line on its own line, unbroken, because a person cannot copy a command
 * that is broken.
 */
export function foldHint(line: string, width: number): string[] {
  const at = line.search(toCopy);
  if (at < 0 || textWidth(line) <= width) return foldLines([line], width);
  const [lead = ""] = /^ */.exec(line) ?? [];
  return [...foldLines([line.slice(0, at + 1)], width), `${lead}  ${line.slice(at + 2)}`];
}

function foldLine(line: string, width: number): string[] {
  const [lead = ""] = /^ */.exec(line.replace(colour, "")) ?? [];
  const under = " ".repeat(Math.min(lead.length + 2, width >> 1));
  const folded: string[] = [];
  let [piece, used] = ["", 0];
  for (const [at, word] of line.split(" ").entries()) {
    const shown = word.replace(colour, "");
    const columns = textWidth(shown);
    const gap = at === 0 ? "" : " ";
    if (used + gap.length + columns <= width) {
      [piece, used] = [piece + gap + word, used + gap.length + columns];
      continue;
    }
    const isBlank = piece.trim() === "";
    if (!isBlank) folded.push(piece.trimEnd());
    const room = width - Math.max(under.length, isBlank ? used + gap.length : 0);
    const parts = columns <= room || address.test(shown) ? [{ piece: word, columns }] : breakWord(word, room);
    for (const [index, part] of parts.entries()) {
      const before = index === 0 && isBlank ? piece + gap : under;
      if (index < parts.length - 1) folded.push(before + part.piece);
      else [piece, used] = [before + part.piece, before.length + part.columns];
    }
  }
  return [...folded, piece];
}

const shellWords = /(?:'[^']*'|"[^"]*"|[^\s'"])+/g;
const continuation = "  ";

/** Breaks a command between its words with backslashes, so that a person can still copy it. */
export function foldCommand(line: string, width: number): string[] {
  if (textWidth(line) <= width) return [line];
  const lines: string[] = [];
  let piece = "";
  const words = line.match(shellWords) ?? [];
  for (const [index, word] of words.entries()) {
    const longer = piece === "" ? word : `${piece} ${word}`;
    const room = index < words.length - 1 ? width - " \\".length : width;
    if (piece === "" || textWidth(longer) <= room) piece = longer;
    else {
      lines.push(`${piece} \\`);
      piece = continuation + word;
    }
  }
  return [...lines, piece];
}

/** Splits a word into the widest pieces that fit, with at least one grapheme each. Colours take no columns. */
function breakWord(word: string, width: number): { piece: string; columns: number }[] {
  const pieces: { piece: string; columns: number }[] = [];
  let [piece, columns] = ["", 0];
  for (const [index, text] of word.split(betweenColours).entries()) {
    if (index % 2 === 1) {
      piece += text;
      continue;
    }
    for (const grapheme of graphemesOf(text)) {
      const more = graphemeWidth(grapheme);
      if (columns > 0 && columns + more > width) {
        pieces.push({ piece, columns });
        [piece, columns] = ["", 0];
      }
      piece += grapheme;
      columns += more;
    }
  }
  return [...pieces, { piece, columns }];
}

/**
 * Joins facts with dots. At a line break, the dot stays with the fact before it. A fact is broken only if it does
 * not fit on a line.
 */
export function wrapFacts(facts: readonly string[], width: number): string[] {
  const whole = (fact: string) =>
    textWidth(fact) + separator.length <= width ? fact.replaceAll(" ", "\u00a0") : fact;
  return wrap(facts.map(whole).join(`${separator} `), width).map((line) => line.replaceAll("\u00a0", " "));
}

const separator = "\u00a0·";

/** Returns the part that fits, without reading the rest. */
function take(text: string, width: number): { head: string; isWhole: boolean } {
  let head = "";
  let used = 0;
  for (const grapheme of graphemesOf(text)) {
    used += graphemeWidth(grapheme);
    if (used > width) return { head, isWhole: false };
    head += grapheme;
  }
  return { head, isWhole: true };
}

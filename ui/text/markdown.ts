import { type Inline, parseInline } from "./inline.ts";

/** `value` is the item's number, set only if the item does not continue the numbering. */
export type ListItem = { inner: Inline[]; below: Block[]; value?: number };
/** How the line below a table's header aligns a column: `:--`, `:-:`, `--:`. */
export type Align = "left" | "center" | "right" | undefined;
export type Block =
  | { kind: "paragraph"; inner: Inline[] }
  | { kind: "heading"; inner: Inline[] }
  | { kind: "code"; language: string; text: string }
  | { kind: "quote"; blocks: Block[] }
  | { kind: "list"; ordered: boolean; start: number; items: ListItem[] }
  | { kind: "table"; head: Inline[][]; rows: Inline[][][]; align: Align[] }
  | { kind: "rule" };

const MAX_DEPTH = 6;
export const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})\s*([\w+#.-]{0,20})/;
export const HEADING = /^ {0,3}#{1,6} +(.*)$/;
const RULE = /^ {0,3}(?:-\s*){3,}$|^ {0,3}(?:\*\s*){3,}$|^ {0,3}(?:_\s*){3,}$/;
const ITEM = /^( {0,12})(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/;
const QUOTE = /^ {0,3}>\s?/;
const TABLE_LINE = /^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$/;

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .slice(0, 40)
    .map((cell) => cell.trim());

/** Parses a thought into blocks, in one pass over its lines and with limited nesting. */
export function parseMarkdown(text: string, depth = 0): Block[] {
  return parseLines(text.split(/\r\n|\n/), depth);
}

function parseLines(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let words: string[] = [];
  const flush = () => {
    if (words.length > 0) blocks.push({ kind: "paragraph", inner: parseInline(words.join("\n")) });
    words = [];
  };
  for (let at = 0; at < lines.length; ) {
    const found = depth < MAX_DEPTH ? blockAt(lines, at, depth, words.length > 0) : undefined;
    if (found) {
      flush();
      blocks.push(found.block);
      at = found.next;
      continue;
    }
    const line = lines[at++] ?? "";
    if (line.trim() === "") flush();
    else words.push(line.trim());
  }
  flush();
  return blocks;
}

type Found = { block: Block; next: number };

function blockAt(
  lines: readonly string[],
  at: number,
  depth: number,
  inParagraph: boolean,
): Found | undefined {
  const line = lines[at] ?? "";
  const fence = FENCE.exec(line);
  if (fence) return codeAt(lines, at, fence[1] ?? "```", fence[2] ?? "");
  const heading = HEADING.exec(line);
  if (heading) return { block: { kind: "heading", inner: parseInline(heading[1] ?? "") }, next: at + 1 };
  if (RULE.test(line)) return { block: { kind: "rule" }, next: at + 1 };
  if (QUOTE.test(line)) return quoteAt(lines, at, depth);
  const item = ITEM.exec(line);
  if (item && !(inParagraph && item[2] !== undefined && item[2] !== "1")) return listAt(lines, at, depth);
  if (line.includes("|") && TABLE_LINE.test((lines[at + 1] ?? "").trim())) return tableAt(lines, at);
  return undefined;
}

function codeAt(lines: readonly string[], at: number, fence: string, language: string): Found {
  let next = at + 1;
  while (next < lines.length && !(lines[next] ?? "").trimStart().startsWith(fence)) next++;
  const text = lines.slice(at + 1, next).join("\n");
  return { block: { kind: "code", language: language.toLowerCase(), text }, next: next + 1 };
}

function quoteAt(lines: readonly string[], at: number, depth: number): Found {
  let next = at;
  while (next < lines.length && QUOTE.test(lines[next] ?? "")) next++;
  const inner = lines.slice(at, next).map((line) => line.replace(QUOTE, ""));
  return { block: { kind: "quote", blocks: parseLines(inner, depth + 1) }, next };
}

function listAt(lines: readonly string[], at: number, depth: number): Found {
  const first = ITEM.exec(lines[at] ?? "");
  const indent = first?.[1]?.length ?? 0;
  const ordered = first?.[2] !== undefined;
  const items: ListItem[] = [];
  let expected = Number(first?.[2] ?? 1);
  let next = at;
  while (next < lines.length) {
    const item = ITEM.exec(lines[next] ?? "");
    if (!item || (item[1]?.length ?? 0) !== indent || (item[2] !== undefined) !== ordered) break;
    const words = [item[3] ?? ""];
    let end = next + 1;
    while (end < lines.length && /^\s+\S/.test(lines[end] ?? "") && deeper(lines[end] ?? "", indent)) end++;
    const below = lines.slice(next + 1, end);
    const own = below.findIndex((line) => ITEM.test(line) || FENCE.test(line));
    words.push(...(own < 0 ? below : below.slice(0, own)).map((line) => line.trim()));
    const value = Number(item[2] ?? expected);
    items.push({
      ...(value !== expected && { value }),
      inner: parseInline(words.join("\n")),
      below: own < 0 ? [] : parseLines(outdent(below.slice(own)), depth + 1),
    });
    expected = value + 1;
    next = end;
  }
  return { block: { kind: "list", ordered, start: Number(first?.[2] ?? 1), items }, next };
}

const deeper = (line: string, indent: number): boolean => line.length - line.trimStart().length > indent;

function outdent(lines: readonly string[]): string[] {
  const first = lines[0] ?? "";
  const indent = first.length - first.trimStart().length;
  return lines.map((line) => (line.slice(0, indent).trim() === "" ? line.slice(indent) : line));
}

function alignOf(mark = ""): Align {
  if (mark.endsWith(":")) return mark.startsWith(":") ? "center" : "right";
  return mark.startsWith(":") ? "left" : undefined;
}

function tableAt(lines: readonly string[], at: number): Found {
  const head = cellsOf(lines[at] ?? "");
  const marks = cellsOf(lines[at + 1] ?? "");
  let next = at + 2;
  const rows: Inline[][][] = [];
  while (next < lines.length && (lines[next] ?? "").includes("|")) {
    const cells = cellsOf(lines[next++] ?? "");
    rows.push(head.map((_, column) => parseInline(cells[column] ?? "")));
  }
  const align = head.map((_, column) => alignOf(marks[column]));
  return { block: { kind: "table", head: head.map((cell) => parseInline(cell)), rows, align }, next };
}

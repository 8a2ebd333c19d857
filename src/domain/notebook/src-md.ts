import { notebookFailure } from "./failures.ts";
import { type CellContent, isFilename, type Language, languageOf, languages } from "./notebook.ts";

/** The content of a `.src.md` file. IDs, versions and outputs are only in the store. */
export type SrcMd = { language: Language; tsconfig?: string | undefined; cells: readonly CellContent[] };

/** Separates two Markdown cells that would otherwise be read as one. */
export const separator = "<!-- cell -->";

/** Begins a cell whose text is verbatim up to its end mark, because plain Markdown cannot express it. */
export const openingMark = /^<!-- cell:(\{.*\}) -->$/;

export const endMark = (end: number): string => `<!-- /cell:${end} -->`;
export const anyEndMark = /<!-- \/cell:(\d{1,6}) -->/g;

export const metadataLine = /^<!--\s*srcbook:(\{.*\})\s*-->$/;

const fencePattern = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;

/** Returns the characters that open a fenced block, for example "```". */
export function openingFence(line: string): string | undefined {
  return fencePattern.exec(line)?.[1];
}

export function closesFence(line: string, fence: string): boolean {
  const text = line.replace(/^ {0,3}/, "").trimEnd();
  return text.length >= fence.length && text === (fence[0] ?? "").repeat(text.length);
}

/**
 * Escapes two dashes, because they would end the surrounding comment. In JSON, two dashes occur only inside
 * strings.
 */
export function toCommentJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("--", "\\u002d\\u002d");
}

type Scanned = {
  cells: CellContent[];
  /** True if a fenced block is still open at the end, so that it would include any following text. */
  endsInFence: boolean;
};

/**
 * Reads the cells of a `.src.md` text without its first line. Takes linear time, because each line is read at most
 * twice.
 */
export function scanCells(body: string): Scanned {
  const lines = body.split("\n");
  const cells: CellContent[] = [];
  let prose: string[] = [];
  let endsInFence = false;
  let at = 0;

  function endProse(): void {
    const text = prose.join("\n").trim();
    if (text !== "") cells.push({ type: "markdown", text });
    prose = [];
  }
  /** Returns the line after the fenced block that opens at `start`. */
  function passFence(start: number, fence: string): number {
    let end = start + 1;
    while (end < lines.length && !closesFence(lines[end] ?? "", fence)) end += 1;
    if (end === lines.length) endsInFence = true;
    return Math.min(end + 1, lines.length);
  }

  while (at < lines.length) {
    const line = lines[at] ?? "";
    const marked = openingMark.exec(line);
    const title = /^# (.*)$/.exec(line)?.[1]?.trim();
    const file = codeAt(lines, at);
    if (line === separator) {
      endProse();
      at += 1;
    } else if (marked) {
      endProse();
      const verbatim = verbatimCell(lines, at, marked[1] ?? "");
      cells.push(verbatim.cell);
      at = verbatim.next;
    } else if (title) {
      endProse();
      cells.push({ type: "title", text: title });
      at += 1;
    } else if (file) {
      endProse();
      const next = passFence(file.opensAt, file.fence);
      const source = lines.slice(file.opensAt + 1, endsInFence ? next : next - 1).join("\n");
      cells.push(
        file.name === "package.json"
          ? { type: "package.json", source }
          : { type: "code", filename: file.name, source },
      );
      at = next;
    } else {
      const fence = openingFence(line);
      const next = fence === undefined ? at + 1 : passFence(at, fence);
      for (let index = at; index < next; index += 1) prose.push(lines[index] ?? "");
      at = next;
    }
  }
  endProse();
  return { cells, endsInFence };
}

/** Reads a code cell: a filename in a sixth-level heading, with a fenced block below it. */
function codeAt(lines: readonly string[], at: number) {
  const line = lines[at] ?? "";
  const name = line.startsWith("###### ") ? line.slice("###### ".length).trim() : "";
  if (name !== "package.json" && !isFilename(name)) return undefined;
  let opensAt = at + 1;
  while (opensAt < lines.length && lines[opensAt]?.trim() === "") opensAt += 1;
  const below = lines[opensAt] ?? "";
  if (/^\[[^\]]*\]\([^)]*\)\s*$/.test(below)) throw notebookFailure("code_elsewhere", { filename: name });
  const fence = openingFence(below);
  return fence === undefined ? undefined : { name, opensAt, fence };
}

function verbatimCell(
  lines: readonly string[],
  at: number,
  json: string,
): { cell: CellContent; next: number } {
  const mark = readMark(json);
  const end = mark === undefined ? -1 : lines.indexOf(endMark(mark.end), at + 1);
  if (mark === undefined || end === -1)
    throw notebookFailure("cell_without_end", { opening: (lines[at] ?? "").slice(0, 200) });
  return { cell: { type: mark.type, text: lines.slice(at + 1, end).join("\n") }, next: end + 1 };
}

function readMark(json: string): { type: "title" | "markdown"; end: number } | undefined {
  try {
    const { type, end } = JSON.parse(json) as Record<string, unknown>;
    const isProse = type === "title" || type === "markdown";
    return isProse && typeof end === "number" ? { type, end } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Writes a notebook in Srcbook's format. Content that the format cannot express is put between comments, so nothing is
 * lost.
 */
export function encodeSrcMd({ language, tsconfig, cells }: SrcMd): string {
  const metadata = { language, ...(tsconfig !== undefined && { "tsconfig.json": asObject(tsconfig) }) };
  const blocks = [`<!-- srcbook:${toCommentJson(metadata)} -->`];
  let afterProse = false;
  for (const cell of cells) {
    const plain = plainForm(cell);
    const isProse = cell.type === "markdown" && plain !== undefined;
    if (isProse && afterProse) blocks.push(separator);
    blocks.push(plain ?? verbatimForm(cell));
    afterProse = isProse;
  }
  return `${blocks.join("\n\n")}\n`;
}

/**
 * Returns the tsconfig as an object, as Srcbook stores it, if printing the object gives the same text. If it
 * does not, returns the text.
 */
function asObject(tsconfig: string): unknown {
  try {
    const parsed: unknown = JSON.parse(tsconfig);
    const isSame = typeof parsed === "object" && JSON.stringify(parsed, null, 2) === tsconfig;
    return isSame ? parsed : tsconfig;
  } catch {
    return tsconfig;
  }
}

/** Renders a cell as plain Markdown. Returns `undefined` if parsing it would return a different cell. */
function plainForm(cell: CellContent): string | undefined {
  switch (cell.type) {
    case "code":
      return fenced(cell.filename, languageOf(cell.filename), cell.source);
    case "package.json":
      return fenced("package.json", "json", cell.source);
    case "title":
      return readsBack(`# ${cell.text}`, cell) ? `# ${cell.text}` : undefined;
    case "markdown":
      return readsBack(cell.text, cell) ? cell.text : undefined;
  }
}

function readsBack(plain: string, cell: { type: "title" | "markdown"; text: string }): boolean {
  if (mayThrow.test(plain)) return false;
  const { cells, endsInFence } = scanCells(plain);
  const [only] = cells;
  return cells.length === 1 && !endsInFence && only?.type === cell.type && only.text === cell.text;
}

const mayThrow = /^(?:<!-- cell:|###### )/m;

function fenced(filename: string, info: string, source: string): string {
  const longest = (source.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `###### ${filename}\n\n${fence}${info}\n${source}\n${fence}`;
}

function verbatimForm(cell: CellContent): string {
  const text = "text" in cell ? cell.text : cell.source;
  const used = new Set([...text.matchAll(anyEndMark)].map(([, end]) => Number(end)));
  let end = 1;
  while (used.has(end)) end += 1;
  return `<!-- cell:${toCommentJson({ type: cell.type, end })} -->\n${text}\n${endMark(end)}`;
}

/** Reads a `.src.md` text from Thoughtbox or Srcbook. For any other text, the error names what is missing. */
export function decodeSrcMd(file: string): SrcMd {
  const text = withPlainLines(file.startsWith("\ufeff") ? file.slice(1) : file);
  const start = text.search(/\S/);
  const end = start === -1 ? -1 : text.indexOf("\n", start);
  const first = start === -1 ? "" : text.slice(start, end === -1 ? undefined : end).trim();
  const metadata = readMetadata(metadataLine.exec(first)?.[1]);
  const { cells } = scanCells(end === -1 ? "" : text.slice(end + 1));
  return { ...metadata, cells };
}

/**
 * Undoes a conversion to CR LF by an editor or git, which affects every line. Thoughtbox itself ends the
 * first line with LF, so carriage returns inside cells are preserved.
 */
function withPlainLines(text: string): string {
  return /(?:^|[^\r])\n/.test(text) ? text : text.replaceAll("\r\n", "\n");
}

function readMetadata(json: string | undefined): { language: Language; tsconfig?: string } {
  let metadata: unknown;
  try {
    metadata = JSON.parse(json ?? "");
  } catch {
    throw notebookFailure("not_src_md", {});
  }
  const { language, "tsconfig.json": tsconfig } = metadata as Record<string, unknown>;
  const known = languages.find((one) => one === language);
  if (known === undefined) throw notebookFailure("unknown_language", { languages: [...languages] });
  if (tsconfig === undefined) return { language: known };
  return {
    language: known,
    tsconfig: typeof tsconfig === "string" ? tsconfig : JSON.stringify(tsconfig, null, 2),
  };
}

import type { CellContent } from "../cell.ts";
import { notebookFailure } from "../failures.ts";
import { isFilename } from "../filename.ts";
import { closesFence, endMark, openingFence, openingMark, separator } from "./marks.ts";

type Scanned = {
  cells: CellContent[];
  /** A fenced block was still open at the end, so whatever followed would belong to it. */
  endsInFence: boolean;
};

/** Reads the cells of a `.src.md` text without its first line. Linear: every line is looked at once, or twice. */
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
  /** The line after the fenced block that opens at `start`. */
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

/** A filename in a heading of the sixth level with a fenced block below it. */
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

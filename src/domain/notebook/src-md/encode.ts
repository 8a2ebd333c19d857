import type { CellContent } from "../cell.ts";
import { languageOf } from "../filename.ts";
import { anyEndMark, endMark, separator, toCommentJson } from "./marks.ts";
import { scanCells } from "./scan-cells.ts";
import type { SrcMd } from "./src-md.ts";

/** Writes a notebook as Srcbook would; what that form cannot say stands between comments, so that nothing is lost. */
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

/** As an object, the way Srcbook writes it, where the text is what the object would print as. */
function asObject(tsconfig: string): unknown {
  try {
    const parsed: unknown = JSON.parse(tsconfig);
    const isSame = typeof parsed === "object" && JSON.stringify(parsed, null, 2) === tsconfig;
    return isSame ? parsed : tsconfig;
  } catch {
    return tsconfig;
  }
}

/** The form that any Markdown reader shows well; `undefined` when it would not be read back as the same cell. */
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

/** What reading would refuse rather than misread. */
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

import { notebookFailure } from "../failures.ts";
import { type Language, languages } from "../filename.ts";
import { metadataLine } from "./marks.ts";
import { scanCells } from "./scan-cells.ts";
import type { SrcMd } from "./src-md.ts";

/** Reads a `.src.md` text, ours or one that Srcbook wrote. Refuses what is none, with what is missing. */
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
 * A file whose every line ends in CR LF was converted as a whole, by an editor or by git. Our own first line ends in a
 * bare LF, so that carriage returns inside cells are kept as they are.
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

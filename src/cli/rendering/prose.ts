import { escapeInvisible } from "../../kernel/text.ts";
import { proseWidth, type RenderContext } from "./render-context.ts";
import { wrap } from "./width.ts";
import { renderWrappedTable } from "./wrapped-table.ts";

type Block = { kind: "paragraph" | "heading" | "code" | "table" | "blank"; indent: string; text: string };

/** Renders Markdown for a terminal: rewraps paragraphs and tables, sets headings apart, leaves code unchanged. */
export function renderProse(markdown: string, context: RenderContext): string[] {
  const width = Math.min(context.width, proseWidth);
  return toBlocks(escapeInvisible(markdown).replaceAll("\t", "  ").replaceAll("**", "").trim()).flatMap(
    (block) =>
      block.kind === "table" ? tableOf(block.text, context) : hang(block, width).map(paintOf(block, context)),
  );
}

function toBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  let inCode = false;
  for (const line of markdown.split(/\r?\n/)) {
    const previous = blocks.at(-1);
    if (line.startsWith("```")) inCode = !inCode;
    else if (inCode) blocks.push({ kind: "code", indent: "  ", text: line });
    else if (/^\s*\|/.test(line) && previous?.kind === "table") previous.text += `\n${line}`;
    else if (/^\s*\|/.test(line)) blocks.push({ kind: "table", indent: "", text: line });
    else if (line.trim() === "") blocks.push({ kind: "blank", indent: "", text: "" });
    else if (line.startsWith("#"))
      blocks.push({ kind: "heading", indent: "", text: line.replace(/^#+\s*/, "") });
    else {
      const [, mark, rest = ""] = /^(\s*(?:[-*]|\d+\.|>)\s+)(.*)$/.exec(line) ?? [];
      if (mark !== undefined) blocks.push({ kind: "paragraph", indent: mark, text: rest });
      else if (previous?.kind === "paragraph") previous.text += ` ${line.trim()}`;
      else blocks.push({ kind: "paragraph", indent: "", text: line.trim() });
    }
  }
  return blocks;
}

function tableOf(text: string, context: RenderContext): string[] {
  const rows = text
    .split("\n")
    .filter((line) => !/^[\s|:-]+$/.test(line))
    .map((line) =>
      line
        .trim()
        .replace(/^\||\|$/g, "")
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll("`", "").replaceAll("\\|", "|")),
    );
  return renderWrappedTable(context, rows[0] ?? [], rows.slice(1));
}

function hang({ indent, text }: Block, width: number): string[] {
  const under = " ".repeat(indent.length);
  return wrap(text, Math.max(20, width - indent.length)).map(
    (line, index) => (index === 0 ? indent : under) + line,
  );
}

function paintOf({ kind }: Block, { paint }: RenderContext): (text: string) => string {
  if (kind === "heading") return paint.bold;
  return kind === "code" ? paint.cyan : (text) => text.trimEnd();
}

import { escapeInvisible } from "../../kernel/text.ts";
import { proseWidth, type RenderContext } from "./render-context.ts";
import { wrap } from "./width.ts";

type Block = { kind: "paragraph" | "heading" | "code" | "blank"; indent: string; text: string };

/** Renders Markdown for a terminal: joins and rewraps paragraphs, sets headings apart, leaves code unchanged. */
export function renderProse(markdown: string, context: RenderContext): string[] {
  const width = Math.min(context.width, proseWidth);
  return toBlocks(escapeInvisible(markdown).replaceAll("\t", "  ").replaceAll("**", "").trim()).flatMap(
    (block) => hang(block, width).map(paintOf(block, context)),
  );
}

function toBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  let inCode = false;
  for (const line of markdown.split(/\r?\n/)) {
    const previous = blocks.at(-1);
    if (line.startsWith("```")) inCode = !inCode;
    else if (inCode || /^\s*\|/.test(line)) blocks.push({ kind: "code", indent: "  ", text: line });
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

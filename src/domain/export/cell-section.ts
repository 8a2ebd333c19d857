import { maskForExport } from "../../kernel/secrets/secrets-policy.ts";
import { clip, escapeInvisible } from "../../kernel/text.ts";

/** A cell that a thought links to, and the run that was recorded. */
export type LinkedCell = {
  address: string;
  filename: string;
  version: number;
  source: string;
  run?: { facts: string; printed: readonly { title: string; text: string }[] } | undefined;
};

const longest = 20_000;

/** The cells that thoughts link to, for readers who do not have the notebooks. */
export function cellSection(cells: readonly LinkedCell[]): string {
  return ["## Notebook cells", ...cells.flatMap(renderCell), ""].join("\n");
}

function renderCell({ address, filename, version, source, run }: LinkedCell): string[] {
  const language = filename.endsWith(".json") ? "json" : filename.endsWith(".ts") ? "ts" : "js";
  return [
    ...["", `### \`${filename}\`, version ${version}`, "", `\`${address}\``, ""],
    ...fenced(source, language),
    ...(run ? ["", `${run.facts}.`] : ["", "Its run was not kept."]),
    ...(run?.printed ?? []).flatMap(({ title, text }) => ["", `${title}:`, "", ...fenced(text, "text")]),
  ];
}

/** Longer than any fence inside, so nothing in a cell can close it. */
function fenced(text: string, language: string): string[] {
  const shown = escapeInvisible(maskForExport(text.replaceAll("\r\n", "\n"))).trimEnd();
  const cut = shown.length > longest ? `${clip(shown, longest)}\n…` : shown;
  const ticks = Math.max(0, ...[...cut.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(Math.max(3, ticks + 1));
  return [fence + language, cut, fence];
}

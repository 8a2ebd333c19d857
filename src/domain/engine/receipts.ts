import type { CardNode } from "../memory/cards/card.ts";

/** What a template leaves to be filled in proves nothing. */
const placeholder =
  /^(?:<.*>|\[.*\]|\{.*\}|\.{2,}|…|-+|\?+|todo\b.*|tbd\b.*|n\/?a|none|null|undefined|placeholder)$/is;

/** The command that shows something, from `meta.run.cmd`, `meta.cmd` or a line `CMD: …`. */
export function commandOf({ meta, text }: Pick<CardNode, "meta" | "text">): string | undefined {
  const run = runOf(meta);
  return firstReal([run["cmd"], meta?.["cmd"], ...linesAfter(text, "CMD:")]);
}

/** Where it can be seen: `meta.run.link|url`, `meta.link|url|artifact` or a line `LINK: …`. */
export function linkOf({ meta, text }: Pick<CardNode, "meta" | "text">): string | undefined {
  const run = runOf(meta);
  return firstReal([
    run["link"],
    run["url"],
    meta?.["link"],
    meta?.["url"],
    meta?.["artifact"],
    ...linesAfter(text, "LINK:"),
  ]);
}

export function sourceOf({ meta }: Pick<CardNode, "meta">): "ci" | "local" | undefined {
  const said = [runOf(meta)["source"], meta?.["source"]].find((value) => typeof value === "string");
  const source = typeof said === "string" ? said.trim().toLowerCase() : undefined;
  return source === "ci" || source === "local" ? source : undefined;
}

function runOf(meta: CardNode["meta"]): Record<string, unknown> {
  const run = meta?.["run"];
  return typeof run === "object" && run !== null ? (run as Record<string, unknown>) : {};
}

function firstReal(values: readonly unknown[]): string | undefined {
  for (const value of values) {
    const text = typeof value === "string" ? value.trim() : "";
    if (text !== "" && text.length <= 4_096 && !placeholder.test(text)) return text;
  }
  return undefined;
}

function linesAfter(text: string | undefined, mark: string): string[] {
  return (text ?? "")
    .split("\n")
    .map((line) => line.trimStart())
    .filter((line) => line.slice(0, mark.length).toUpperCase() === mark)
    .map((line) => line.slice(mark.length));
}

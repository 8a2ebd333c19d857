import { count } from "../../kernel/numbers.ts";
import { shellWord } from "../../kernel/text.ts";
import { type Place, proseWidth, type RenderContext } from "./render-context.ts";
import { foldHint, wrap } from "./width.ts";
import { oneLine } from "./words.ts";

export type Mark = "good" | "look" | "bad" | "none";

/** Each mark has one meaning everywhere. */
export function renderMark(mark: Mark, { paint }: RenderContext): string {
  switch (mark) {
    case "good":
      return paint.green("✓");
    case "look":
      return paint.yellow("!");
    case "bad":
      return paint.red("✗");
    case "none":
      return paint.dim("·");
  }
}

/** Renders a mark and a sentence with a hanging indent. */
export function renderStatement(mark: Mark, text: string, context: RenderContext): string[] {
  return indented(text, context).map((line, index) =>
    index === 0 ? `${renderMark(mark, context)} ${line.trimStart()}` : line,
  );
}

/** Renders what to do next. With `--quiet`, returns no lines. */
export const renderHint = (text: string, { width, paint, quiet, place }: RenderContext): string[] =>
  quiet ? [] : foldHint(repeatPlace(text, place), Math.min(width, proseWidth)).map(paint.dim);

const endsWithCommand =
  /(?:^ *|: )(?:[A-Z_]+=\S+ )*thoughtbox (?!help|call help)([a-z]+)(?: .*(?:[^.]| \.))?$/;
const inWorkspace = ["decide", "decisions", "note", "tasks"];

/** Adds the store, project and workspace that the user typed to the command at the end of a text. */
export function repeatPlace(text: string, place: Place = {}): string {
  const [, command] = endsWithCommand.exec(text) ?? [];
  if (command === undefined) return text;
  const words = (["data-dir", "project"] as const).flatMap((option) =>
    place[option] === undefined || text.includes(`--${option}`)
      ? []
      : [`--${option} ${shellWord(place[option])}`],
  );
  const workspace = place.workspace === undefined ? [] : [shellWord(place.workspace)];
  if (command === "call") words.unshift(...workspace.map((name) => `workspace=${name}`));
  if (inWorkspace.includes(command)) words.push(...workspace.map((name) => `--workspace ${name}`));
  return [text, ...words].join(" ");
}

export function indented(text: string, { width }: RenderContext, by = 2): string[] {
  return wrap(text, Math.min(width, proseWidth) - by).map((line) => " ".repeat(by) + line);
}

/** The maximum number of items to list. Longer lists end with a count of the rest. */
const listed = 10;

/** `notKept`: how many more items exist that `items` does not contain. */
export function renderShortList(items: readonly string[], context: RenderContext, notKept = 0): string[] {
  const rest = items.length + notKept - listed;
  const there = notKept > 0 ? `the first ${items.length}` : "them all";
  return [
    ...items.slice(0, listed).flatMap((item) => indented(oneLine(item), context)),
    ...(rest > 0 ? [context.paint.dim(`  and ${count(rest, "other")}. --json lists ${there}`)] : []),
  ];
}

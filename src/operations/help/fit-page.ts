import { isWithin } from "../../kernel/fit-budget.ts";
import type { Warning } from "../../kernel/reply.ts";
import { clip } from "../../kernel/text.ts";
import { type AskedBudget, chooseBudget, shortened } from "../memory/answer-budget.ts";

export type Page = { topic: string; markdown: string };

export type FittedPage = Page & {
  truncated?: boolean;
  budget?: { max_chars: number; used_chars: number; truncated: boolean };
};

/** A page within a budget: as many of its lines as fit, whole lines where one fits at all. */
export function fitPage(
  page: Page,
  asked: AskedBudget,
  usual: number,
  warn: (warning: Warning) => void,
): FittedPage {
  const { limits, asked: told, warnings } = chooseBudget(asked, usual);
  const most = mostLines(asked.max_lines, warn);
  for (const warning of warnings) warn(warning);
  const lines = page.markdown.trimEnd().split("\n");
  const fits = (markdown: string): boolean => isWithin({ ...page, markdown, truncated: false }, limits);
  const truncated = lines.length > most || !fits(page.markdown);
  if (!truncated && !told && asked.max_lines === undefined) return page;

  const markdown = truncated ? cutLines(lines, most, fits) : page.markdown;
  const fitted = { ...page, markdown, truncated };
  if (truncated) warn(shortened(limits));
  const used = JSON.stringify(fitted).length;
  return { ...fitted, budget: { max_chars: limits.chars, used_chars: used, truncated } };
}

function mostLines(asked: number | undefined, warn: (warning: Warning) => void): number {
  if (asked === undefined) return Number.POSITIVE_INFINITY;
  if (asked < 1)
    warn({ code: "BUDGET_MIN_CLAMPED", message: "A budget of 0 lines was taken as 1, the least there is." });
  return Math.max(asked, 1);
}

function cutLines(lines: readonly string[], most: number, fits: (markdown: string) => boolean): string {
  let [low, high] = [0, Math.min(lines.length, most)];
  const keep = (count: number): string => lines.slice(0, count).join("\n").trimEnd();
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(keep(middle))) low = middle;
    else high = middle - 1;
  }
  if (low > 0) return keep(low);
  let [first = ""] = lines;
  while (first !== "" && !fits(first)) first = clip(first, first.length - 1);
  return first;
}

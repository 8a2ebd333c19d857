import type { RenderContext } from "./render-context.ts";
import { pad, textWidth, wrap } from "./width.ts";

const gap = 2;

/** The least width of the last column. If less is left, the last column is below the others. */
const narrowestProse = 30;
const widestProse = 100;

/**
 * Renders a table whose last column is prose. The prose is wrapped and not truncated. If the table does not
 * fit, the columns between the first and the last are dropped.
 */
export function renderWrappedTable(
  context: RenderContext,
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  const { paint, width } = context;
  const widths = titles.map((_, at) => Math.max(...[titles, ...rows].map((row) => textWidth(row[at] ?? ""))));
  const lead = widths.slice(0, -1).reduce((sum, one) => sum + one + gap, 0);
  const last = titles.length - 1;
  const room = width - lead;
  if (room < Math.min(narrowestProse, widths[last] ?? 0)) {
    if (titles.length > 2) {
      const ends = (row: readonly string[]) => [row[0] ?? "", row[last] ?? ""];
      return renderWrappedTable(context, ends(titles), rows.map(ends));
    }
    return rows.flatMap(([name = "", text = ""]) => [
      ...wrap(name, width).map(paint.cyan),
      ...wrap(text, width - gap).map((line) => " ".repeat(gap) + line),
    ]);
  }
  const draw = (row: readonly string[], first: (text: string) => string, rest: (text: string) => string) =>
    wrap(row[last] ?? "", Math.min(room, widestProse)).map((line, index) => {
      const before = widths.slice(0, -1).map((one, at) => pad(index === 0 ? (row[at] ?? "") : "", one + gap));
      return `${first(before[0] ?? "")}${paint.dim(before.slice(1).join(""))}${rest(line)}`.trimEnd();
    });
  return [
    ...draw(titles, paint.dim, paint.dim),
    ...rows.flatMap((row) => draw(row, paint.cyan, (text) => text)),
  ];
}

import type { RenderContext } from "./render-context.ts";
import { cut, textWidth } from "./width.ts";

export type Column<Row> = {
  title: string;
  cell(row: Row): string;
  paint?(text: string, row: Row): string;
  align?: "right";
  /** The minimum width of a column that may be truncated. Columns with `expendable` are dropped first. */
  flexible?: number;
  /** Dropped if space is short, the highest number first. */
  expendable?: number;
};

const gap = 2;

/** Renders aligned columns. If they are too wide for the terminal, the first column gets its own line. */
export function renderTable<Row>(
  context: RenderContext,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): string[] {
  const measured = columns.map((column) => ({
    column,
    width: rows.reduce(
      (widest, row) => Math.max(widest, textWidth(column.cell(row))),
      textWidth(column.title),
    ),
  }));
  const fitted = fitColumns(measured, context.width);
  if (totalWidth(fitted) > context.width) return stackRows(context, fitted, rows);
  const line = (draw: (column: Column<Row>) => { text: string; paint: (text: string) => string }) =>
    fitted
      .map(({ column, width }, index) => {
        const { text, paint } = draw(column);
        const shown = cut(text, width);
        const isLast = index === fitted.length - 1;
        const room = " ".repeat(width - textWidth(shown));
        if (column.align === "right") return room + paint(shown);
        return isLast ? paint(shown) : paint(shown) + room;
      })
      .join(" ".repeat(gap))
      .trimEnd();
  return [
    line(({ title }) => ({ text: title, paint: context.paint.dim })),
    ...rows.map((row) =>
      line((column) => ({ text: column.cell(row), paint: (text) => column.paint?.(text, row) ?? text })),
    ),
  ];
}

type Measured<Row> = { column: Column<Row>; width: number };

const totalWidth = (columns: readonly Measured<never>[]): number =>
  columns.reduce((sum, { width }) => sum + width, gap * (columns.length - 1));

/** Writes each row on two lines: the first column, and the others below it without titles. */
function stackRows<Row>(
  { width }: RenderContext,
  columns: readonly Measured<Row>[],
  rows: readonly Row[],
): string[] {
  return rows.flatMap((row) => {
    const [first = "", ...others] = columns.map(({ column }) => {
      const cells = columns.map((one) => one.column.cell(row));
      const beside = cells.slice(1).reduce((sum, cell) => sum + gap + textWidth(cell), 0);
      const cell = column.cell(row);
      const room = column.flexible === undefined ? width : width - (beside - textWidth(cell));
      const shown = cut(cell, Math.max(1, room));
      return column.paint?.(shown, row) ?? shown;
    });
    return [first, " ".repeat(gap) + others.filter((cell) => cell !== "").join(" ".repeat(gap))];
  });
}

function fitColumns<Row>(columns: readonly Measured<Row>[], width: number): Measured<Row>[] {
  const flexible = columns.find(({ column }) => column.flexible !== undefined);
  const total = totalWidth(columns);
  if (total <= width) return [...columns];
  const room = (flexible?.width ?? 0) - (total - width);
  const wanted = Math.min(flexible?.width ?? 0, flexible?.column.flexible ?? 0);
  const rank = (column: Measured<Row>) => column.column.expendable ?? 0;
  const least = columns.reduce((most, one) => (rank(one) > rank(most) ? one : most));
  if (room < wanted && rank(least) > 0) {
    return fitColumns(
      columns.filter((column) => column !== least),
      width,
    );
  }
  return columns.map((one) => (one === flexible ? { ...one, width: Math.max(room, 8) } : one));
}

import type { SqlValue } from "./driver.ts";
import type { Connection } from "./open-database.ts";

/** Rows a statement. Few sizes, so that the statements stay compiled; sixty-four callers need one. */
const sizes = [64, 16, 4, 1] as const;

/** Inserts any number of rows by few statements. `into` is all that comes before VALUES, `behind` what comes after. */
export function rowInserter(into: string, columns: number, behind = "") {
  const row = `(${Array.from({ length: columns }, () => "?").join(", ")})`;
  const texts = sizes.map((size) => ({
    size,
    text: `${into} VALUES ${Array.from({ length: size }, () => row).join(", ")} ${behind}`,
  }));
  const single = texts.at(-1)?.text ?? "";
  return ({ sql }: Connection, rows: readonly (readonly SqlValue[])[]): void => {
    const [only] = rows;
    // Most batches are one row, and flattening costs as much as everything around it.
    if (only && rows.length === 1) {
      sql(single).run(...only);
      return;
    }
    let from = 0;
    for (const { size, text } of texts)
      for (; rows.length - from >= size; from += size) sql(text).run(...rows.slice(from, from + size).flat());
  };
}

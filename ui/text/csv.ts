/** A text that begins like a formula would run in a spreadsheet. */
const formula = /^[=+\-@\t\r]/;

function toCell(value: unknown): string {
  const text = value === undefined || value === null ? "" : String(value);
  const safe = typeof value === "string" && formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Rows of one shape as CSV, with a line of names. */
export function toCsv(rows: readonly Record<string, unknown>[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [names, ...rows.map((row) => names.map((name) => row[name]))];
  return `${lines.map((cells) => cells.map(toCell).join(",")).join("\r\n")}\r\n`;
}

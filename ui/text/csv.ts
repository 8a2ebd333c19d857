/** Matches text that a spreadsheet would run as a formula. */
const formula = /^[=+\-@\t\r]/;

function toCell(value: unknown): string {
  const text = value === undefined || value === null ? "" : String(value);
  const safe = typeof value === "string" && formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Formats rows as CSV, with column names in the first line. */
export function toCsv(rows: readonly Record<string, unknown>[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [names, ...rows.map((row) => names.map((name) => row[name]))];
  return `${lines.map((cells) => cells.map(toCell).join(",")).join("\r\n")}\r\n`;
}

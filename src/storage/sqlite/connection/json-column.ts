import { damagedRow } from "./sqlite-errors.ts";

/** Only this program writes such columns, so text that is no JSON shows that the file is damaged. */
export function parseColumn<Value>(value: unknown): Value {
  // Most are empty, and parsing those is a good part of what a call reads.
  if (value === "[]") return [] as Value;
  if (value === "{}") return {} as Value;
  try {
    return JSON.parse(String(value)) as Value;
  } catch (thrown) {
    throw damagedRow(thrown);
  }
}

import { damagedRow } from "./sqlite-errors.ts";

/** Only this program writes such columns, so text that is no JSON shows that the file is damaged. */
export function parseColumn<Value>(value: unknown): Value {
  try {
    return JSON.parse(String(value)) as Value;
  } catch (thrown) {
    throw damagedRow(thrown);
  }
}

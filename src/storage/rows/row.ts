import type { ThoughtboxError } from "../../kernel/errors.ts";
import { storageFailure } from "../../ports/storage-failures.ts";

/** A row as the driver of either database returns it. */
export type SqlValue = string | number | null;
export type Row = Record<string, SqlValue>;

/** Splits a text of several integer columns into rows. Separate rows would cost several times as much. */
export function* unpack(list: unknown, columns: number): Generator<number[]> {
  if (typeof list !== "string") return;
  let row: number[] = [];
  let number = 0;
  for (let at = 0; at <= list.length; at += 1) {
    const digit = list.charCodeAt(at) - 48;
    if (digit >= 0 && digit <= 9) {
      number = number * 10 + digit;
      continue;
    }
    row.push(number);
    number = 0;
    if (row.length < columns) continue;
    yield row;
    row = [];
  }
}

/** Parses JSON. Only this program writes these columns, so text that is not JSON means a damaged store. */
export function parseColumn<Value>(value: unknown): Value {
  // Most columns contain an empty list or object, and parsing those would take a large part of a call's
  // reading time.
  if (value === "[]") return [] as Value;
  if (value === "{}") return {} as Value;
  try {
    return JSON.parse(String(value)) as Value;
  } catch (thrown) {
    throw damagedRow(thrown);
  }
}

/** Returns the error for a row with something that this program never writes. */
export function damagedRow(cause: unknown): ThoughtboxError {
  return storageFailure("store_failed", { trouble: "damaged" }, cause);
}

import type { ThoughtboxError } from "../../kernel/errors.ts";
import { storageFailure } from "../../ports/storage-failures.ts";

/** A row as a driver returns it, of either database. */
export type SqlValue = string | number | null;
export type Row = Record<string, SqlValue>;

/** Only this program writes such columns, so text that is no JSON shows that the store is damaged. */
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

/** A row contains what this program never writes. */
export function damagedRow(cause: unknown): ThoughtboxError {
  return storageFailure("store_failed", { trouble: "damaged" }, cause);
}

/** A JSON object from another program. Every field must be checked. */
export type JsonFields = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): JsonFields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonFields)
    : undefined;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** An own property, never an inherited one. */
export function member(fields: JsonFields | undefined, name: string): unknown {
  return fields !== undefined && Object.hasOwn(fields, name) ? fields[name] : undefined;
}

export function textOf(fields: JsonFields | undefined, name: string, max?: number): string | undefined {
  const value = member(fields, name);
  if (typeof value !== "string" || value === "") return undefined;
  return max === undefined || value.length <= max ? value : undefined;
}

export const objectOf = (fields: JsonFields | undefined, name: string): JsonFields | undefined =>
  asObject(member(fields, name));

const earliest = Date.UTC(2000, 0, 1);
const latest = Date.UTC(2100, 0, 1);

/** A time in the ledger's format. `undefined` if it is not a time, or not a plausible one. */
export function timeOf(fields: JsonFields | undefined, name: string): string | undefined {
  const time = Date.parse(textOf(fields, name, 64) ?? "");
  return time >= earliest && time <= latest ? new Date(time).toISOString() : undefined;
}

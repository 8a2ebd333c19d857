import type * as z from "zod";

/**
 * Forgiving about form: models write "3" for 3, "true" for true, one string for a list of one, and lists as
 * JSON text. Only what the schema asks for is converted; everything else is left for validation to judge.
 */
export function coerce(schema: z.core.$ZodType, value: unknown): unknown {
  const { def } = unwrap(schema)._zod;
  switch (def.type) {
    case "number":
      return typeof value === "string" && /^-?\d{1,16}(\.\d{1,16})?$/.test(value) ? Number(value) : value;
    case "boolean":
      return value === "true" ? true : value === "false" ? false : value;
    case "array":
      return coerceArray(def as z.core.$ZodArrayDef, value);
    case "record":
      return typeof value === "string" ? (parseJson(value, "{") ?? value) : value;
    case "object":
      return coerceObject(def as z.core.$ZodObjectDef, value);
    default:
      return value;
  }
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = schema._zod;
  const wraps = def.type === "optional" || def.type === "default" || def.type === "nullable";
  return wraps ? unwrap((def as z.core.$ZodOptionalDef).innerType) : schema;
}

function coerceArray(def: z.core.$ZodArrayDef, value: unknown): unknown {
  const list = typeof value === "string" ? (parseJson(value, "[") ?? [value]) : value;
  if (!Array.isArray(list)) return list;
  // One more than allowed is enough to be refused; the rest would be looked at, and complained of, one by one.
  const max = maxEntries(def);
  const looked = list.length > max ? list.slice(0, max + 1) : list;
  return looked.map((item) => coerce(def.element, item));
}

function maxEntries({ checks = [] }: z.core.$ZodArrayDef): number {
  const sizes = checks.map(({ _zod: { def } }) => {
    if (def.check === "max_length") return (def as z.core.$ZodCheckMaxLengthDef).maximum;
    if (def.check === "length_equals") return (def as z.core.$ZodCheckLengthEqualsDef).length;
    return Number.POSITIVE_INFINITY;
  });
  return Math.min(Number.POSITIVE_INFINITY, ...sizes);
}

function coerceObject(def: z.core.$ZodObjectDef, value: unknown): unknown {
  const given = typeof value === "string" ? (parseJson(value, "{") ?? value) : value;
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  const coerced: [string, unknown][] = [];
  for (const key of Object.keys(given)) {
    const member = (given as Record<string, unknown>)[key];
    if (member === null) continue;
    const field = Object.hasOwn(def.shape, key) ? def.shape[key] : undefined;
    coerced.push([key, field ? coerce(field, member) : member]);
  }
  // A key called __proto__ must stay a key: the guard looks for it.
  return Object.fromEntries(coerced);
}

function parseJson(text: string, opening: "[" | "{"): unknown {
  if (!text.trimStart().startsWith(opening)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import type { JSONObject } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Operation, WireForm } from "../operations/pipeline/operation.ts";

export type WireField = JSONObject;
export type WireSchema = { type: "object"; properties: Record<string, WireField>; required?: string[] };

/**
 * What `tools/list` shows of an operation: its everyday fields. Advanced ones are accepted too, so the
 * schema does not forbid what it leaves out; validation is ours, and answers with our error codes.
 */
export function wireSchema({ input, advanced, wire }: Operation): WireSchema {
  const { properties = {}, required } = z.toJSONSchema(input, { io: "input" }) as Partial<WireSchema>;
  const shown = Object.entries(properties).filter(([name]) => !advanced.includes(name));
  const needed = required?.filter((name) => !advanced.includes(name)) ?? [];
  return {
    type: "object",
    properties: Object.fromEntries(
      shown.map(([name, field]) => [name, wire[name] ? inForm(wire[name], field) : slim(field)]),
    ),
    ...(needed.length > 0 && { required: needed }),
  };
}

/** Strict clients check arguments against this. */
const inForm = (form: WireForm, { description }: WireField): WireField => ({
  ...form,
  ...(description !== undefined && { description }),
});

/** Sizes of texts and lists are checked on arrival and named in errors; on the wire they only cost tokens. */
function slim(field: WireField): WireField {
  const { properties, items, additionalProperties, ...rest } = field;
  for (const size of ["maxLength", "minLength", "pattern", "maxItems", "minItems", "propertyNames"])
    delete rest[size];
  return {
    ...rest,
    ...(isSchema(properties) && { properties: mapFields(properties) }),
    ...(isSchema(items) && { items: slim(items) }),
    ...(isSchema(additionalProperties) &&
      "type" in additionalProperties && { additionalProperties: slim(additionalProperties) }),
  };
}

const mapFields = (fields: WireField): WireField =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, isSchema(field) ? slim(field) : field]),
  );

const isSchema = (value: unknown): value is WireField =>
  typeof value === "object" && value !== null && !Array.isArray(value);

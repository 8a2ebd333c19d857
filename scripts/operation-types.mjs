// Generates TypeScript types for all operations, from their JSON Schemas, and for error codes. The types are plain, so
// a program that compiles against the package needs neither zod nor our sources, and editors show the description of
// every field.

/**
 * @param {readonly { name: string, description: string, inputSchema: object, outputSchema: object }[]} operations
 * @param {Record<string, { meaning: string }>} errorCatalogue
 */
export function operationTypes(operations, errorCatalogue) {
  const parts = operations.map(({ name, description, inputSchema, outputSchema }) => ({
    name,
    description,
    type: typeName(name),
    input: inputSchema,
    output: outputSchema,
  }));
  const twice = parts.find(({ type }, index) => parts.findIndex((part) => part.type === type) < index);
  if (twice) throw new Error(`two operations would have the type ${twice.type}`);
  return [
    "// Written by scripts/build.mjs from the catalogue and the table of errors.",
    "",
    "export type ErrorCode =",
    ...Object.entries(errorCatalogue).map(
      ([code, { meaning }], index, { length }) =>
        `  ${comment(meaning)}\n  | ${JSON.stringify(code)}${index === length - 1 ? ";" : ""}`,
    ),
    "",
    "export interface Operations {",
    ...parts.flatMap(({ name, description, type }) => [
      `  ${comment(description)}`,
      `  ${key(name)}: { arguments: ${type}Arguments; result: ${type}Result };`,
    ]),
    "}",
    ...parts.flatMap(({ type, input, output }) => [
      "",
      `export interface ${type}Arguments ${toType(input, "", " | undefined")}`,
      "",
      `export interface ${type}Result ${toType(output, "", "")}`,
    ]),
    "",
  ].join("\n");
}

/** `session.extract_learnings` → `SessionExtractLearnings` */
const typeName = (name) => name.replace(/(?:^|[._])([a-z])/g, (_, letter) => letter.toUpperCase());
const key = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
const comment = (text) => `/** ${text.replaceAll("*/", "*\\/")} */`;

/**
 * `absent` is the extra type of an optional field: an argument that is `undefined` counts as omitted, but a field of an
 * answer is either present or missing. An unknown schema throws, so that no type is silently wrong.
 */
function toType(schema, indent, absent) {
  if (Object.keys(schema).length === 0) return "unknown";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf) return schema.anyOf.map((one) => toType(one, indent, absent)).join(" | ");
  if (Array.isArray(schema.type))
    return schema.type.map((type) => toType({ ...schema, type }, indent, absent)).join(" | ");
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return listType(schema, indent, absent);
    case "object":
      return objectType(schema, indent, absent);
    case undefined:
      return "unknown";
    default:
      throw new Error(`no type for ${JSON.stringify(schema).slice(0, 200)}`);
  }
}

function listType({ items, minItems, maxItems }, indent, absent) {
  const item = toType(items, indent, absent);
  if (minItems === maxItems && minItems > 0 && minItems <= 4)
    return `[${Array.from({ length: minItems }, () => item).join(", ")}]`;
  return / [|&] /.test(item) && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
}

function objectType({ properties, required = [], additionalProperties }, indent, absent) {
  if (!properties) return `Record<string, ${toType(additionalProperties ?? {}, indent, absent)}>`;
  const inner = `${indent}  `;
  const fields = Object.entries(properties).flatMap(([name, field]) => {
    const type = toType(field, inner, absent);
    const line = required.includes(name)
      ? `${inner}${key(name)}: ${type};`
      : `${inner}${key(name)}?: ${type}${absent};`;
    return field.description ? [`${inner}${comment(field.description)}`, line] : [line];
  });
  return `{\n${fields.join("\n")}\n${indent}}`;
}

// Generates TypeScript types for all operations, from their JSON Schemas, and for error codes. The types are plain, so
// a program that compiles against the package needs neither zod nor our sources, and editors show the description of
// every field.

/**
 * @param {readonly { name: string, description: string, inputSchema: object, outputSchema: object }[]} operations
 * @param {Record<string, { meaning: string }>} errorCatalogue
 * @param {(name: string) => ((args: object) => object) | undefined} reshapeOf
 */
export function operationTypes(operations, errorCatalogue, reshapeOf) {
  const parts = operations.map(({ name, description, inputSchema, outputSchema }) => ({
    name,
    description,
    type: typeName(name),
    input: withOtherShapes(inputSchema, reshapeOf(name)),
    output: outputSchema,
  }));
  const twice = parts.find(({ type }, index) => parts.findIndex((part) => part.type === type) < index);
  if (twice) throw new Error(`two operations would have the type ${twice.type}`);
  const named = nameRepeated(parts);
  const body = (schema, absent) => toType(schema, { indent: "", absent, named, isTop: true });
  const interfaces = new Map();
  const declare = (name, text) => {
    const same = interfaces.get(text);
    if (!same) interfaces.set(text, name);
    return ["", same ? `export interface ${name} extends ${same} {}` : `export interface ${name} ${text}`];
  };
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
      ...declare(`${type}Arguments`, body(input, " | undefined")),
      ...declare(`${type}Result`, body(output, "")),
    ]),
    ...[...named.values()].flatMap(({ name, schema, absent }) => declare(name, body(schema, absent))),
    "",
  ].join("\n");
}

/** Values that an operation may accept instead of the ones in its schema, and their types. */
const otherShapes = [
  {
    of: "string",
    value: { id: "TASK-001", kind: "task" },
    isRead: (read) => read === "TASK-001",
    type: {
      type: "object",
      properties: { id: { type: "string" }, kind: { enum: ["plan", "task"] } },
      required: ["id"],
    },
  },
  {
    of: "string",
    value: { title: "a" },
    isRead: (read) => typeof read === "string",
    type: { type: "object" },
  },
  { of: "string", value: 7, isRead: (read) => read === "7", type: { type: "number" } },
];
const otherItems = [
  { of: "object", value: "a", isRead: (read) => typeof read === "object", type: { type: "string" } },
  {
    of: "string",
    value: { path: "a", lines: "1-2" },
    isRead: (read) => read === "a:1-2",
    type: {
      type: "object",
      properties: { path: { type: "string" }, lines: { type: ["string", "number"] } },
      required: ["path"],
    },
  },
];

/**
 * Tool schemas have no unions, so operations rewrite other shapes, such as an object in place of a text, before they
 * check them. The types accept those too. To find out which shapes an operation accepts, each one is rewritten once.
 */
function withOtherShapes(input, reshape) {
  if (!reshape) return input;
  const read = (field, value) => reshape({ [field]: value })[field];
  const union = (schema, others) => {
    if (others.length === 0) return schema;
    const types = others.map(({ type }) => type);
    const anyOf = schema.type === "string" ? [schema, ...types] : [...types, schema];
    return { description: schema.description, anyOf };
  };
  const widen = ([name, schema]) => {
    if (schema.type !== "array" || !schema.items) {
      const isAccepted = ({ of, value, isRead }) => schema.type === of && isRead(read(name, value));
      return [name, union(schema, otherShapes.filter(isAccepted))];
    }
    const isAccepted = ({ of, value, isRead }) => schema.items.type === of && isRead(read(name, [value])[0]);
    return [name, { ...schema, items: union(schema.items, otherItems.filter(isAccepted)) }];
  };
  return { ...input, properties: Object.fromEntries(Object.entries(input.properties ?? {}).map(widen)) };
}

/**
 * Names each object type that occurs in several places after the field that it is in: `suggestions` → `Suggestion`. If
 * that name is taken, the operation's name precedes it.
 */
function nameRepeated(parts) {
  const seen = new Map();
  const walk = (schema, absent, field, type) => {
    if (!schema || typeof schema !== "object") return;
    const inner = schema.items ?? schema.additionalProperties;
    if (inner) walk(inner, absent, schema.items ? singular(field) : field, type);
    for (const one of schema.anyOf ?? []) walk(one, absent, field, type);
    if (!schema.properties) return;
    const text = shape(schema, absent);
    const known = seen.get(text);
    if (known) known.count++;
    if (known) return;
    if (field !== "") seen.set(text, { count: 1, schema, absent, field, type });
    for (const [name, one] of Object.entries(schema.properties)) walk(one, absent, name, type);
  };
  for (const { type, input, output } of parts) {
    walk(input, " | undefined", "", type);
    walk(output, "", "", type);
  }
  const taken = new Set(["ErrorCode", "Operations"]);
  const repeated = [...seen].filter(([, { count }]) => count > 1);
  return new Map(
    repeated.map(([text, { schema, absent, field, type }]) => {
      const short = typeName(field);
      const name = [short, type + short].find((one) => !taken.has(one));
      if (!name) throw new Error(`no free name for the type of ${field} in ${type}`);
      taken.add(name);
      return [text, { name, schema, absent }];
    }),
  );
}

/** Returns the singular: `entries` → `entry`, `branches` → `branch`, `cards` → `card`. */
const singular = (word) =>
  word
    .replace(/ies$/, "y")
    .replace(/(?<=ch|sh|ss)es$/, "")
    .replace(/(?<=[^s])s$/, "");

/** Returns the whole type as one text. Equal types have equal texts. */
const shape = (schema, absent) => toType(schema, { indent: "", absent, named: new Map(), isTop: true });

/** Converts `session.extract_learnings` to `SessionExtractLearnings`. */
const typeName = (name) => name.replace(/(?:^|[._])([a-z])/g, (_, letter) => letter.toUpperCase());
const key = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
const comment = (text) => `/** ${text.replaceAll("*/", "*\\/")} */`;

/**
 * `absent` is the extra type of an optional field: an argument that is `undefined` is treated as omitted, but a field
 * of an answer is either present or missing. An unknown schema throws, so that no type is silently wrong.
 */
function toType(schema, how) {
  const { absent, named, isTop } = how;
  if (Object.keys(schema).length === 0) return "unknown";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf) return schema.anyOf.map((one) => toType(one, how)).join(" | ");
  if (Array.isArray(schema.type))
    return schema.type.map((type) => toType({ ...schema, type }, how)).join(" | ");
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return listType(schema, how);
    case "object":
      if (!isTop && named.size > 0 && schema.properties) {
        const name = named.get(shape(schema, absent))?.name;
        if (name) return name;
      }
      return objectType(schema, { ...how, isTop: false });
    case undefined:
      return "unknown";
    default:
      throw new Error(`no type for ${JSON.stringify(schema).slice(0, 200)}`);
  }
}

function listType({ items, minItems, maxItems }, how) {
  const item = toType(items, how);
  if (minItems === maxItems && minItems > 0 && minItems <= 4)
    return `[${Array.from({ length: minItems }, () => item).join(", ")}]`;
  return / [|&] /.test(item) && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
}

function objectType({ properties, required = [], additionalProperties }, how) {
  const { indent, absent } = how;
  if (!properties) return `Record<string, ${toType(additionalProperties ?? {}, how)}>`;
  const inner = `${indent}  `;
  const fields = Object.entries(properties).flatMap(([name, field]) => {
    const type = toType(field, { ...how, indent: inner });
    const line = required.includes(name)
      ? `${inner}${key(name)}: ${type};`
      : `${inner}${key(name)}?: ${type}${absent};`;
    return field.description ? [`${inner}${comment(field.description)}`, line] : [line];
  });
  return `{\n${fields.join("\n")}\n${indent}}`;
}

import { describe, expect, test } from "vitest";
import * as z from "zod";
import { wireSchema } from "../../src/mcp/gateway-tool.ts";
import { advertisedToolsets, toolDefinitions } from "../../src/mcp/tools.ts";
import { catalogue } from "../../src/operations/catalogue.ts";
import type { Operation } from "../../src/operations/pipeline/operation.ts";
import { forAll } from "../support/for-all.ts";

type Node = Record<string, any>;

/** Returns every schema inside a schema, with its path. */
function walk(schema: Node, path = "$"): [path: string, node: Node][] {
  const inner = Object.entries(schema).flatMap(([key, value]) =>
    typeof value === "object" && value !== null && key !== "default" && key !== "enum"
      ? walk(value, `${path}.${key}`)
      : [],
  );
  return [[path, schema], ...inner];
}

const unions = ["anyOf", "oneOf", "allOf", "not", "$ref"];
const unionsIn = (schema: Node) =>
  walk(schema).flatMap(([path, node]) => unions.filter((key) => key in node).map((key) => `${path}.${key}`));

function unboundedIn(schema: Node): string[] {
  const isBounded = ({ minimum, maximum }: Node) =>
    Number.isInteger(minimum) && Number.isInteger(maximum) && maximum < Number.MAX_SAFE_INTEGER;
  return walk(schema).flatMap(([path, node]) =>
    (node["type"] === "integer" || node["type"] === "number") && !isBounded(node) ? [path] : [],
  );
}

const inputs = catalogue.map(
  (operation) =>
    [operation.name, z.toJSONSchema(operation.input, { io: "input" }) as Node, operation] as const,
);

test("the checks find unions and unbounded integers", () => {
  const bad = z.toJSONSchema(z.strictObject({ list: z.array(z.union([z.int(), z.string()])) })) as Node;
  expect(unionsIn(bad)).toEqual(["$.properties.list.items.anyOf"]);
  expect(unboundedIn(bad)).toEqual(["$.properties.list.items.anyOf.0"]);
  const integers = inputs.flatMap(([, schema]) => walk(schema).filter(([, { type }]) => type === "integer"));
  expect(integers.length).toBeGreaterThan(10);
});

const forAllInputs = (check: (schema: Node, operation: Operation) => void) =>
  forAll(
    inputs,
    ([name]) => name,
    ([, schema, operation]) => check(schema, operation),
  );

test("every operation takes a flat object without unions", () =>
  forAllInputs((schema) => {
    expect(schema).toMatchObject({ type: "object", additionalProperties: false });
    expect(unionsIn(schema)).toEqual([]);
  }));

test("every operation limits every integer", () =>
  forAllInputs((schema) => {
    expect(unboundedIn(schema)).toEqual([]);
    expect(JSON.stringify(schema)).not.toContain(String(Number.MAX_SAFE_INTEGER));
  }));

test("every operation limits every text and list", () =>
  forAllInputs((schema, operation) => {
    const endless = walk(schema).flatMap(([path, node]) => {
      const open = node["type"] === "string" && !node["enum"] && !node["maxLength"] && !node["pattern"];
      const long = node["type"] === "array" && !node["maxItems"];
      return open || long ? [path] : [];
    });
    // The limit of a thought is in bytes, which JSON Schema cannot express.
    expect(endless).toEqual(operation.name === "thought" ? ["$.properties.thought"] : []);
  }));

test("every operation describes every field in a sentence", () =>
  forAllInputs((schema) => {
    const fields = Object.entries(schema["properties"] as Record<string, Node>);
    expect(fields.length).toBeGreaterThan(0);
    for (const [field, { description }] of fields) {
      expect(description, field).toMatch(/^.{8,}\.$/);
      expect(description.length, field).toBeLessThanOrEqual(160);
    }
  }));

test("every operation takes sessionId or workspace, and idempotencyKey if it writes", () =>
  forAllInputs((schema, operation) => {
    const fields = Object.keys(schema["properties"]);
    expect(fields).toContain(operation.family === "memory" ? "workspace" : "sessionId");
    const reads = operation.family === "memory" && operation.effect === "read";
    expect(fields.includes("max_chars")).toBe(
      reads || ["help", "context_pack_export"].includes(operation.name),
    );
    expect(fields.includes("idempotencyKey")).toBe(operation.effect !== "read");
  }));

test("every tool schema has the same shape, omits advanced fields and allows additional ones", () =>
  forAllInputs((_schema, operation) => {
    const wire = wireSchema(operation) as Node;
    expect(unionsIn(wire)).toEqual([]);
    expect(unboundedIn(wire)).toEqual([]);
    expect(wire["type"]).toBe("object");
    expect(wire).not.toHaveProperty("additionalProperties");
    for (const [field, { description }] of Object.entries(wire["properties"] as Record<string, Node>)) {
      expect(operation.advanced).not.toContain(field);
      expect(description, field).toBeTruthy();
    }
  }));

test("the gateway's schema is a flat object without unions, and limits every integer", () => {
  const [gateway] = toolDefinitions(catalogue, "gateway");
  const schema = gateway?.inputSchema as Node;
  expect(schema["required"]).toEqual(["operation"]);
  expect(unionsIn(schema)).toEqual([]);
  expect(JSON.stringify(schema)).not.toContain(String(Number.MAX_SAFE_INTEGER));
  for (const field of ["operation", "subOperation", "args", "sessionId", "thought", "branchId", "query"])
    expect(schema["properties"], field).toHaveProperty(field);
  expect(
    schema["properties"].operation,
    "clients would refuse names that the server takes",
  ).not.toHaveProperty("enum");
});

/** Returns the schema of every field, with its path. */
function fieldsOf(schema: Node, path: string): [path: string, field: Node][] {
  const inner = [
    ...Object.entries((schema["properties"] ?? {}) as Record<string, Node>),
    ...(schema["items"] ? [["items", schema["items"]] as [string, Node]] : []),
    ...(typeof schema["additionalProperties"] === "object"
      ? [["*", schema["additionalProperties"]] as [string, Node]]
      : []),
  ];
  return [[path, schema], ...inner.flatMap(([name, field]) => fieldsOf(field, `${path}.${name}`))];
}

describe.each(advertisedToolsets)("the toolset %s avoids what clients refuse:", (toolset) => {
  const tools = toolDefinitions(catalogue, toolset);
  const fields = tools.flatMap(({ name, inputSchema }) => fieldsOf(inputSchema as Node, name));

  test("every list declares its items, and every field its type", () => {
    expect(fields.length).toBeGreaterThan(30);
    expect(fields.filter(([, { type }]) => typeof type !== "string").map(([path]) => path)).toEqual([]);
    const bare = fields.filter(([, { type, items }]) => type === "array" && !items);
    expect(bare.map(([path]) => path)).toEqual([]);
  });

  test("every schema is a plain object without references and unions", () => {
    for (const { name, inputSchema } of tools) {
      expect(inputSchema.type, name).toBe("object");
      expect(unionsIn(inputSchema as Node), name).toEqual([]);
      expect(JSON.stringify(inputSchema), name).not.toMatch(/"\$(ref|defs)"/);
    }
  });

  test("no name exceeds 64 characters, and no description the length at which clients cut it", () => {
    for (const { name, description } of tools) {
      expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(description?.length, name).toBeLessThanOrEqual(
        1_024 + (name === "thoughtbox_gateway" ? 1_024 : 0),
      );
    }
    for (const [path, { description }] of fields)
      expect(description?.length ?? 0, path).toBeLessThanOrEqual(1_024);
  });
});

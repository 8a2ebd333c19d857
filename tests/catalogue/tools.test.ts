import { describe, expect, test } from "vitest";
import { stages } from "../../src/domain/stages/stages.ts";
import { instructions } from "../../src/mcp/instructions.ts";
import { type AdvertisedToolset, toolDefinitions } from "../../src/mcp/tools.ts";
import { catalogue } from "../../src/operations/catalogue.ts";
import { toolName } from "../../src/operations/pipeline/normalise.ts";

const toolsets: AdvertisedToolset[] = ["gateway", "core", "daily", "full"];
/** The gateway reaches everything, so it may do whatever any operation may do. */
const widestEffect = catalogue.some(({ effect }) => effect === "destroy") ? "destroy" : "write";

const namesIn = (toolset: AdvertisedToolset) => toolDefinitions(catalogue, toolset).map(({ name }) => name);

test("the daily list holds at most 12 tools and 16 KB", () => {
  const tools = toolDefinitions(catalogue, "daily");
  expect(tools.length).toBeGreaterThan(1);
  expect(tools.length).toBeLessThanOrEqual(12);
  expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(16 * 1024);
});

test("full lists every operation, gateway only the one tool that reaches all", () => {
  expect(namesIn("full")).toEqual(["thoughtbox_gateway", ...catalogue.map(({ name }) => toolName(name))]);
  expect(namesIn("gateway")).toEqual(["thoughtbox_gateway"]);
});

test("each toolset contains the smaller ones", () => {
  for (const [at, toolset] of toolsets.entries()) {
    const smaller = toolsets[at - 1];
    if (smaller) for (const name of namesIn(smaller)) expect(namesIn(toolset)).toContain(name);
  }
});

test.each(toolsets)("the list of %s is the same every time", (toolset) => {
  const first = JSON.stringify(toolDefinitions(catalogue, toolset));
  expect(JSON.stringify(toolDefinitions(catalogue, toolset))).toBe(first);
});

test("the instructions fit where clients cut them", () => {
  expect(instructions.length).toBeGreaterThan(0);
  expect(instructions.length).toBeLessThanOrEqual(2_048);
});

test("the gateway's description names every operation of the ledger and the stage it opens at", () => {
  const [gateway] = toolDefinitions(catalogue, "gateway");
  for (const { name, title, stage } of catalogue.filter(({ family }) => family === "ledger")) {
    const [group, verb] = name.split(".");
    const line = gateway?.description?.split("\n").find((candidate) => candidate.startsWith(`- ${group} (`));
    // A group tells the stage at which all of it is open.
    const told = Number(/\((\d)\)/.exec(line ?? "")?.[1]);
    if (verb) expect(told, name).toBeGreaterThanOrEqual(stages[stage]);
    else expect(told, name).toBe(stages[stage]);
    expect(line, name).toMatch(new RegExp(`: (?:.*, )?${verb ?? title}(?:,|$)`));
  }
});

describe.each(toolDefinitions(catalogue, "full").map((tool) => [tool.name, tool] as const))(
  "the tool %s",
  (name, { description, title, annotations, inputSchema, ...others }) => {
    test("has a short name and a description that clients do not cut", () => {
      expect(name).toMatch(/^[a-z_]{1,24}$/);
      expect(title).toBeTruthy();
      expect(description?.length).toBeGreaterThan(0);
      expect(description?.length).toBeLessThanOrEqual(2_048);
    });

    test("carries every annotation and no output schema", () => {
      expect(annotations).toEqual({
        title,
        readOnlyHint: expect.any(Boolean),
        destructiveHint: expect.any(Boolean),
        idempotentHint: expect.any(Boolean),
        openWorldHint: expect.any(Boolean),
      });
      expect(inputSchema.type).toBe("object");
      expect(others).not.toHaveProperty("outputSchema");
    });

    test("says truthfully whether it only reads", () => {
      // The gateway reaches everything, so it may do whatever any operation may do.
      const effect = catalogue.find((operation) => toolName(operation.name) === name)?.effect ?? "destroy";
      expect(annotations?.readOnlyHint).toBe(effect === "read");
      expect(annotations?.destructiveHint).toBe((effect ?? widestEffect) === "destroy");
    });
  },
);

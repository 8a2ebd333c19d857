import { expect, test } from "vitest";
import { cipherTypes } from "../../src/domain/cipher/notation.ts";
import { stages } from "../../src/domain/stages/stages.ts";
import { instructions } from "../../src/mcp/server.ts";
import { type AdvertisedToolset, toolDefinitions } from "../../src/mcp/tools.ts";
import { catalogue } from "../../src/operations/catalogue.ts";
import { toolName } from "../../src/operations/pipeline/normalise.ts";
import { forAll } from "../support/for-all.ts";

const toolsets: AdvertisedToolset[] = ["gateway", "core", "daily", "full"];
const forAgents = catalogue.filter(({ toolset }) => toolset !== "people");
const namesIn = (toolset: AdvertisedToolset) => toolDefinitions(catalogue, toolset).map(({ name }) => name);

test("the daily list has at most 12 tools and 16 KB", () => {
  const tools = toolDefinitions(catalogue, "daily");
  expect(tools.length).toBeGreaterThan(1);
  expect(tools.length).toBeLessThanOrEqual(12);
  expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(16 * 1024);
});

test("full lists every operation for agents, and gateway lists a single tool", () => {
  expect(forAgents.length).toBeLessThan(catalogue.length);
  expect(namesIn("full")).toEqual(["thoughtbox_gateway", ...forAgents.map(({ name }) => toolName(name))]);
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

test("the instructions are not longer than clients show", () => {
  expect(instructions.length).toBeGreaterThan(0);
  expect(instructions.length).toBeLessThanOrEqual(2_048);
});

test("the gateway's description explains each ledger operation and the stage that opens it", () => {
  const [gateway] = toolDefinitions(catalogue, "gateway");
  for (const { name, title, stage } of forAgents.filter(({ family }) => family === "ledger")) {
    const [group, verb] = name.split(".");
    const line = gateway?.description?.split("\n").find((candidate) => candidate.startsWith(`- ${group} (`));
    // A group shows the stage at which all of its operations are unlocked.
    const told = Number(/\((\d)\)/.exec(line ?? "")?.[1]);
    if (verb) {
      expect(told, name).toBeGreaterThanOrEqual(stages[stage]);
      expect(line, name).toMatch(new RegExp(`: .*\\.${verb}(?:,|$)`));
    } else {
      expect(told, name).toBe(stages[stage]);
      const clause = line?.slice(line.indexOf(": ") + 2) ?? "";
      expect(clause.toLowerCase(), name).not.toBe(title.toLowerCase());
      expect(clause.split(" ").length, name).toBeGreaterThanOrEqual(4);
    }
  }
  expect(gateway?.description).toMatch(/^- memory.*notes_commit.*graph_apply/m);
});

test("the daily list contains the tools that models use first", () => {
  expect(namesIn("daily")).toEqual([
    "thoughtbox_gateway",
    "load_context",
    "thought",
    "session_search",
    "notes_commit",
    "open",
    "tasks_create",
    "tasks_close_step",
    "think_card",
    "context_pack",
    "recall",
    "why",
  ]);
});

test("the instructions explain when before how, and name every cipher letter and the memory", () => {
  expect(instructions.indexOf("When:")).toBeLessThan(instructions.indexOf("thought {"));
  for (const word of [
    "session_search",
    "load_context",
    "nextThoughtNeeded:false",
    "sessionId",
    "notes_commit",
  ])
    expect(instructions).toContain(word);
  for (const letter of Object.keys(cipherTypes))
    expect(instructions).toMatch(new RegExp(`\\b${letter} [a-z]+`));
  expect(instructions).not.toContain("stage");
});

type Tool = ReturnType<typeof toolDefinitions>[number];
const forAllTools = (check: (tool: Tool) => void) =>
  forAll(toolDefinitions(catalogue, "full"), ({ name }) => name, check);

test("every tool has a short name and a description that clients do not cut", () =>
  forAllTools(({ name, title, description }) => {
    expect(name).toMatch(/^[a-z_]{1,24}$/);
    expect(title).toBeTruthy();
    expect(description?.length).toBeGreaterThan(0);
    expect(description?.length).toBeLessThanOrEqual(2_048);
  }));

test("every tool has every annotation and no output schema", () =>
  forAllTools(({ title, annotations, inputSchema, ...others }) => {
    expect(annotations).toEqual({
      title,
      readOnlyHint: expect.any(Boolean),
      destructiveHint: expect.any(Boolean),
      idempotentHint: expect.any(Boolean),
      openWorldHint: expect.any(Boolean),
    });
    expect(inputSchema.type).toBe("object");
    expect(others).not.toHaveProperty("outputSchema");
  }));

test("every tool declares correctly whether it only reads", () =>
  forAllTools(({ name, annotations }) => {
    const effect = catalogue.find((operation) => toolName(operation.name) === name)?.effect;
    expect(annotations?.readOnlyHint).toBe(effect === "read");
    // Nothing is lost through the gateway, because everything deleted there can be restored.
    expect(annotations?.destructiveHint).toBe(effect === "destroy");
  }));

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { listPrompts } from "../../src/mcp/prompts.ts";
import { advertisedToolsets, toolDefinitions } from "../../src/mcp/tools.ts";
import { catalogue } from "../../src/operations/catalogue.ts";
import { createContentFiles } from "../../src/storage/files/content-files.ts";

const root = join(import.meta.dirname, "..", "..");
const dist = join(root, "dist");

test.each(advertisedToolsets)(
  "the list that the build wrote for %s matches the catalogue",
  async (toolset) => {
    const file = toolset === "full" ? "full.json" : "daily.json";
    const { tools, prompts, smaller } = JSON.parse(readFileSync(join(dist, "lists", file), "utf8"));
    const names: string[] = smaller?.[toolset] ?? tools.map(({ name }: { name: string }) => name);
    expect(prompts.length).toBeGreaterThan(0);
    expect(prompts).toEqual(
      JSON.parse(JSON.stringify(await listPrompts(createContentFiles(join(root, "content"))))),
    );
    expect(tools.filter(({ name }: { name: string }) => names.includes(name))).toEqual(
      JSON.parse(JSON.stringify(toolDefinitions(catalogue, toolset))),
    );
  },
);

test("the build leaves no lists of removed toolsets", () => {
  expect(readdirSync(join(dist, "lists")).sort()).toEqual(["daily.json", "full.json"]);
});

describe("which parts are loaded at startup", () => {
  /** Returns the text of a built file and of everything it imports with `import … from`, recursively. */
  function loadedWith(file: string, seen = new Map<string, string>()): Map<string, string> {
    if (seen.has(file)) return seen;
    const text = readFileSync(file, "utf8");
    seen.set(file, text);
    for (const [, specifier = ""] of text.matchAll(/(?:\bfrom|\bimport)\s*"(\.[^"]+)"/g))
      loadedWith(join(dirname(file), specifier), seen);
    return seen;
  }
  const chunk = (name: string) => {
    const [found = ""] = readdirSync(join(dist, "chunks")).filter((file) => file.startsWith(`${name}-`));
    return join(dist, "chunks", found);
  };
  const includes = (file: string, text: string) =>
    [...loadedWith(file).values()].some((content) => content.includes(text));

  /** For each part of the program, a text that occurs only in that part. */
  const marks = {
    storage: "CREATE TABLE",
    catalogue: catalogue.find(({ name }) => name === "session.verify")?.summary.slice(0, 30) ?? "",
    protocol: "notifications/initialized",
    "schema compiler": "strictTypes",
  };
  const parts: [entry: string, file: string, rooms: (keyof typeof marks)[]][] = [
    ["thoughtbox", join(dist, "main.mjs"), []],
    ["thoughtbox stdio", chunk("serve-stdio"), ["protocol"]],
    ["the first call", chunk("app"), ["storage", "catalogue"]],
    ["the library", join(dist, "index.mjs"), ["storage", "catalogue"]],
  ];

  test("every part has a marker, and the SDK contains a schema compiler", () => {
    const sdk = join(root, "node_modules", "@modelcontextprotocol", "server", "dist", "shimsNode.mjs");
    expect(includes(sdk, marks["schema compiler"])).toBe(true);
    for (const mark of Object.values(marks)) expect(mark).not.toBe("");
  });

  test.each(parts)("by %s", (_entry, file, rooms) => {
    const present = Object.entries(marks).flatMap(([room, mark]) => (includes(file, mark) ? [room] : []));
    expect(present.sort()).toEqual([...rooms].sort());
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const script: string = "../../scripts/server-manifest.mjs";
const { missingFromManifest, serverManifest } = await import(script);
const root = join(import.meta.dirname, "..", "..");
const readJson = (name: string) => JSON.parse(readFileSync(join(root, name), "utf8"));
const packageJson = readJson("package.json");

test("server.json agrees with package.json", () => {
  expect(readJson("server.json")).toEqual(serverManifest(packageJson));
});

test("a description of the server lacks only what its owner must give", () => {
  const own = ["repository", "homepage", "bugs", "mcpName"].filter((name) => packageJson[name] === undefined);
  expect(missingFromManifest(serverManifest(packageJson))).toEqual(own.includes("mcpName") ? ["name"] : []);
  const named = serverManifest({ ...packageJson, mcpName: "example.test/thoughtbox" });
  expect(missingFromManifest(named)).toEqual([]);
  expect(missingFromManifest({ packages: [{}] })).toEqual([
    "name",
    "description",
    "version",
    "packages[0].registryType",
    "packages[0].identifier",
    "packages[0].version",
    "packages[0].transport",
  ]);
});

test("nothing is published before the package was checked", () => {
  expect(packageJson.scripts.prepublishOnly).toBe("node scripts/pack-check.mjs");
});

test("workflows run commands that exist, on every system and Node that is promised", () => {
  const folder = join(root, ".github", "workflows");
  const workflows = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  expect(workflows).toHaveLength(2);
  const scripts = workflows.flatMap((text) =>
    [...text.matchAll(/npm (?:run )?([\w:]+)/g)].map(([, name]) => name),
  );
  const own = new Set([...Object.keys(packageJson.scripts), "ci", "publish"]);
  expect(scripts.filter((name) => !own.has(name ?? ""))).toEqual([]);
  const [ci = ""] = workflows;
  expect(ci).toContain("os: [ubuntu-latest, macos-latest, windows-latest]");
  expect(ci).toContain("node: [20, 22, 24]");
});

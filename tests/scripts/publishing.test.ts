import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const script: string = "../../scripts/server-manifest.mjs";
const { hasSecurityContact, missingFromManifest, serverManifest } = await import(script);
const programs: string = "../../scripts/program-of.mjs";
const { programOf } = await import(programs);
const root = join(import.meta.dirname, "..", "..");
const readJson = (name: string) => JSON.parse(readFileSync(join(root, name), "utf8"));
const packageJson = readJson("package.json");

test("server.json agrees with package.json", () => {
  expect(readJson("server.json")).toEqual(serverManifest(packageJson));
});

test("the server manifest lacks only what its owner must provide", () => {
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

test("nothing is published before the package is checked", () => {
  expect(packageJson.scripts.prepublishOnly).toBe("node scripts/pack-check.mjs");
});

test("workflows run existing commands on every supported system and Node.js version", () => {
  const folder = join(root, ".github", "workflows");
  const workflows = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  expect(workflows).toHaveLength(3);
  const scripts = workflows.flatMap((text) =>
    [...text.matchAll(/npm (?:run )?([\w:]+)/g)].map(([, name]) => name),
  );
  const own = new Set([...Object.keys(packageJson.scripts), "ci", "publish"]);
  expect(scripts.filter((name) => !own.has(name ?? ""))).toEqual([]);
  const [ci = ""] = workflows;
  expect(ci).toContain("os: [ubuntu-latest, macos-latest, windows-latest]");
  expect(ci).toContain("node: [20, 22, 24]");
});

test("nothing is published unless SECURITY.md names a contact", () => {
  const page = (contact: string) =>
    `# Security\n\nAda <ada@example.org>\n\n## Report a vulnerability\n\nPlease report privately${contact}.\n\n## Access\n\nhttps://box.example.com\n`;
  expect(hasSecurityContact(page(""))).toBe(false);
  expect(hasSecurityContact(page(" to security@example.org"))).toBe(true);
  expect(hasSecurityContact(page(" at https://example.org/advisories"))).toBe(true);
  const bugs = { url: "https://example.org/issues" };
  expect(hasSecurityContact(page(` at ${bugs.url}`), { bugs })).toBe(false);
  expect(hasSecurityContact("# Security\n\n## Report a vulnerability\n\nWrite to a@example.org")).toBe(true);
  expect(readFileSync(join(root, "scripts/pack-check.mjs"), "utf8")).toContain("hasSecurityContact(");
});

test("a release has a bundle for every system, and needs no token to publish", () => {
  const release = readFileSync(join(root, ".github/workflows/release.yml"), "utf8");
  const [bundle = "", publish = ""] = release.split(/^ {2}publish:/m);
  expect(bundle).toContain("os: [ubuntu-latest, macos-latest, windows-latest]");
  expect(bundle).toMatch(/npm run bundle -- thoughtbox-\$\{\{ runner\.os \}\}\.mcpb/);
  expect(publish).toContain("needs: bundle");
  expect(publish).toContain("id-token: write");
  expect(publish).toMatch(/thoughtbox-\*\.mcpb/);
  expect(release).not.toMatch(/secrets\.|NODE_AUTH_TOKEN|registry/);
  const bundling = readFileSync(join(root, "scripts/bundle.mjs"), "utf8");
  expect(bundling).toContain('manifest_version: "0.4"');
  expect(bundling).toContain("platforms: [process.platform]");
});

test("Dependabot proposes updates for every package.json", () => {
  const files = execFileSync("git", ["ls-files", "package.json", "*/package.json"], {
    cwd: root,
    encoding: "utf8",
  });
  const folders = files
    .trim()
    .split("\n")
    .map((file) => `/${file.replace(/\/?package\.json$/, "")}`);
  expect(folders.length).toBeGreaterThan(3);
  const [, listed = ""] =
    /directories: (\[.*\])/.exec(readFileSync(join(root, ".github/dependabot.yml"), "utf8")) ?? [];
  expect(JSON.parse(listed).sort()).toEqual(folders.sort());
});

test("scripts start programs of packages without batch files", () => {
  for (const [name, program] of [
    ["@biomejs/biome", "biome"],
    ["typescript", "tsc"],
    ["knip", "knip"],
    ["vitest", "vitest"],
  ]) {
    const [command, entry] = programOf(root, name, program);
    expect(command).toBe(process.execPath);
    expect(existsSync(entry), entry).toBe(true);
    expect(readFileSync(entry, "utf8")).toMatch(/^#!.*node/);
  }
  expect(() => programOf(root, "vitest", "nope")).toThrow("vitest has no program nope");
  const folder = join(root, "scripts");
  const scripts = readdirSync(folder).filter((name) => name.endsWith(".mjs"));
  const text = (name: string) => readFileSync(join(folder, name), "utf8");
  expect(scripts.filter((name) => text(name).includes('"node_modules", ".bin"'))).toEqual([]);
  // On Windows, `npm` is a batch file too.
  const npm = /(?:spawn|spawnSync|execFileSync)\("npm"|: \["npm"/;
  const callers = scripts.filter((name) => npm.test(text(name)));
  expect(callers.length).toBeGreaterThan(1);
  expect(callers.filter((name) => !text(name).includes('process.platform === "win32"'))).toEqual([]);
});

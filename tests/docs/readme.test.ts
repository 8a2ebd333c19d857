import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { spawnHttpServer } from "../support/http-process.ts";
import { cleanEnv } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { commandsIn, fencedBlocks, headingSlugs, matchOutput, relativeLinks } from "./markdown.ts";

const root = join(import.meta.dirname, "..", "..");
const skipped = new Set(["node_modules", "dist", "coverage"]);

/** Returns every Markdown file in the repository, by its path from the root. */
function markdownFiles(directory = root): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory())
      return skipped.has(entry.name) || entry.name.startsWith(".") ? [] : markdownFiles(path);
    return entry.name.endsWith(".md") ? [relative(root, path)] : [];
  });
}

const read = (file: string): string => readFileSync(join(root, file), "utf8");
const files = markdownFiles();
/** Pages for people. Prose for agents in content/ has its own tests. */
const docs = files.filter((file) => !file.includes("/") || file.startsWith("docs/"));

test("the README is at most 9 KB", () => {
  expect(Buffer.byteLength(read("README.md"))).toBeLessThanOrEqual(9_000);
});

test.each([
  ["page of the settings", "settings-page"],
  ["list of decisions", "decisions-index"],
])("the %s is up to date", (_, name) => {
  const script = fileURLToPath(new URL(`../../scripts/${name}.mjs`, import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});

describe("links", () => {
  test("the checker sees links, and not those in code", () => {
    const text =
      "[a](b.md#c) ![d](e.png) [web](https://example.com) `[f](g.md)`\n```\n[h](i.md)\n```\n[j](#k)";
    expect(relativeLinks(text)).toEqual(["b.md#c", "e.png", "#k"]);
    expect(files.flatMap((file) => relativeLinks(read(file))).length).toBeGreaterThan(20);
  });

  test.each(files)("every relative link of %s leads somewhere", (file) => {
    const broken = relativeLinks(read(file)).filter((link) => !leadsSomewhere(file, link));
    expect(broken).toEqual([]);
  });
});

function leadsSomewhere(file: string, link: string): boolean {
  const [path = "", anchor] = decodeURI(link).split("#");
  const target = path === "" ? file : join(dirname(file), path);
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || !target.endsWith(".md") || headingSlugs(read(target)).includes(anchor);
}

describe("paths", () => {
  const rooms = readdirSync(join(root, "src"), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );
  const tops = ["src", "tests", "docs", "content", "scripts", "ui", "sandbox", "bench"];
  /** Returns whether an example in CONTRIBUTING creates the file, whose folder must then exist. */
  const isAdded = (path: string) => path.includes("list-branches");
  const pages = docs.filter((file) => !file.startsWith("docs/reference/"));
  const named = pages.flatMap((file) =>
    [...read(file).matchAll(/`([a-z0-9._-]+(?:\/[a-z0-9._-]+)+\/?)`/g)].flatMap(([, path = ""]) =>
      [...rooms, ...tops].includes(path.split("/")[0] ?? "") ? [{ file, path }] : [],
    ),
  );

  test("there are some", () => expect(named.length).toBeGreaterThan(50));

  test("every path that the documentation names is there", () => {
    const missing = named.filter(({ path }) => {
      const target = isAdded(path) ? dirname(path) : path;
      return !existsSync(join(root, target)) && !existsSync(join(root, "src", target));
    });
    expect(missing).toEqual([]);
  });
});

describe("the map in ARCHITECTURE.md", () => {
  const text = read("ARCHITECTURE.md");
  const sources = (readdirSync(join(root, "src"), { recursive: true }) as string[]).map((path) =>
    path.replaceAll("\\", "/"),
  );
  const isSource = (name: string) => sources.some((path) => path === name || path.endsWith(`/${name}`));

  test("every file that it names without its folder is there", () => {
    const names = [...text.matchAll(/[`(\s]([a-z-]+\.ts)\b/g)].map(([, name = ""]) => name);
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => !isSource(name))).toEqual([]);
  });

  test("every stop in the picture of a call is a folder or a file", () => {
    const [picture = ""] = /^stdio ─[\s\S]+?```/m.exec(text) ?? [];
    const stops = [...picture.matchAll(/\b(?:mcp|cli|library|observatory)(?:\/[a-z-]+)+/g)].map(
      ([stop]) => stop,
    );
    expect(stops.length).toBeGreaterThan(6);
    const there = (stop: string) => sources.includes(stop) || sources.includes(`${stop}.ts`);
    expect(stops.filter((stop) => !there(stop))).toEqual([]);
  });

  test("every folder of src has its line", () => {
    const folders = readdirSync(join(root, "src"), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    expect(folders.filter(({ name }) => !text.includes(`─ ${name}/ `))).toEqual([]);
  });
});

describe("examples", () => {
  const jsonBlocks = docs.flatMap((file) =>
    fencedBlocks(read(file), "json").map(({ line, text }) => ({ place: `${file}:${line}`, text })),
  );

  test("there are some", () => expect(jsonBlocks.length).toBeGreaterThan(5));

  test.each(jsonBlocks)("the JSON at $place parses", ({ text }) => {
    expect(() => JSON.parse(text)).not.toThrow();
  });
});

const transcripts = docs.filter((file) => commandsIn(read(file)).length > 0);

describe("transcripts", () => {
  test("there are some", () => expect(transcripts).toContain("README.md"));

  test("a difference in shape is seen", () => {
    const ids = new Map<string, string>();
    expect(matchOutput('{\n  "a": 1,\n  …\n}', '{\n  "a": 1,\n  "b": 2\n}', ids)).toBe(true);
    expect(matchOutput('{\n  "a": 1\n}', '{\n  "a": 2\n}', ids)).toBe(false);
  });

  /** Runs one shell line at a time. Lines without output (a variable, a file) stay in effect for later ones. */
  test.each(transcripts)("what %s shows is what happens", async (file) => {
    const home = tempDir();
    // A copy without .git, so that no project is derived from it.
    const work = tempDir();
    for (const name of readdirSync(root).filter((name) => name !== ".git"))
      symlinkSync(join(root, name), join(work, name));
    const env = { ...cleanEnv(), DISABLE_THOUGHT_LOGGING: "true", HOME: home };
    const ids = new Map<string, string>();
    const commands = commandsIn(read(file));
    if (commands.some(({ served }) => served)) {
      const { url } = await spawnHttpServer(join(home, ".thoughtbox"));
      ids.set("127.0.0.1:1731", url.host);
    }
    let prelude = `thoughtbox() { "${process.execPath}" "${join(root, "dist", "thoughtbox.js")}" "$@"; }\n`;
    for (const { command, output } of commands) {
      const line = [...ids].reduce((text, [shown, real]) => text.replaceAll(shown, real), command);
      if (output === "") {
        prelude += `${line}\n`;
        continue;
      }
      const { stdout } = spawnSync("sh", ["-c", `exec 2>&1\n${prelude}${line}`], {
        cwd: work,
        env,
        encoding: "utf8",
      });
      expect.soft(matchOutput(output, stdout.trimEnd(), ids), `$ ${line}\n${stdout}`).toBe(true);
    }
  });
});

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommand } from "../../support/cli.ts";
import { at, createRepository, repositoryOf, withRepository } from "../../support/git/repository.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { createTestApp } from "../../support/test-app.ts";

/** Runs `thoughtbox why` in the repository that one session wrote. */
async function openShop() {
  const app = createTestApp({ backend: "fs" });
  const { sessionId } = await withRepository(app);
  await app.close();
  const { dataDir } = app;
  const root = repositoryOf(app);
  const why = (place: string, directory = root, errorIsTerminal = false) =>
    runCommand(["why", place], { dataDir, directory, now: at(60), errorIsTerminal });
  return { root, why, sessionId };
}

test("a thought can be named with the beginning of its session's ID or with latest", async () => {
  const { why, sessionId } = await openShop();
  const whole = await why(`${sessionId}:2`);
  expect(whole).toMatchObject({ code: 0, out: expect.stringContaining("src/pool.ts:1-3") });
  for (const place of [`${sessionId.slice(0, 8)}:2`, `${sessionId.slice(0, 8).toUpperCase()}:2`, "latest:2"])
    expect(await why(place), place).toEqual(whole);
  const none = await why("0000ffff:2");
  expect(none).toMatchObject({ code: 1, err: expect.stringContaining("No session has an ID that begins") });
});

test("a terminal shows that the history is being read, and a pipe does not", async () => {
  const { root, why } = await openShop();
  expect((await why("src/pool.ts:2", root, true)).err).toBe("reading the git history …\r\u001b[2K");
  expect((await why("src/pool.ts:2")).err).toBe("");
});

test("the writer, the certainty and the reason are shown separately", async () => {
  const { why, sessionId } = await openShop();
  const { out } = await why("src/pool.ts:2");
  expect(out).toMatch(new RegExp(`written by claude-code .* ago: sure · session ${sessionId.slice(0, 8)}`));
  expect(out).toMatch(/^ {2}asked {5}Checkout times out/m);
  expect(out).toMatch(/^ {2}because {3}/m);
});

test("a file whose name looks like the beginning of an ID can be reached with ./", async () => {
  const { root, why } = await openShop();
  writeFileSync(join(root, "facade"), "one\n");
  expect(await why("./facade:1")).toMatchObject({ code: 0, out: expect.stringContaining("facade:1") });
});

test("a line after the end is refused with the number of lines, and a range may be typed backwards", async () => {
  const { why } = await openShop();
  const { code, err } = await why("src/pool.ts:99");
  expect([code, err]).toEqual([2, expect.stringMatching(/"src\/pool\.ts" has 3 lines\.\n.*from 1 to 3/)]);
  expect(await why("src/pool.ts:3-1")).toEqual(await why("src/pool.ts:1-3"));
  expect((await why("src/pool.ts:3-1")).out).toContain("src/pool.ts:1-3");
  expect((await why("src/pool.ts:2-99")).out).toContain("src/pool.ts:2-3");
});

test("a relative path finds the repository of its file, wherever it is typed", async () => {
  const { root, why } = await openShop();
  const outside = await why("repository/src/pool.ts:2", dirname(root));
  expect(outside).toEqual(await why("src/pool.ts:2"));
  expect(outside.out).toContain("40 workers share 10 connections");
  const other = createRepository(tempDir());
  other.write("a.ts", "export const first = 1;\n");
  other.commit("feat: first", 1);
  expect((await why("src/pool.ts:2", join(root, "src"))).err).toContain('Did you mean "pool.ts"?');
  expect((await why(join(root, "src/pool.ts:2"), other.directory)).out).toBe(outside.out);
});

describe("a line that cannot be explained gets a reason and the next step", () => {
  test.each([
    ["src/pol.ts:2", 1, /has no file "src\/pol\.ts"\.\n.*Did you mean "src\/pool\.ts"\?/],
    ["pool.ts:2", 1, /has no file "pool\.ts"\.\n.*Did you mean "src\/pool\.ts"\?/],
    ["quite/another.py", 1, /has no file "quite\/another\.py"\.\n.*Pass the path as git lists it/],
    ["src", 1, /"src" is a folder\.\n.*such as "src\/pool\.ts"/],
    [".", 1, /"\." is a folder\.\n.*such as "README\.md"/],
    ["src/pool.ts:abc", 2, /"abc" is not a line number\.\n.*thoughtbox why src\/pool\.ts:2/],
    ["src/pool.ts:0", 2, /"0" is not a line number\./],
    ["src/pool.ts:2-", 2, /"2-" is not a line number\./],
    [":5", 2, /":5" contains no file name\.\n.*thoughtbox why src\/pool\.ts:5/],
    ["../x/README.md:1", 2, /"\.\.\/x\/README\.md" is outside the repository .*\n.*Pass a file inside/],
    ["image.bin:1", 1, /"image\.bin" is not a text file, so Thoughtbox cannot explain its lines\./],
    ["link.ts:1", 1, /"link\.ts" is a symbolic link\.\n.*Pass the file that it points to/],
    ["away/secret.txt:1", 1, /has no file "away\/secret\.txt"/],
  ])("%s", async (place, exitCode, said) => {
    const { root, why } = await openShop();
    mkdirSync(join(root, "..", "x"));
    writeFileSync(join(root, "..", "x", "README.md"), "one\n");
    writeFileSync(join(root, "..", "x", "secret.txt"), "one\n");
    symlinkSync(join(root, "..", "x"), join(root, "away"));
    symlinkSync(join(root, "src", "pool.ts"), join(root, "link.ts"));
    writeFileSync(join(root, "image.bin"), "\u0000\u0001");
    const { code, err, out } = await why(place);
    expect([code, out, err]).toEqual([exitCode, "", expect.stringMatching(said)]);
  });

  test("a colon in a file name is not mistaken for a line number", async () => {
    const { root, why } = await openShop();
    writeFileSync(join(root, "notes:draft"), "one\n");
    expect(await why("notes:draft")).toMatchObject({
      code: 0,
      out: expect.stringContaining("notes:draft:1"),
    });
  });
});

test("a range of commits needs no --diff, and one without lines reports that", async () => {
  const { root, why } = await openShop();
  const range = await why("HEAD~1...HEAD");
  expect([range.code, range.out]).toEqual([0, expect.stringContaining("40 workers share 10 connections")]);
  createRepository(root).commit("chore: nothing", 30);
  expect((await why("HEAD~1..HEAD")).out).toBe("There are no lines to explain.\n");
  expect((await why("nowhere...HEAD")).err).toContain('There is no commit "nowhere".');
});

test("lines that no imported session wrote get a suggestion to import", async () => {
  const { why } = await openShop();
  const { out, code } = await why("README.md:1");
  expect(code).toBe(0);
  expect(out).toContain("No imported session wrote these lines.");
  expect(out).toContain("thoughtbox import --from claude-code --only .");
  expect((await why("src/pool.ts:2")).out).not.toContain("thoughtbox import");
});

test("a long commit subject is wrapped, and the author and title stay within the window", async () => {
  const { root, why } = await openShop();
  const repository = createRepository(root);
  repository.write("long.ts", "export const long = 1;\n");
  repository.commit(`feat: ${"a very long subject ".repeat(8)}`, 20, { author: "Ada ".repeat(20).trim() });
  for (const place of ["long.ts:1", "src/pool.ts:2"]) {
    const { out } = await why(place);
    for (const line of out.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
  }
  const { out } = await why("long.ts:1");
  expect(out.match(/a\s+very\s+long\s+subject/g)).toHaveLength(8);
  expect(out.replaceAll(/\s+/g, " ")).toMatch(/subject \(Ada .*…, \w+\)/);
});

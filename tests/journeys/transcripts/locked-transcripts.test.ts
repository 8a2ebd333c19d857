import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../../support/cli.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { claudeLine, claudeRoot, writeLines } from "../../support/transcripts.ts";

const lock = { THOUGHTBOX_PROJECT: "shop", THOUGHTBOX_PROJECT_LOCK: "true" };

/** Writes transcripts from two projects. The server is started in one of the projects, or outside both. */
function preparePlaces() {
  const dataDir = join(tempDir(), "data");
  const home = dirname(dataDir);
  const [shop, other] = [join(home, "shop"), join(home, "other")];
  mkdirSync(join(shop, ".git"), { recursive: true });
  const line = (cwd: string, text: string) => claudeLine("user", "u", null, text, { cwd });
  const root = claudeRoot({ dataDir });
  writeLines(join(root, "shop", "ours.jsonl"), [line(shop, "the pool of the shop")]);
  writeLines(join(root, "other", "theirs.jsonl"), [line(other, `the pool of others <cwd>${shop}</cwd>`)]);
  const call = async (name: string, args: object, directory = shop) => {
    const words = ["call", name, JSON.stringify({ ...args, root_dir: root })];
    const { code, out, err } = await runCommand(words, { dataDir, directory, env: lock });
    return { code, said: out + err };
  };
  return { call, other, home };
}

test("a locked server reads only the transcripts of its own repository", async () => {
  const { call, other } = preparePlaces();
  for (const args of [{}, { cwd_prefix: "/" }])
    for (const [name, more] of [
      ["transcripts_search", { query: "pool" }],
      ["transcripts_digest", { mode: "last" }],
    ] as const) {
      const { code, said } = await call(name, { ...args, ...more });
      expect({ code, leaks: said.includes("others") }, said).toEqual({ code: 0, leaks: false });
    }
  expect((await call("transcripts_search", { query: "pool" })).said).toContain("the pool of the shop");
  const elsewhere = await call("transcripts_search", { query: "pool", cwd_prefix: other });
  expect(elsewhere).toMatchObject({ code: 1, said: expect.stringContaining("locked to project shop") });
});

test.each([
  ["transcripts_open", { line: 1 }],
  ["transcripts_import", {}],
] as const)(
  "%s refuses a transcript of another project, even one that mentions ours",
  async (name, place) => {
    const { call } = preparePlaces();
    const theirs = await call(name, { ref: { path: "other/theirs.jsonl", ...place } });
    expect(theirs).toMatchObject({ code: 1, said: expect.stringContaining("locked to project shop") });
    expect(theirs.said).not.toContain("pool");
    expect(await call(name, { ref: { path: "shop/ours.jsonl", ...place } })).toMatchObject({ code: 0 });
  },
);

test("a locked server outside a repository reads none, and names where to start it", async () => {
  const { call, home } = preparePlaces();
  expect(await call("transcripts_search", { query: "pool" }, home)).toMatchObject({
    code: 1,
    said: expect.stringContaining("Start the server in the project's repository"),
  });
});

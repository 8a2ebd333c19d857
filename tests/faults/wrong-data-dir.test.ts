import { chownSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connectRaw } from "../support/raw-client.ts";
import { spawnServer } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const mayChown = process.getuid?.() === 0;
if (!mayChown) process.stderr.write("skipped: only root can give a directory to another user\n");

/** Every call is answered with one sentence and a hint; the server lives on. */
async function expectRefused(dataDir: string, sentence: RegExp): Promise<void> {
  const server = spawnServer(dataDir);
  const client = await connectRaw(server, "modern");
  for (const operation of ["list_sessions", "start_new"]) {
    const { error } = await client.gateway(operation);
    expect(error).toMatchObject({ code: "STORAGE_ERROR", recovery: { hint: expect.any(String) } });
    expect(error.message).toMatch(sentence);
  }
  expect((await client.call("help")).markdown).toContain("start_new");
}

test("a data directory that is a symbolic link is refused, and what it points to is left alone", async () => {
  const real = join(tempDir(), "real");
  mkdirSync(real);
  const link = join(tempDir(), "link");
  symlinkSync(real, link);
  await expectRefused(link, /refused: it is a symbolic link/);
  expect(readdirSync(real)).toEqual([]);
});

test("a symbolic link into nothing is refused, and nothing is made", async () => {
  const [link, target] = [join(tempDir(), "link"), join(tempDir(), "target")];
  symlinkSync(target, link);
  await expectRefused(link, /refused: it is a symbolic link/);
  expect(existsSync(target)).toBe(false);
});

test("a file in the place of the data directory is refused", async () => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "mine");
  await expectRefused(file, /refused: it is not a directory/);
});

test("a file on the way to the data directory is refused", async () => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "mine");
  await expectRefused(join(file, "data"), /The store cannot be opened/);
});

test("a directory in the place of the store's file is refused", async () => {
  const dataDir = tempDir();
  mkdirSync(join(dataDir, "thoughtbox.db"));
  await expectRefused(dataDir, /The store cannot be opened/);
});

test.skipIf(!mayChown)(
  "a data directory of another user is refused, and nothing is written there",
  async () => {
    const theirs = join(tempDir(), "theirs");
    mkdirSync(theirs);
    chownSync(theirs, 65_534, 65_534);
    await expectRefused(theirs, /refused: it belongs to another user/);
    expect(readdirSync(theirs)).toEqual([]);
  },
);

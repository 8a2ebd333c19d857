import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { makeDirectory, makeDirectorySync } from "./make-directory.ts";

const ways = [
  ["at once", async (path: string) => makeDirectorySync(path)],
  ["without keeping others waiting", makeDirectory],
] as const;

describe.each(ways)("a directory made %s", (_, make) => {
  test("is its owner's alone, with all that leads to it, and may be there already", async () => {
    const path = join(tempDir(), "a", "b", "c");
    await make(path);
    await make(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
  });

  test("may be a link to one", async () => {
    const link = join(tempDir(), "link");
    mkdirSync(join(link, "..", "real"));
    symlinkSync("real", link);
    await make(join(link, "below"));
    expect(existsSync(join(link, "..", "real", "below"))).toBe(true);
  });

  test("is refused if a file is in its place or in its path", async () => {
    const file = join(tempDir(), "file");
    writeFileSync(file, "mine");
    await expect(make(file)).rejects.toMatchObject({ code: "EEXIST" });
    await expect(make(join(file, "a", "b"))).rejects.toMatchObject({ code: "ENOTDIR" });
  });

  test.runIf(existsSync("/proc/self"))("is refused where the system makes none, at once", async () => {
    await expect(make("/proc/thoughtbox/data")).rejects.toMatchObject({ code: "ENOENT" });
  });
});

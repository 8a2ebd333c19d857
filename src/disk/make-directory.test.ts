import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../../tests/support/temp-dir.ts";
import { makeDirectory, makeDirectorySync } from "./make-directory.ts";

const ways = [
  ["synchronously", async (path: string) => makeDirectorySync(path)],
  ["without blocking", makeDirectory],
] as const;

describe.each(ways)("making a directory %s", (_, make) => {
  test("gives only the owner access, also to its parents, and accepts one that exists", async () => {
    const path = join(tempDir(), "a", "b", "c");
    await make(path);
    await make(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
  });

  test("follows a link to a directory", async () => {
    const link = join(tempDir(), "link");
    mkdirSync(join(link, "..", "real"));
    symlinkSync("real", link);
    await make(join(link, "below"));
    expect(existsSync(join(link, "..", "real", "below"))).toBe(true);
  });

  test("fails if a file is in its place or in its path", async () => {
    const file = join(tempDir(), "file");
    writeFileSync(file, "mine");
    await expect(make(file)).rejects.toMatchObject({ code: "EEXIST" });
    await expect(make(join(file, "a", "b"))).rejects.toMatchObject({ code: "ENOTDIR" });
  });

  test.runIf(existsSync("/proc/self"))("fails immediately if the system does not allow it", async () => {
    await expect(make("/proc/thoughtbox/data")).rejects.toMatchObject({ code: "ENOENT" });
  });
});

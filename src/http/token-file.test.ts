import { execFileSync } from "node:child_process";
import {
  chmod,
  chown,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadKey, loadToken } from "./token-file.ts";

const isPosix = process.getuid !== undefined;
const isRoot = process.getuid?.() === 0;

async function makeDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), "thoughtbox-token-"));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  return dataDir;
}

describe("the token", () => {
  it("is 32 random bytes in a private file, and stays the same", async () => {
    const dataDir = join(await makeDataDir(), "fresh");
    const token = await loadToken({ dataDir });
    expect(Buffer.from(token, "base64url")).toHaveLength(32);
    expect(await loadToken({ dataDir })).toBe(token);
    expect(await readdir(dataDir)).toEqual(["token"]);
    expect((await stat(join(dataDir, "token"))).mode & 0o777).toBe(0o600);
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
  });

  it("is the same for all processes that start at the same time", async () => {
    const dataDir = await makeDataDir();
    const tokens = await Promise.all(Array.from({ length: 20 }, () => loadToken({ dataDir })));
    expect(new Set(tokens).size).toBe(1);
    expect(await readdir(dataDir)).toEqual(["token"]);
    expect((await readFile(join(dataDir, "token"), "utf8")).trim()).toBe(tokens[0]);
  });

  it("is the configured one, and then no file is created", async () => {
    const dataDir = await makeDataDir();
    expect(await loadToken({ dataDir, configured: "from-the-environment" })).toBe("from-the-environment");
    expect(await readdir(dataDir)).toEqual([]);
  });

  it.each(["", "two words", "line\nbreak", "käse"])(
    "is refused if the configured value is %j",
    async (configured) => {
      await expect(loadToken({ dataDir: await makeDataDir(), configured })).rejects.toThrow(
        "THOUGHTBOX_TOKEN",
      );
    },
  );
});

describe("a token file is refused", () => {
  it.for<[string, (path: string) => unknown, string, boolean]>([
    ["empty", (path) => writeFile(path, "", { mode: 0o600 }), "contains no token", true],
    ["made of two words", (path) => writeFile(path, "a b", { mode: 0o600 }), "contains no token", true],
    ["far too long", (path) => writeFile(path, "a".repeat(2000), { mode: 0o600 }), "too large", true],
    ["a directory", (path) => mkdir(path), "not a regular file", isPosix],
    ["a FIFO", (path) => execFileSync("mkfifo", ["-m", "600", path]), "not a regular file", isPosix],
    ["a symbolic link", (path) => symlink("/etc/hostname", path), "symbolic link", isPosix],
    ["a dangling symbolic link", (path) => symlink("/nowhere/at/all", path), "symbolic link", isPosix],
    [
      "readable by the group",
      async (path) => {
        await writeFile(path, "token");
        await chmod(path, 0o640);
      },
      "by other users",
      isPosix,
    ],
    [
      "owned by another user",
      async (path) => {
        await writeFile(path, "token", { mode: 0o600 });
        await chown(path, 65_534, 65_534);
      },
      "another user",
      isRoot,
    ],
  ])("if it is %s", async ([, plant, flaw, testableHere], { skip }) => {
    skip(!testableHere, "needs POSIX files, or root to give a file away");
    const dataDir = await makeDataDir();
    await plant(join(dataDir, "token"));
    await expect(loadToken({ dataDir })).rejects.toThrow(flaw);
  });
});

describe("a token that arrived with its data directory", () => {
  const plant = async (dataDir: string, text: string, name = "token") => {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await writeFile(join(dataDir, name), `${text}\n`, { mode: 0o600 });
  };

  it("is refused, whatever its form, and the file stays unchanged", async () => {
    const home = await makeDataDir();
    const theirs = await loadToken({ dataDir: join(home, "theirs") });
    for (const text of ["known-to-others", theirs, theirs.slice(0, 32)]) {
      const dataDir = join(home, `unpacked-${text}`);
      await plant(dataDir, text);
      await expect(loadToken({ dataDir, home })).rejects.toThrow("was not created in this directory");
      expect(await readFile(join(dataDir, "token"), "utf8")).toBe(`${text}\n`);
    }
  });

  it("is refused as a copy that keeps times and permissions", async () => {
    const home = await makeDataDir();
    const [from, to] = [join(home, "from"), join(home, "to")];
    await loadToken({ dataDir: from, home });
    await mkdir(to, { mode: 0o700 });
    await copyFile(join(from, "token"), join(to, "token"));
    const { atime, mtime } = await stat(join(from, "token"));
    await utimes(join(to, "token"), atime, mtime);
    await expect(loadToken({ dataDir: to, home })).rejects.toThrow("was not created in this directory");
  });

  it("is accepted in the user's default directory, or if it is configured", async () => {
    const home = await makeDataDir();
    await plant(join(home, ".thoughtbox"), "chosen-by-me");
    expect(await loadToken({ dataDir: join(home, ".thoughtbox"), home })).toBe("chosen-by-me");
    await plant(join(home, "other"), "chosen-by-me");
    expect(await loadToken({ dataDir: join(home, "other"), home, configured: "chosen-by-me" })).toBe(
      "chosen-by-me",
    );
  });

  it("stays valid when its directory is renamed", async () => {
    const home = await makeDataDir();
    const token = await loadToken({ dataDir: join(home, "one"), home });
    await rename(join(home, "one"), join(home, "two"));
    expect(await loadToken({ dataDir: join(home, "two"), home })).toBe(token);
  });

  it("is replaced if it is a key that no other program needs", async () => {
    const home = await makeDataDir();
    await plant(join(home, "unpacked"), "known-to-others", "request-state.key");
    const key = await loadKey(join(home, "unpacked"), "request-state.key", home);
    expect(key).not.toBe("known-to-others");
    expect(await loadKey(join(home, "unpacked"), "request-state.key", home)).toBe(key);
  });
});

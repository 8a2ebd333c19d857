import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { createAppendFile } from "./event-output.ts";

function openFile(path: string, recheckMs?: number) {
  const target = createAppendFile(path, recheckMs);
  onTestFinished(() => target.close());
  return target;
}

const read = (path: string) => readFileSync(path, "utf8");

test("opens nothing before the first line, then creates a private file in private folders", async () => {
  const path = join(tempDir(), "log", "events.jsonl");
  const target = openFile(path);
  expect(existsSync(path)).toBe(false);
  expect(await target.write(["a\n", "b\n"])).toBe(2);
  expect(read(path)).toBe("a\nb\n");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
});

test("appends to an existing file and keeps its permissions", async () => {
  const path = join(tempDir(), "events.jsonl");
  writeFileSync(path, "old\n", { mode: 0o640 });
  await openFile(path).write(["new\n"]);
  expect(read(path)).toBe("old\nnew\n");
  expect(statSync(path).mode & 0o777).toBe(0o640);
});

test("ends a partial line that a crash left behind before the next line", async () => {
  const path = join(tempDir(), "events.jsonl");
  writeFileSync(path, 'whole\n{"type":"thou');
  const target = openFile(path);
  await target.write(["a\n"]);
  await target.write(["b\n"]);
  expect(read(path)).toBe('whole\n{"type":"thou\na\nb\n');
});

describe("rotation", () => {
  test.each([
    ["renamed", (path: string) => renameSync(path, `${path}.1`)],
    ["deleted", (path: string) => rmSync(path)],
  ])("writes to a new file with the same name after the old one was %s", async (_how, rotate) => {
    const path = join(tempDir(), "events.jsonl");
    const target = openFile(path, 0);
    await target.write(["before\n"]);
    rotate(path);
    await target.write(["after\n"]);
    expect(read(path)).toBe("after\n");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("continues at the start of a file that was emptied in place", async () => {
    const path = join(tempDir(), "events.jsonl");
    const target = openFile(path, 0);
    await target.write(["before\n"]);
    writeFileSync(path, "");
    await target.write(["after\n"]);
    expect(read(path)).toBe("after\n");
  });

  test("does not check the name for every line", async () => {
    const path = join(tempDir(), "events.jsonl");
    const target = openFile(path, 1_000_000);
    await target.write(["a\n"]);
    renameSync(path, `${path}.1`);
    await target.write(["b\n"]);
    expect(read(`${path}.1`)).toBe("a\nb\n");
    expect(existsSync(path)).toBe(false);
  });
});

describe("a write fails until the problem is fixed", () => {
  test.each([
    ["a link", (path: string) => symlinkSync("/dev/null", path), /ELOOP/],
    ["a directory", (path: string) => mkdirSync(path), /EISDIR/],
    ["a named pipe", (path: string) => execFileSync("mkfifo", [path]), /not a regular file/],
  ])("with %s in place of the file", async (_what, place, reason) => {
    const path = join(tempDir(), "events.jsonl");
    place(path);
    const target = openFile(path);
    await expect(target.write(["a\n"])).rejects.toThrow(reason);
    await expect(target.write(["a\n"])).rejects.toThrow(reason);
    rmSync(path, { recursive: true });
    expect(await target.write(["a\n"])).toBe(1);
    expect(read(path)).toBe("a\n");
  });
});

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

test("nothing is opened before the first line; then the file and its folders are private", async () => {
  const path = join(tempDir(), "log", "events.jsonl");
  const target = openFile(path);
  expect(existsSync(path)).toBe(false);
  expect(await target.write(["a\n", "b\n"])).toBe(2);
  expect(read(path)).toBe("a\nb\n");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
});

test("an existing file is continued, with the rights that its owner gave it", async () => {
  const path = join(tempDir(), "events.jsonl");
  writeFileSync(path, "old\n", { mode: 0o640 });
  await openFile(path).write(["new\n"]);
  expect(read(path)).toBe("old\nnew\n");
  expect(statSync(path).mode & 0o777).toBe(0o640);
});

test("half a line that a crash left behind is closed off before the next", async () => {
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
  ])("after the file was %s, lines go to a new one of the same name", async (_how, rotate) => {
    const path = join(tempDir(), "events.jsonl");
    const target = openFile(path, 0);
    await target.write(["before\n"]);
    rotate(path);
    await target.write(["after\n"]);
    expect(read(path)).toBe("after\n");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("a file that was emptied in place is continued from its start", async () => {
    const path = join(tempDir(), "events.jsonl");
    const target = openFile(path, 0);
    await target.write(["before\n"]);
    writeFileSync(path, "");
    await target.write(["after\n"]);
    expect(read(path)).toBe("after\n");
  });

  test("the name is not looked at for every line", async () => {
    const path = join(tempDir(), "events.jsonl");
    const target = openFile(path, 1_000_000);
    await target.write(["a\n"]);
    renameSync(path, `${path}.1`);
    await target.write(["b\n"]);
    expect(read(`${path}.1`)).toBe("a\nb\n");
    expect(existsSync(path)).toBe(false);
  });
});

describe("refused, again and again, until it is put right", () => {
  test.each([
    ["a link", (path: string) => symlinkSync("/dev/null", path), /ELOOP/],
    ["a directory", (path: string) => mkdirSync(path), /EISDIR/],
    ["a pipe with a name", (path: string) => execFileSync("mkfifo", [path]), /not a regular file/],
  ])("%s in the file's place", async (_what, place, reason) => {
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

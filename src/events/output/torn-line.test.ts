import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { cutOffTail, endsInsideLine } from "./event-output.ts";

async function openFile(content: string) {
  const path = join(tempDir(), "events.jsonl");
  writeFileSync(path, content);
  const file = await open(path, "a+");
  onTestFinished(() => file.close());
  return { path, file };
}

test.each([
  ["", false],
  ["a\n", false],
  ["a\nb", true],
])("%j ends inside a line: %s", async (content, torn) => {
  const { file } = await openFile(content);
  expect(await endsInsideLine(file)).toBe(torn);
});

test("does not report a line that is still being written as torn", async () => {
  const { path, file } = await openFile("a\nb");
  const looking = endsInsideLine(file);
  appendFileSync(path, "b\n");
  expect(await looking).toBe(false);
});

test("removes the part of a line that still fitted", async () => {
  const { path, file } = await openFile("a\nb\nhal");
  await cutOffTail(file, Buffer.from("hal"));
  expect(readFileSync(path, "utf8")).toBe("a\nb\n");
});

test("removes nothing once something was written after it", async () => {
  const { path, file } = await openFile("a\nhalf a line\n");
  await cutOffTail(file, Buffer.from("hal"));
  await cutOffTail(file, Buffer.alloc(0));
  await cutOffTail(file, Buffer.alloc(100, "x"));
  expect(readFileSync(path, "utf8")).toBe("a\nhalf a line\n");
});

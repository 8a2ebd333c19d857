import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { lookUp, readConfigFile } from "./config-file.ts";

function emptyDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "thoughtbox-config-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

test("a missing file, or a missing directory, says nothing and is not created", () => {
  const directory = emptyDirectory();
  expect(readConfigFile(join(directory, "config.json"))).toEqual({});
  expect(readConfigFile(join(directory, "later", "config.json"))).toEqual({});
  expect(readdirSync(directory)).toEqual([]);
});

test("the file is read, with or without a byte order mark", () => {
  const file = join(emptyDirectory(), "config.json");
  writeFileSync(file, '\ufeff{"port": 4711}');
  expect(readConfigFile(file)).toEqual({ port: 4711 });
});

test("a file that cannot be read is named with the reason and the way out", () => {
  const file = join(emptyDirectory(), "config.json");
  mkdirSync(file);
  expect(() => readConfigFile(file)).toThrow(
    `${file} cannot be read (EISDIR). Make it readable, or remove it to start with the defaults.`,
  );
});

test.each(["{", "", "[]", "null", '"text"'])("%j is refused with the file and the way out", (content) => {
  expect(() => readConfigFile("/box/config.json", () => content)).toThrow(
    "/box/config.json is not a JSON object. Correct it, or remove it to start with the defaults.",
  );
});

test("a member is found by its path, and what is not there is undefined", () => {
  const stored = { port: 0, observatory: { port: 1 }, event: "all", token: null };
  expect(lookUp(stored, "port")).toBe(0);
  expect(lookUp(stored, "observatory.port")).toBe(1);
  expect(lookUp(stored, "observatory.cors")).toBeUndefined();
  expect(lookUp(stored, "event.file")).toBeUndefined();
  expect(lookUp(stored, "token")).toBeUndefined();
});

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

test("reads a missing file or directory as empty and does not create it", () => {
  const directory = emptyDirectory();
  expect(readConfigFile(join(directory, "config.json"))).toEqual({});
  expect(readConfigFile(join(directory, "later", "config.json"))).toEqual({});
  expect(readdirSync(directory)).toEqual([]);
});

test("reads a file that starts with a byte order mark", () => {
  const file = join(emptyDirectory(), "config.json");
  writeFileSync(file, '\ufeff{"port": 4711}');
  expect(readConfigFile(file)).toEqual({ port: 4711 });
});

test("names an unreadable file, with the reason and how to fix it", () => {
  const file = join(emptyDirectory(), "config.json");
  mkdirSync(file);
  expect(() => readConfigFile(file)).toThrow(
    `${file} cannot be read (EISDIR). Make it readable, or remove it to start with the defaults.`,
  );
});

test.each(["{", "", "[]", "null", '"text"'])("refuses %j, naming the file and how to fix it", (content) => {
  expect(() => readConfigFile("/box/config.json", () => content)).toThrow(
    "/box/config.json is not a JSON object. Correct it, or remove it to start with the defaults.",
  );
});

test("finds a member by its path, and returns undefined for one that is missing", () => {
  const stored = { port: 0, observatory: { port: 1 }, event: "all", token: null };
  expect(lookUp(stored, "port")).toBe(0);
  expect(lookUp(stored, "observatory.port")).toBe(1);
  expect(lookUp(stored, "observatory.cors")).toBeUndefined();
  expect(lookUp(stored, "event.file")).toBeUndefined();
  expect(lookUp(stored, "token")).toBeUndefined();
});

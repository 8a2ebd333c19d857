import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");

type MutatedRule = { rule: string; file: string; from: string; to: string; tests: string[] };
/**
 * The scripts are plain JavaScript without types, so the path is a string that the compiler does not resolve.
 */
const script: string = "../../scripts/mutated-rules.mjs";
const { mutatedRules }: { mutatedRules: MutatedRule[] } = await import(script);

test("every mutated rule is still written as the script expects", () => {
  expect(mutatedRules.length).toBeGreaterThanOrEqual(100);
  const lost = mutatedRules.filter(
    ({ file, from }) => readFileSync(join(root, file), "utf8").split(from).length !== 2,
  );
  expect(lost.map(({ rule, file }) => `${rule}: ${file}`)).toEqual([]);
  expect(mutatedRules.filter(({ from, to }) => from === to)).toEqual([]);
  const missing = mutatedRules.flatMap(({ tests }) => tests.filter((path) => !existsSync(join(root, path))));
  expect(missing).toEqual([]);
});

test("every room has a mutated rule", () => {
  const withoutRules = ["launch", "ports"];
  const folders = readdirSync(join(root, "src"), { withFileTypes: true }).filter((one) => one.isDirectory());
  const rooms = folders.map(({ name }) => name).filter((name) => !withoutRules.includes(name));
  expect(rooms.length).toBeGreaterThan(15);
  const isBroken = (room: string) => mutatedRules.some(({ file }) => file.startsWith(`src/${room}/`));
  const stores = ["storage/sqlite", "storage/postgres", "storage/tree", "storage/files"];
  expect([...rooms, ...stores].filter((room) => !isBroken(room))).toEqual([]);
});

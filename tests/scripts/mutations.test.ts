import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");

type MutatedRule = { rule: string; file: string; from: string; to: string; tests: string[] };
/** Scripts run before types exist. */
const script: string = "../../scripts/mutated-rules.mjs";
const { mutatedRules }: { mutatedRules: MutatedRule[] } = await import(script);

test("every rule that is broken on trial is still written as the script expects", () => {
  expect(mutatedRules.length).toBeGreaterThanOrEqual(40);
  const lost = mutatedRules.filter(
    ({ file, from }) => readFileSync(join(root, file), "utf8").split(from).length !== 2,
  );
  expect(lost.map(({ rule, file }) => `${rule}: ${file}`)).toEqual([]);
  expect(mutatedRules.filter(({ from, to }) => from === to)).toEqual([]);
  const missing = mutatedRules.flatMap(({ tests }) => tests.filter((path) => !existsSync(join(root, path))));
  expect(missing).toEqual([]);
});

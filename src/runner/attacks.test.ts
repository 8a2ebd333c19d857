import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type SandboxLevel, type SandboxReport, sandboxLevels } from "../ports/notebook/cell-runner.ts";
import { attacks, attempt } from "./attacks.testing.ts";
import { createTestRunner, type TestRunner } from "./test-runner.testing.ts";

const page = join(import.meta.dirname, "..", "..", "docs", "guide", "notebook-sandbox.md");
const runners = sandboxLevels.map((level) => [level, createTestRunner(level, 2)] as const);
const reports = new Map<SandboxLevel, SandboxReport>();
// One after the other: a probe hears the signals of its neighbours.
for (const [level, { runner }] of runners) reports.set(level, await runner.sandbox());
const available = runners.filter(([level]) => reports.get(level)?.level === level);
const outcomes = new Map<string, boolean>();

for (const [level] of runners)
  if (!available.some(([one]) => one === level))
    process.stderr.write(
      `notice: sandbox level ${level} is not attacked here: ${reports.get(level)?.lacking[0]?.reason}\n`,
    );

afterAll(() => Promise.all(runners.map(([, { close }]) => close())));

test("Node's permission flags hold wherever Node runs", () => {
  expect(available.map(([level]) => level)).toEqual(expect.arrayContaining(["basic", "none"]));
});

describe.each(available)("a cell at %s", (level: SandboxLevel, runner: TestRunner) => {
  test.each(attacks)("tries to $name", async (attack) => {
    const { gotThrough, result } = await attempt(attack, runner);
    outcomes.set(`${attack.name} ${level}`, gotThrough);
    expect(result.sandbox).toBe(level);
    if (level === "strong") expect(gotThrough).toBe(false);
  });

  test("can be used after all of that", async () => {
    expect(await runner.run("6 * 7")).toMatchObject({ status: "completed", value: "42" });
  });
});

const known = Number(process.versions.node.split(".")[0]) < 25 && available.length === sandboxLevels.length;

test.runIf(known)("the guide shows what each level holds", async () => {
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rows = attacks.map(({ name }) =>
    row([
      name,
      ...sandboxLevels.map((level) => (outcomes.get(`${name} ${level}`) ? "**succeeds**" : "fails")),
    ]),
  );
  const table = [
    row(["a cell tries to", ...sandboxLevels]),
    row(["---", "---", "---", "---", "---"]),
    ...rows,
  ];
  await expect(`${introduction}\n${table.join("\n")}\n`).toMatchFileSnapshot(page);
});

const introduction = `# What each sandbox level holds

Every cell runs in a process of its own, with limits and without your environment. How well that process is kept from
the rest of the machine depends on what the machine offers; \`thoughtbox doctor\` names the level. This table is written
by the tests, which run these programs as cells on Linux with Node.js 20 to 24. [Notebooks](notebooks.md) says what the
levels are made of and how to raise yours.
`;

import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type SandboxLevel, type SandboxReport, sandboxLevels } from "../../ports/notebook/cell-runner.ts";
import { createTestRunner, type TestRunner } from "../test-runner.testing.ts";
import { attempt } from "./attempt.testing.ts";
import { exhaustingAttacks } from "./exhausting.testing.ts";
import { existenceAttack } from "./existence.testing.ts";
import { internalsAttacks } from "./internals.testing.ts";
import { leftoverAttacks } from "./leftovers.testing.ts";
import { reachingAttacks } from "./reaching.testing.ts";
import { readingAttacks } from "./reading.testing.ts";
import { writingAttacks } from "./writing.testing.ts";

const page = join(import.meta.dirname, "..", "..", "..", "docs", "guide", "notebook-sandbox.md");
const attacks = [
  ...readingAttacks,
  existenceAttack,
  ...writingAttacks,
  ...reachingAttacks,
  ...internalsAttacks,
  ...exhaustingAttacks,
  ...leftoverAttacks,
];
const together = attacks.filter(({ alone }) => !alone);
const runners = sandboxLevels.map(
  (level) => [level, createTestRunner(level, { processorSeconds: 5 })] as const,
);
const reports = new Map<SandboxLevel, SandboxReport>();
// Probes run one after the other, because concurrent probes would receive each other's signals.
for (const [level, { runner }] of runners) reports.set(level, await runner.sandbox());
const available = runners.filter(([level]) => reports.get(level)?.level === level);
const outcomes = new Map<string, boolean>();

for (const [level] of runners)
  if (!available.some(([one]) => one === level))
    process.stderr.write(
      `notice: sandbox level ${level} is not attacked here: ${reports.get(level)?.lacking[0]?.reason}\n`,
    );

afterAll(() => Promise.all(runners.map(([, { close }]) => close())));

test("the levels basic and none are available on every machine", () => {
  expect(available.map(([level]) => level)).toEqual(expect.arrayContaining(["basic", "none"]));
});

describe.each(available)("a cell at %s", (level: SandboxLevel, runner: TestRunner) => {
  const alone = attacks.filter((attack) => attack.alone).map((attack) => [attack.name, [attack]] as const);
  test.each([[`${together.length} things`, together] as const, ...alone])("tries %s", async (_name, some) => {
    const attempted = await attempt(some, runner);
    for (const { attack, gotThrough } of attempted) outcomes.set(`${attack.name} ${level}`, gotThrough);
    expect(attempted.map(({ result }) => result.sandbox)).toEqual(some.map(() => level));
    const through = attempted.filter(({ gotThrough }) => gotThrough).map(({ attack }) => attack.name);
    if (level !== "none") expect(through).toEqual([]);
  });

  test("still works after the attacks", async () => {
    expect(await runner.run("6 * 7")).toMatchObject({ status: "completed", value: "42" });
  });
});

test("nearly all attacks succeed without a sandbox", () => {
  const through = attacks.filter(({ name }) => outcomes.get(`${name} none`));
  expect(attacks.length).toBeGreaterThanOrEqual(70);
  expect(through.length).toBeGreaterThan(60);
});

/** On other versions of Node.js, different attacks succeed at `none`. */
const known = process.versions.node.startsWith("20.") && available.length === sandboxLevels.length;

test.runIf(known)("the guide shows what each level prevents", async () => {
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

const introduction = `# What each sandbox level prevents

Every cell runs in a separate process, with limits and without your environment variables. How well that process is
isolated from the rest of the machine depends on what the machine supports. \`thoughtbox doctor\` shows the isolation
level.

The tests generate the table below. They run each attack as a cell, on Linux with Node.js 20, and check its effect from
outside the sandbox. In the table, a file, folder or socket *outside* is outside the notebook's own folder. At the
strong and medium levels, the kernel is a second barrier behind Node's own checks. At the basic level, Node is the only
barrier, so a flaw in Node exposes everything. That is why Thoughtbox uses this level only if you set it explicitly.
[Notebooks](notebooks.md) explains what each level uses and how to get a higher level.
`;

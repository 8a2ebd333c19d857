import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { catalogue } from "../../src/operations/catalogue.ts";
import { describeOperation } from "../../src/operations/help/describe-operation.ts";
import { toolName } from "../../src/operations/pipeline/normalise.ts";
import { forAll } from "../support/for-all.ts";
import { refusalWithCure } from "../support/replies/execute-recovery.ts";
import { createTestApp, fewWays, shareTestApp } from "../support/test-app.ts";

test.each(fewWays)("a %s client on %s receives the same page", async (era, backend) => {
  const client = createTestApp({ backend })[era]();
  const { markdown } = await client.call("help", { topic: "daily flow" });
  expect(markdown).toBe((await createTestApp().modern().call("help", { topic: "daily flow" })).markdown);
});

describe("help", () => {
  const client = shareTestApp().modern();
  const ask = (args: object = {}) => client.call("help", args);

  test("without a topic lists every operation and every subject", async () => {
    const { topic, markdown } = await ask();
    expect(topic).toBe("overview");
    const [ledger, memory] = markdown.split("## Memory");
    for (const { name, family, title, summary } of catalogue) {
      if (family === "memory") expect(memory).toContain(`| \`${name}\` | ${title} |`);
      else expect(ledger).toMatch(new RegExp(`\\| \`${name}\` \\| [0-3] \\| ${summary.slice(0, 20)}`));
    }
    for (const subject of ["branches", "errors", "numbering", "revisions", "sessions", "stages"])
      expect(markdown).toContain(subject);
  });

  test.each(["legend", "daily flow", "proof", "branches", "graph", "anchors", "budgets", "tasks", "focus"])(
    "explains %s",
    async (subject) => {
      const { topic, markdown } = await ask({ topic: subject });
      expect(topic).toBe(subject.replace(" ", "-"));
      expect(markdown).toMatch(/^# \S/);
      expect(markdown.length).toBeGreaterThan(500);
      expect(markdown.length).toBeLessThan(5_000);
      expect((await ask({ topic: subject.toUpperCase() })).markdown).toBe(markdown);
    },
  );

  test("accepts an operation under every field name that callers use", async () => {
    const { markdown } = await ask({ topic: "notes_commit" });
    expect(markdown).toContain("Available at every stage · write");
    for (const field of ["operation", "name", "operationName"])
      expect((await ask({ [field]: "notes_commit" })).markdown).toBe(markdown);
    const inner = { operation: "help", args: { operation: "notes_commit", workspace: "acme/repo" } };
    expect((await client.call("thoughtbox_gateway", inner)).markdown).toBe(markdown);
  });

  test.each([{}, { topic: "session" }, { topic: "thought" }, { topic: "daily-flow" }])(
    "on %o stays within a budget and is cut at the end of a line",
    async (about) => {
      const whole: string = (await ask({ ...about, max_chars: 75_000 })).markdown;
      for (const max_chars of [0, 300, 500, 1_000, 4_000]) {
        const { budget, warnings, ...page } = await ask({ ...about, max_chars });
        const codes = (warnings ?? []).map(({ code }: { code: string }) => code);
        expect(budget.used_chars).toBe(JSON.stringify(page).length);
        expect(budget.used_chars).toBeLessThanOrEqual(Math.max(max_chars, 300));
        expect(codes.includes("BUDGET_MIN_CLAMPED")).toBe(max_chars < 300);
        expect(codes.includes("BUDGET_TRUNCATED")).toBe(page.truncated);
        expect(page.truncated).toBe(page.markdown !== whole);
        const lines = whole.split("\n");
        const kept = page.markdown.split("\n");
        expect(kept).toEqual(lines.slice(0, kept.length));
      }
    },
  );

  test("can be limited by bytes or by lines", async () => {
    const few = await ask({ topic: "legend", max_lines: 3 });
    expect(few).toMatchObject({ truncated: true, markdown: expect.stringMatching(/^# Legend\n\n[^\n]+$/) });
    const none = await ask({ topic: "legend", max_lines: 0 });
    expect(none).toMatchObject({ markdown: "# Legend", warnings: [{ code: "BUDGET_MIN_CLAMPED" }, {}] });
    const { budget: _told, warnings: _warned, ...small } = await ask({ topic: "budgets", max_bytes: 400 });
    expect(Buffer.byteLength(JSON.stringify(small))).toBeLessThanOrEqual(400);
    expect(await ask({ topic: "legend", max_lines: 500 })).toMatchObject({ truncated: false });
  });

  test.each(["session", "notebook", "knowledge", "mental_models"])(
    "on the group %s returns its page, which names all its operations",
    async (group) => {
      const { markdown } = await ask({ topic: group });
      expect(markdown).toMatch(/^# \S/);
      expect(markdown.length).toBeLessThan(5_000);
      for (const { name } of catalogue.filter(({ name }) => name.startsWith(`${group}.`)))
        expect(markdown).toContain(`\`${name}\``);
    },
  );

  test.each(["memory", "handover"])("has a short page about %s", async (topic) => {
    const { markdown } = await ask({ topic });
    expect(markdown).toMatch(/^# \S/);
    expect(markdown.length).toBeLessThan(3_000);
  });

  test("returns the page as Markdown", async () => {
    const reply = await client.reply("help", { topic: "stages" });
    expect(reply).toMatchObject({ kind: "result", markdown: expect.stringMatching(/^#/) });
  });

  test("refuses an unknown topic and suggests the nearest one", async () => {
    expect(await refusalWithCure(client, "help", { topic: "brunches" })).toMatchObject({
      code: "INVALID_PAYLOAD",
      message: 'There is no help on "brunches". Did you mean branches?',
    });
    expect(await refusalWithCure(client, "help", { topic: "../../package" })).toMatchObject({
      code: "INVALID_PAYLOAD",
    });
  });
});

test("help on an operation returns its reference page, by operation name and by tool name", async () => {
  const client = createTestApp().modern();
  const pageOn = async (topic: string) => (await client.call("help", { topic })).markdown;
  await forAll(
    catalogue,
    ({ name }) => name,
    async (operation) => {
      const page = describeOperation(operation);
      expect(await pageOn(operation.name)).toBe(page);
      expect(await pageOn(toolName(operation.name))).toBe(page);
      for (const field of Object.keys(operation.input.shape)) expect(page).toContain(`| \`${field}\` |`);
    },
  );
});

const folder = join(import.meta.dirname, "..", "..", "content", "help");
const subjects = readdirSync(folder);

/** Returns the memory calls that the pages show: one per line, with its fields under `args`. */
const callsIn = (file: string): Record<string, unknown>[] =>
  readFileSync(join(folder, file), "utf8")
    .split("\n")
    .filter((line) => /^\{"operation": .*"args": /.test(line))
    .map((line) => JSON.parse(line));

test("the help pages contain more than eight calls", () => {
  expect(subjects.flatMap(callsIn).length).toBeGreaterThan(8);
});

test.each(subjects.filter((file) => callsIn(file).length > 0))(
  "the calls in %s work one after another",
  async (file) => {
    const client = createTestApp().modern();
    await client.call("init");
    for (const call of callsIn(file)) await client.call("thoughtbox_gateway", call);
  },
);

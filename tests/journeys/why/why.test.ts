import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  createRepository,
  createTranscript,
  repositoryOf,
  withRepository,
} from "../../support/git/repository.ts";
import { createTestApp } from "../../support/test-app.ts";

test("why shows who wrote a line, what was asked and why", async () => {
  const { client, sessionId } = await withRepository(createTestApp({ backend: "fs" }));
  expect(await client.call("why", { file: "src/pool.ts", line: 2 })).toMatchObject({
    answers: [
      {
        file: "src/pool.ts",
        lines: "2",
        commit: { subject: "fix: size the pool", author: "Ada" },
        by: { sessionId, how: "sure", agent: "claude-code", thought: `${sessionId}:2` },
        asked: { text: "Checkout times out. Find out why and fix it.", thought: `${sessionId}:1` },
        because: { text: expect.stringContaining("one connection per worker") },
      },
    ],
  });
});

test("why_file shows who wrote each run of lines, with its text on request", async () => {
  const app = createTestApp({ backend: "fs" });
  const { client, sessionId } = await withRepository(app);
  expect(await client.call("why_file", { file: "src/pool.ts", text: true })).toMatchObject({
    file: "src/pool.ts",
    total: 3,
    runs: [{ from: 1, to: 3, writer: 1, text: expect.stringContaining("size: 40") }],
    writers: [{ n: 1, sessionId, thought: `${sessionId}:2`, how: "sure" }],
    commits: [{ subject: "fix: size the pool" }],
  });
  const readme = await client.call("why_file", { file: "README.md" });
  expect(readme).toMatchObject({ runs: [{ from: 1, to: 1 }], writers: [] });
  expect(readme.runs[0]).not.toHaveProperty("writer");
  const quick = await client.call("why_file", { file: "src/pool.ts", text: true, writers: false });
  expect(quick).toMatchObject({ total: 3, runs: [{ from: 1, to: 3 }], writers: [], commits: [] });
  expect(quick.chars).toBe(`${quick.runs[0].text}\n`.length);
});

test("why and why_file can show a file as it was in a commit", async () => {
  const app = createTestApp({ backend: "fs" });
  const { client } = await withRepository(app);
  const repository = createRepository(repositoryOf(app));
  const before = repository.git(["rev-parse", "HEAD"]).trim();
  repository.write("src/pool.ts", "// new first line\nexport const pool = {};\n");
  repository.commit("refactor: pool", 20);
  const past = await client.call("why_file", { file: "src/pool.ts", at: before, text: true });
  expect(past).toMatchObject({ total: 3, runs: [{ from: 1, to: 3, writer: 1 }] });
  const quick = { file: "src/pool.ts", at: before, text: true, writers: false };
  expect((await client.call("why_file", quick)).runs[0].text).toBe(past.runs[0].text);
  const asked = { file: "src/pool.ts", line: 2 };
  expect((await client.call("why", { ...asked, commit: before })).answers[0].because).toBeDefined();
  expect((await client.call("why", asked)).answers[0]).not.toHaveProperty("by");
  await expect(client.call("why_file", { file: "src/none.ts", at: before })).rejects.toThrow(
    "was not a text file",
  );
  await expect(client.call("why_file", { file: "src/pool.ts", at: "nowhere" })).rejects.toThrow("no commit");
});

test("a larger budget explains more edits of a commit", async () => {
  const app = createTestApp({ backend: "fs" });
  const { client } = await withRepository(app);
  const repository = createRepository(repositoryOf(app));
  const transcript = createTranscript(app, "33333333-2222-4333-8444-555555555555");
  for (let n = 1; n <= 8; n += 1) {
    const content = `export const setting${n} = ${n}; // chosen for reason ${n}\n`;
    transcript.think(`Reason ${n}: the setting number ${n} must be ${n}.`, 20 + n);
    transcript.use("Write", { file_path: `/home/ada/shop/src/s${n}.ts`, content }, { minute: 20 + n });
    repository.write(`src/s${n}.ts`, content);
  }
  await transcript.import(client);
  repository.commit("feat: settings", 30);
  const small = await client.call("why", { commit: "HEAD" });
  expect(small.answers.length + small.more).toBe(8);
  expect(small.answers.length).toBeLessThanOrEqual(5);
  const large = await client.call("why", { commit: "HEAD", max_chars: 60_000 });
  expect(large.answers).toHaveLength(8);
  expect(large.more).toBeUndefined();
});

test("a long file can be read page by page within the budget", async () => {
  const app = createTestApp({ backend: "fs" });
  const { client } = await withRepository(app);
  const lines = Array.from({ length: 900 }, (_, n) => `export const constantNumber${n} = ${n};`);
  writeFileSync(join(repositoryOf(app), "src", "long.ts"), `${lines.join("\n")}\n`);
  const read: string[] = [];
  for (let from: number | undefined = 1; from !== undefined; ) {
    const asked = { file: "src/long.ts", from, text: true, max_chars: 6_000 };
    const page: Record<string, any> = await client.call("why_file", asked);
    expect(JSON.stringify(page).length).toBeLessThanOrEqual(6_000);
    read.push(...page["runs"].flatMap(({ text }: { text: string }) => text.split("\n")));
    from = page["next"];
  }
  expect(read).toEqual(lines);
});

test("a session shows which of its lines still exist, and a session without code is reported", async () => {
  const app = createTestApp({ backend: "fs" });
  const { client, sessionId } = await withRepository(app);
  const file = join(repositoryOf(app), "src", "pool.ts");
  const whole = await client.call("why_session", { sessionId });
  expect(whole.thoughts).toEqual([
    {
      thoughtNumber: 2,
      id: `${sessionId}:2`,
      written: 3,
      exist: 3,
      files: [{ file: "src/pool.ts", lines: "1-3" }],
    },
  ]);
  // The rest of the last line is too short to be attributed.
  writeFileSync(file, "export const pool = {\n  size: 12,\n};\n");
  expect((await client.call("why_session", { sessionId })).thoughts).toMatchObject([
    { written: 3, exist: 1, files: [{ lines: "1" }] },
  ]);
  const other = await client.call("thought", { thought: "no code" });
  const none = await client.call("why_session", { sessionId: other.sessionId });
  expect(none).toMatchObject({ thoughts: [], note: expect.stringContaining("no file") });
});

test("a deleted file shows its last lines and the commit that deleted it", async () => {
  const app = createTestApp({ backend: "fs" });
  const { client } = await withRepository(app);
  const repository = createRepository(repositoryOf(app));
  const start = repository.commit("chore: nothing", 13);
  repository.remove("src/pool.ts");
  repository.write("README.md", "");
  repository.commit("refactor: no pool", 14);
  const removed = [{ before: 1, from: 1, text: expect.stringContaining("size: 40") }];
  const deleted = { subject: "refactor: no pool", author: "Ada" };
  const asked = { file: "src/pool.ts", text: true };
  expect(await client.call("why_file", asked)).toMatchObject({ total: 0, runs: [], removed, deleted });
  expect(await client.call("why_file", { ...asked, since: `${start}..HEAD` })).toMatchObject({
    ...{ removed, deleted },
  });
  expect(await client.call("why", { commit: `${start}..HEAD` })).toMatchObject({
    answers: [],
    shortened: ["README.md", "src/pool.ts"],
  });
});

import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseFrontMatter } from "../../src/kernel/front-matter.ts";
import { createTestApp, startThinking } from "../support/test-app.ts";

const pattern = {
  title: 'A "quoted": title',
  description: "What it is.",
  content: "# Body\n\ntext",
  tags: ["a b"],
};

test("a pattern has a private Markdown file with its fields in the front matter", async () => {
  const { dataDir, ...app } = createTestApp({ backend: "fs" });
  const client = app.modern();
  const sessionId = await startThinking(client, { project: "shop" });
  await client.call("knowledge.create_pattern", { sessionId, ...pattern });
  const path = join(dataDir, "projects", "shop", "knowledge", "patterns", "a-quoted-title.md");
  const { head, body } = parseFrontMatter(readFileSync(path, "utf8"));
  expect(head).toMatchObject({ id: "a-quoted-title", title: pattern.title, tags: ["a b"] });
  expect(body).toBe("# Body\n\ntext\n");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("the file of a note is updated and deleted with the note", async () => {
  const { dataDir, ...app } = createTestApp({ backend: "fs" });
  const client = app.modern();
  const sessionId = await startThinking(client);
  await client.call("knowledge.write_scratchpad", { sessionId, topic: "Handover", content: "first" });
  await client.call("knowledge.write_scratchpad", { sessionId, topic: "Handover", content: "second" });
  const path = join(dataDir, "projects", "_default", "knowledge", "scratchpad", "handover.md");
  expect(readFileSync(path, "utf8")).toContain("second");
  await client.call("knowledge.delete_scratchpad", { sessionId, topic: "handover" });
  expect(existsSync(path)).toBe(false);
});

test("after simultaneous changes, the file of a note contains the same text as the store", async () => {
  const { dataDir, ...app } = createTestApp({ backend: "fs" });
  const client = app.modern();
  const sessionId = await startThinking(client);
  const folder = join(dataDir, "projects", "_default", "knowledge", "scratchpad");
  const topics = Array.from({ length: 20 }, (_, n) => `topic-${n}`);
  const longFirst = [200_000, 10, 100_000, 1];
  await Promise.all(
    topics.flatMap((topic) =>
      longFirst.map((length) =>
        client.call("knowledge.write_scratchpad", { sessionId, topic, content: "x".repeat(length) }),
      ),
    ),
  );
  for (const topic of topics) {
    const { note } = await client.call("knowledge.read_scratchpad", { sessionId, topic });
    const { body } = parseFrontMatter(readFileSync(join(folder, `${topic}.md`), "utf8"));
    expect(body.length).toBe(note.content.length + 1);
  }
  // A note that is written and deleted at the same time has a file only if the note still exists.
  await Promise.all(
    topics.flatMap((topic) => [
      client.call("knowledge.write_scratchpad", { sessionId, topic, content: "y".repeat(200_000) }),
      client.call("knowledge.delete_scratchpad", { sessionId, topic }),
    ]),
  );
  const { notes } = await client.call("knowledge.list_scratchpad", { sessionId });
  const left = new Set(notes.map(({ id }: { id: string }) => id));
  for (const topic of topics) expect(existsSync(join(folder, `${topic}.md`))).toBe(left.has(topic));
});

test("a folder that cannot be created is reported and fails no call", async () => {
  const lines: string[] = [];
  const { dataDir, ...app } = createTestApp({ backend: "fs", log: (line) => lines.push(line) });
  const client = app.modern();
  const sessionId = await startThinking(client);
  mkdirSync(join(dataDir, "projects", "_default"), { recursive: true });
  chmodSync(join(dataDir, "projects", "_default"), 0o700);
  writeFileSync(join(dataDir, "projects", "_default", "knowledge"), "in the way");
  await client.call("knowledge.create_pattern", { sessionId, ...pattern });
  expect((await client.call("knowledge.list_patterns", { sessionId })).total).toBe(1);
  expect(lines.join("")).toMatch(/ENOTDIR|EEXIST/);
});

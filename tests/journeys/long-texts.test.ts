import { describe, expect, test } from "vitest";
import { maxAnswerChars } from "../../src/operations/pipeline/fit/budget.ts";
import { inProcess, shareTestApp, startThinking, type TestClient } from "../support/test-app.ts";

const size = (answer: unknown) => JSON.stringify(answer).length;
/** The maximum length of a note and of a cell, in UTF-16 units. */
const longest = 256 * 1024;
const texts = [
  ["letters", "a long line of text\n".repeat(longest).slice(0, longest)],
  ["escapes", '"\\\u0001'.repeat(longest).slice(0, longest)],
  ["emoji", "😀".repeat(longest / 2)],
] as const;

/** Follows `nextOffset` to the end. Every answer stays within its limit. */
async function readOn(client: TestClient, name: string, args: object, textOf: (answer: any) => string) {
  let whole = "";
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const answer: any = await client.call(name, { ...args, offset });
    expect(size(answer)).toBeLessThanOrEqual(maxAnswerChars);
    whole += textOf(answer);
    if (answer.nextOffset !== undefined) expect(answer.truncated).toBe(true);
    offset = answer.nextOffset;
  }
  return whole;
}

describe.each(inProcess)("texts longer than one answer, for a %s client on %s", (era, backend) => {
  const client = shareTestApp({ backend })[era]();

  test.each(texts)(
    "a pattern and a scratchpad note of %s can be read in pieces that join exactly",
    async (title, content) => {
      const sessionId = await startThinking(client);
      const made = await client.call("knowledge.create_pattern", {
        sessionId,
        title,
        description: "x",
        content,
      });
      expect(size(made)).toBeLessThanOrEqual(maxAnswerChars);
      const args = { sessionId, id: title };
      expect(await readOn(client, "knowledge.get_pattern", args, ({ pattern }) => pattern.content)).toBe(
        content,
      );
      const written = await client.call("knowledge.write_scratchpad", { sessionId, topic: title, content });
      expect(size(written)).toBeLessThanOrEqual(maxAnswerChars);
      const topic = { sessionId, topic: title };
      expect(await readOn(client, "knowledge.read_scratchpad", topic, ({ note }) => note.content)).toBe(
        content,
      );
    },
  );

  test.each(texts)(
    "a cell of %s can be read in pieces that join exactly, and is cut in lists",
    async (name, content) => {
      const sessionId = await startThinking(client);
      const { notebookId } = await client.call("notebook.create", { sessionId, name });
      const cell = { sessionId, notebookId, type: "markdown", content };
      const { cellId, ...added } = await client.call("notebook.add_cell", cell);
      const args = { sessionId, notebookId, cellId };
      expect(await readOn(client, "notebook.get_cell", args, ({ cell }) => cell.text)).toBe(content);
      const listed = await client.call("notebook.list_cells", { sessionId, notebookId });
      expect(listed.cells.length).toBeGreaterThan(0);
      const exported = await client.call("notebook.export", { sessionId, notebookId });
      expect(exported.path).toBeDefined();
      for (const answer of [added, listed, exported])
        expect(size(answer)).toBeLessThanOrEqual(maxAnswerChars);
    },
  );
});

import { expect, test } from "vitest";
import { withRepository } from "../../support/git/repository.ts";
import { createTestApp } from "../../support/test-app.ts";

test("a line says who wrote it, what was asked and why", async () => {
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

import { expect, test } from "vitest";
import { createTestApp, startThinking } from "../support/test-app.ts";

async function logOf(env: Record<string, string>): Promise<string[]> {
  const lines: string[] = [];
  const app = createTestApp({ env, log: (line) => lines.push(line) });
  const client = app.modern();
  const sessionId = await startThinking(client);
  await client.call("thought", { sessionId, thought: "why\u001b[2J?" });
  await client.call("thought", { sessionId, thought: "so.", revisesThought: 1 });
  await app.close();
  return lines;
}

test("each thought prints one line, unless thought logging is off", async () => {
  expect(await logOf({})).toEqual([
    expect.stringMatching(/^[0-9a-f]{8} 1\/1 {2}why\\u\{1b\}\[2J\?\n$/),
    expect.stringMatching(/^[0-9a-f]{8} 2\/2 ↺ 1 {2}so\.\n$/),
  ]);
  expect(await logOf({ DISABLE_THOUGHT_LOGGING: "true" })).toEqual([]);
});

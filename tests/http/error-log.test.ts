import { expect, test } from "vitest";
import { modernRequest, openLegacySession, post } from "../support/mcp-http.ts";
import { serveWaiting } from "./waiting-server.ts";

test("text from a client is shortened and made printable in the log", async () => {
  const { url, reported } = await serveWaiting();
  const session = await openLegacySession(url);
  await post(url, { jsonrpc: "2.0", id: 99, result: { text: `\u202e${"x".repeat(100_000)}` } }, session);
  const { body, headers } = modernRequest(1, "tools/call", { name: "\u001b[2J\nthoughtbox: all is well" });
  await post(url, body, { ...headers, "Mcp-Name": "wait" });

  expect(reported).toHaveLength(2);
  for (const { message } of reported) {
    expect(message.length).toBeLessThan(1_000);
    expect(message).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  }
});

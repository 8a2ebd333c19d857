import { type AuthInfo, Server } from "@modelcontextprotocol/server";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../kernel/clock.ts";
import type { ConnectionBook, StoredConnection } from "../../ports/conversations.ts";
import { createLegacySessions, defaultLegacyLimits } from "./legacy-sessions.ts";

/** Opens a book of connections that several servers can share, for the duration of the test. */
function openBook(): ConnectionBook {
  const known = new Map<string, StoredConnection>();
  return {
    open: async (id, { principal, opening }) =>
      void known.set(id, { principal, opening, bindings: new Map(), subscriptions: new Set() }),
    find: async (id) => known.get(id),
    change: async () => {},
    subscribe: async () => {},
    unsubscribe: async () => {},
    listSubscriptions: async () => new Map(),
    close: async (id) => void known.delete(id),
    post: async () => {},
    collect: async () => [],
    tidy: async () => {},
  };
}

const authInfo: AuthInfo = { token: "", clientId: "someone", scopes: [] };

/** Opens one server. The returned function serves a request and returns the whole answer. */
function openSessions() {
  const factory = () => {
    const server = new Server({ name: "shared", version: "0" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", async () => ({ tools: [] }));
    return server;
  };
  const sessions = createLegacySessions(factory, defaultLegacyLimits, systemClock, () => {}, openBook());
  onTestFinished(sessions.closeAll);
  return async (body: object, id?: string) => {
    const headers = {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...(id !== undefined && { "mcp-session-id": id }),
    };
    const request = new Request("http://localhost/mcp", { method: "POST", headers });
    let answer = { status: 0, text: "", id: "" };
    await sessions.serve(request, body, authInfo, async (response) => {
      const { status } = response;
      answer = { status, text: await response.text(), id: response.headers.get("mcp-session-id") ?? "" };
    });
    return answer;
  };
}

test("refuses the second of two concurrent calls with the same ID, and answers the first", async () => {
  const serve = openSessions();
  const clientInfo = { name: "twice", version: "0" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const { id } = await serve({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  await serve({ jsonrpc: "2.0", method: "notifications/initialized" }, id);
  const call = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const [first, second] = await Promise.all([serve(call, id), serve(call, id)]);
  expect(first).toMatchObject({ status: 200, text: expect.stringContaining('"tools":[]') });
  expect(second).toMatchObject({ status: 400, text: expect.stringContaining("already in progress") });
  expect((await serve(call, id)).status).toBe(200);
});

import { describe, expect, test } from "vitest";
import { allMessages, openLegacySession, post, postModern, request } from "../support/mcp-http.ts";
import { serveWaiting } from "./waiting-server.ts";

const wait = { name: "wait" };

describe("a call in progress", () => {
  test("is cancelled by a legacy client's notification, and its stream ends without an answer", async () => {
    const { url, nextCall } = await serveWaiting();
    const session = await openLegacySession(url);
    const call = nextCall();
    const answer = await post(url, request(1, "tools/call", wait), session);
    await call.started;
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    expect((await post(url, cancel, session)).status).toBe(202);
    await call.aborted;
    expect(await allMessages(answer)).toEqual([]);
  });

  test("is not cancelled by the notification of another session", async () => {
    const { url, nextCall } = await serveWaiting();
    const call = nextCall();
    const answer = await post(url, request(1, "tools/call", wait), await openLegacySession(url));
    await call.started;
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    expect((await post(url, cancel, await openLegacySession(url))).status).toBe(202);
    call.finish();
    expect(await allMessages(answer)).toMatchObject([{ id: 1, result: {} }]);
  });

  test("is cancelled by a modern client that hangs up", async () => {
    const { url, nextCall } = await serveWaiting();
    const call = nextCall();
    const hangUp = new AbortController();
    const answer = postModern(url, 1, "tools/call", wait, hangUp.signal);
    await call.started;
    hangUp.abort();
    await expect(answer).rejects.toThrow(/abort/);
    await call.aborted;
  });

  test("continues after a legacy client disconnects, and keeps the session", async () => {
    const { url, nextCall, reported } = await serveWaiting();
    const session = await openLegacySession(url);
    const call = nextCall();
    const hangUp = new AbortController();
    const answer = await post(url, request(1, "tools/call", wait), session, hangUp.signal);
    await call.started;
    hangUp.abort();
    await expect(answer.text()).rejects.toThrow(/abort/);
    const next = nextCall();
    const second = await post(url, request(2, "tools/call", wait), session);
    await next.started;
    call.finish();
    next.finish();
    expect(await allMessages(second)).toMatchObject([{ id: 2, result: {} }]);
    expect(reported.map(({ message }) => message).join()).not.toMatch(/uncaught/i);
  });

  test("reserves its ID: a second call with it is refused, and both get their answer", async () => {
    const { url, nextCall } = await serveWaiting();
    const session = await openLegacySession(url);
    const call = nextCall();
    const first = await post(url, request(1, "tools/call", wait), session);
    await call.started;
    const second = await post(url, request(1, "tools/list"), session);
    expect(second.status).toBe(400);
    expect(await second.json()).toMatchObject({ id: 1, error: { code: -32600 } });
    call.finish();
    expect(await allMessages(first)).toMatchObject([{ id: 1, result: {} }]);
    expect((await post(url, request(1, "tools/list"), session)).status).toBe(200);
  });
});

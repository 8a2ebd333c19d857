import { describe, expect, test } from "vitest";
import { allMessages, messages, openLegacySession, post, postModern, request } from "../support/mcp-http.ts";
import { serveWaiting } from "./waiting-server.ts";

/**
 * After this many milliseconds, `stop` destroys connections that keep the server open. The test then fails,
 * because it reads an incomplete answer.
 */
const patience = 20_000;

describe("a server that is asked to stop", () => {
  test.each(["legacy", "modern"] as const)("finishes the %s call in progress first", async (era) => {
    const { service, url, nextCall } = await serveWaiting();
    const call = nextCall();
    const answer =
      era === "modern"
        ? postModern(url, 1, "tools/call", { name: "wait" })
        : post(url, request(1, "tools/call", { name: "wait" }), await openLegacySession(url));
    await call.started;
    const stopped = service.stop(patience);
    call.finish();
    expect(await allMessages(await answer)).toMatchObject([
      { id: 1, result: { content: [{ text: "waited" }] } },
    ]);
    await stopped;
  });

  test("does not wait for the streams of legacy clients that only listen", async () => {
    const { service, url } = await serveWaiting();
    const session = await openLegacySession(url);
    const stream = await fetch(url, { headers: { ...session, Accept: "text/event-stream" } });
    await service.stop(patience);
    expect(await allMessages(stream)).toEqual([]);
  });

  test("ends the subscriptions of modern clients with an answer", async () => {
    const { service, url } = await serveWaiting();
    const notifications = { resourceSubscriptions: ["test://watched"] };
    const stream = messages(await postModern(url, 7, "subscriptions/listen", { notifications }));
    const first = await stream.next();
    expect(first.value).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
    await service.stop(patience);
    expect((await stream.next()).value).toMatchObject({ id: 7, result: {} });
    expect((await stream.next()).done).toBe(true);
  });

  test("does not wait for a legacy call that its client has cancelled", async () => {
    const { service, url, nextCall } = await serveWaiting();
    const session = await openLegacySession(url);
    const call = nextCall();
    const answer = await post(url, request(1, "tools/call", { name: "wait" }), session);
    await call.started;
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    expect((await post(url, cancel, session)).status).toBe(202);
    await call.aborted;
    await service.stop(patience);
    expect(await allMessages(answer)).toEqual([]);
  });
});

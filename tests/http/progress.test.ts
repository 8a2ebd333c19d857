import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/kernel/clock.ts";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { startSession, think } from "../support/ledger.ts";
import { allMessages, openLegacySession, post, postModern, request } from "../support/mcp-http.ts";
import { type Era, openHttpDoor } from "../support/real-door.ts";
import { once } from "../support/run/once.ts";

const eras = ["legacy", "modern"] as const;
const thoughts = 2_100;

/** Serves a session over HTTP that takes several steps to verify. All tests only read this session. */
const serveLongSession = once(async () => {
  const folder = mkdtempSync(join(tmpdir(), "thoughtbox-test-"));
  const directory = join(folder, "data");
  const store = createSqliteStore({ kind: "directory", path: directory }, systemClock);
  const sessionId = await startSession(store.ledger, { state: { stage: 2, navigation: {} } });
  await Promise.all(Array.from({ length: thoughts }, () => think(store.ledger, sessionId)));
  await store.close();
  const door = await openHttpDoor(directory, { THOUGHTBOX_DISCLOSURE: "open" });
  end = async () => {
    await door.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { door, url: door.url, verify: { name: "session_verify", arguments: { sessionId } } };
});
let end: (() => Promise<void>) | undefined;
afterAll(() => end?.());

async function postVerify(era: Era, url: URL, params: { name: string; _meta?: object }): Promise<Response> {
  if (era === "modern") return postModern(url, 1, "tools/call", params);
  return post(url, request(1, "tools/call", params), await openLegacySession(url));
}

describe("verifying a long session", () => {
  test.each(eras)("reports progress to a %s client that asks for it, then answers", async (era) => {
    const { url, verify } = await serveLongSession();
    const answer = await postVerify(era, url, { ...verify, _meta: { progressToken: "how far?" } });
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    const received = await allMessages(answer);
    const [last] = received.splice(-1);
    expect(last).toMatchObject({ id: 1, result: { structuredContent: { valid: true } } });
    expect(received.length).toBeGreaterThanOrEqual(2);
    const done = received.map(({ method, params }) => {
      expect(method).toBe("notifications/progress");
      expect(params).toMatchObject({ progressToken: "how far?", total: thoughts });
      return params.progress;
    });
    expect(done).toEqual([...done].sort((a, b) => a - b));
    expect(new Set(done).size).toBe(done.length);
  });

  test.each(eras)("sends only the answer to a %s client that does not ask for progress", async (era) => {
    const { url, verify } = await serveLongSession();
    const answer = await postVerify(era, url, verify);
    const form = era === "modern" ? "application/json" : "text/event-stream";
    expect(answer.headers.get("content-type")).toContain(form);
    expect(await allMessages(answer)).toMatchObject([{ id: 1, result: {} }]);
  });

  test.each(eras)("stops when a %s client cancels, and the next call is served", async (era) => {
    const { door, verify } = await serveLongSession();
    const { client, call } = await door.connect(era, undefined);
    const cancel = new AbortController();
    const cancelled = client.callTool(verify, {
      signal: cancel.signal,
      onprogress: () => cancel.abort(new Error("enough")),
    });
    await expect(cancelled).rejects.toThrow(/enough|abort/i);
    expect(await call("session.verify", verify.arguments)).toMatchObject({ result: { valid: true } });
  });
});

import { describe, expect, test } from "vitest";
import { initialize, modernRequest, openLegacySession, post, request } from "../support/mcp-http.ts";
import { serveWaiting, token } from "./waiting-server.ts";

const asOwner = { Authorization: `Bearer ${token}` };

describe("with THOUGHTBOX_AUTH=off", () => {
  test("a server learns in either era whether the caller sent the token", async () => {
    const { url, callers } = await serveWaiting({ auth: "off" });
    const { body, headers } = modernRequest(1, "tools/list");
    await post(url, body, headers);
    await post(url, body, { ...headers, ...asOwner });
    await post(url, initialize);
    await post(url, initialize, asOwner);
    expect(callers).toEqual(["anonymous", "owner", "anonymous", "owner"]);
  });

  test("a legacy session that was opened with the token does not exist for callers without it", async () => {
    const { url } = await serveWaiting({ auth: "off" });
    const opened = await post(url, initialize, asOwner);
    const session = { "Mcp-Session-Id": opened.headers.get("mcp-session-id") ?? "" };
    const list = request(1, "tools/list");
    expect((await post(url, list, session)).status).toBe(404);
    expect((await post(url, list, { ...session, ...asOwner })).status).toBe(200);
    expect((await post(url, list, { ...(await openLegacySession(url)), ...asOwner })).status).toBe(404);
  });
});

import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { eras, frame, paramsOf } from "../support/raw-client.ts";
import { spawnServer } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const initialize = frame("init", "initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
});

/** The client sends everything at once and nothing afterwards, before any code that answers calls is loaded. */
describe.each(eras)("a %s client that sends everything before the server is ready", (era) => {
  test.each([
    ["tools/call", { name: "thoughtbox_gateway", arguments: { operation: "get_state" } }],
    ["tools/list", {}],
    ["resources/read", { uri: "thoughtbox://init" }],
    ["prompts/list", {}],
    ["prompts/get", { name: "no-such-prompt" }],
  ])("gets one answer per %s request, and the process exits with 0", async (method, params) => {
    const server = spawnServer(join(tempDir(), "data"));
    const requests = [1, 2, 3].map((id) => frame(id, method, paramsOf(era, params)));
    server.child.stdin.end((era === "legacy" ? initialize : "") + requests.join(""));
    const [code] = await once(server.child, "close");
    const answered = server.lines.map((line) => JSON.parse(line).id).filter((id) => id !== "init");
    expect([code, answered.sort()]).toEqual([0, [1, 2, 3]]);
    const closed = server.lines.filter((line) => line.includes("the connection closed"));
    expect(closed).toEqual([]);
  });
});

test("hidden tools are missing from the first list", async () => {
  const dataDir = join(tempDir(), "data");
  mkdirSync(dataDir, { recursive: true });
  const list = async () => {
    const server = spawnServer(dataDir);
    await server.initialize();
    const { result } = await server.request("tools/list");
    return result.tools.map(({ name }: { name: string }) => name) as string[];
  };
  const all = await list();
  const [hidden = ""] = all.slice(-1);
  writeFileSync(join(dataDir, "discovery.json"), JSON.stringify({ hiddenTools: [hidden] }));
  expect(await list()).toEqual(all.filter((name) => name !== hidden));
});

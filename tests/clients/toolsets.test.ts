import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Tool } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { catalogue } from "../../src/operations/catalogue.ts";
import { toolName } from "../../src/operations/pipeline/normalise.ts";
import { type Era, openHttpDoor, openStdioDoor } from "../support/real-door.ts";
import { tempDir } from "../support/temp-dir.ts";

const toolsets = ["gateway", "core", "daily", "full"] as const;
type Toolset = (typeof toolsets)[number];
const eras = ["legacy", "modern"] as const;

async function connect(toolset: Toolset | undefined, era: Era, transport: "stdio" | "http" = "http") {
  const env: Record<string, string> = toolset === undefined ? {} : { THOUGHTBOX_TOOLSET: toolset };
  const door = transport === "http" ? await openHttpDoor(tempDir(), env) : openStdioDoor(tempDir(), env);
  onTestFinished(() => door.close());
  return door.connect(era, undefined);
}

async function listTools(toolset?: Toolset, era: Era = "modern", transport?: "stdio" | "http") {
  return (await (await connect(toolset, era, transport)).client.listTools()).tools;
}

const names = (tools: Tool[]) => tools.map(({ name }) => name);
const bytes = (tools: Tool[]) => Buffer.byteLength(JSON.stringify({ tools }));

describe("the advertised tools", () => {
  test("are the daily ones by default: at most 12, in at most 16 KB", async () => {
    const tools = await listTools();
    expect(tools).toEqual(await listTools("daily"));
    expect(tools.length).toBeLessThanOrEqual(12);
    expect(bytes(tools)).toBeLessThanOrEqual(16 * 1024);
  });

  test("grow from toolset to toolset, up to all operations for agents", async () => {
    const [gateway = [], core = [], daily = [], full = []] = await Promise.all(
      toolsets.map(async (toolset) => names(await listTools(toolset))),
    );
    expect(gateway).toEqual(["thoughtbox_gateway"]);
    expect(core).toEqual(expect.arrayContaining(gateway));
    expect(daily).toEqual(expect.arrayContaining(core));
    expect(full).toEqual(expect.arrayContaining(daily));
    expect(gateway.length).toBeLessThan(core.length);
    expect(core.length).toBeLessThan(daily.length);
    const forAgents = catalogue.filter(({ toolset }) => toolset !== "people");
    const everything = forAgents.map(({ name }) => toolName(name));
    expect([...full].sort()).toEqual(["thoughtbox_gateway", ...everything].sort());
  });

  test.each(toolsets)("of %s are the same in both eras and on both transports", async (toolset) => {
    const lists = await Promise.all(
      eras.flatMap((era) => [listTools(toolset, era, "stdio"), listTools(toolset, era, "http")]),
    );
    expect(new Set(lists.map((tools) => JSON.stringify(tools))).size).toBe(1);
  });

  test.each(eras)("do not change when a %s client makes calls", async (era) => {
    const { client, call } = await connect("daily", era);
    const before = (await client.listTools()).tools;
    const { result } = (await call("start_new", {})) as { result: Record<string, unknown> };
    await call("cipher", { sessionId: result["sessionId"] });
    expect((await client.listTools(undefined, { cacheMode: "refresh" })).tools).toEqual(before);
  });

  test.each(eras)("do not limit what a %s client may call", async (era) => {
    const { call } = await connect("gateway", era);
    const started = await call("start_new", { sessionTitle: "Not advertised, yet served" });
    expect(started).toMatchObject({ kind: "result" });
    expect(await call("session.verify", { sessionId: sessionIdOf(started) })).toMatchObject({
      result: { valid: true },
    });
  });
});

test("the size script prints the size of what a client receives", async () => {
  const script = new URL("../../scripts/tool-size.mjs", import.meta.url);
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(script)]);
  for (const toolset of toolsets) {
    const tools = await listTools(toolset, "legacy", "stdio");
    expect(stdout).toMatch(new RegExp(`^${toolset} +${tools.length} +${bytes(tools)} `, "m"));
  }
});

const sessionIdOf = (reply: object) => (reply as { result: { sessionId: string } }).result.sessionId;

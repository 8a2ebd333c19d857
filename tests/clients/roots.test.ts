import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { allMessages, postModern } from "../support/mcp-http.ts";
import { openHttpDoor } from "../support/real-door.ts";
import { tempDir } from "../support/temp-dir.ts";

async function openDoor(): Promise<URL> {
  const door = await openHttpDoor(tempDir(), {});
  onTestFinished(() => door.close());
  return door.url;
}

const never = () => new Promise<never>(() => {});
const fails = async () => {
  throw new Error("the editor has no folder open");
};

describe("a legacy client that declares roots", () => {
  async function connect(tellRoots: () => Promise<unknown>) {
    const client = new Client(
      { name: "editor", version: "1" },
      { versionNegotiation: { mode: "legacy" }, capabilities: { roots: {} } },
    );
    client.setRequestHandler("roots/list", tellRoots as never);
    await client.connect(new StreamableHTTPClientTransport(await openDoor()));
    onTestFinished(() => client.close());
    return async (name: string, args = {}): Promise<any> => {
      const { content } = await client.callTool({ name, arguments: args });
      const [answer] = content as { text: string }[];
      return JSON.parse(answer?.text ?? "");
    };
  }

  test("has an empty list without a problem if it has no roots", async () => {
    const call = await connect(async () => ({ roots: [] }));
    expect(await call("list_roots")).toEqual({ supported: true, roots: [] });
  });

  test.each([
    ["fails", fails, "the editor has no folder open"],
    ["sends rubbish", async () => ({ roots: "everything" }), "roots"],
    ["never answers", never, "timed out"],
  ])("is reported with the reason if it %s", async (_what, tellRoots, reason) => {
    const call = await connect(tellRoots);
    const [listed, bound] = await Promise.all([
      call("list_roots"),
      call("bind_root", { rootUri: "file:///home/ada/shop" }),
    ]);
    expect(listed).toMatchObject({ supported: true, roots: [] });
    expect(listed.problem).toMatch(/^The client did not return its roots: /);
    expect(listed.problem).toContain(reason);
    expect(listed.problem).not.toMatch(/[{}[\]"\n]|Zod/);
    expect(bound.error).toMatchObject({
      code: "INVALID_PAYLOAD",
      message: listed.problem,
      recovery: { operation: "navigate", args: { project: "shop" } },
    });
  });
});

describe("a modern client that declares roots", () => {
  /** Calls `list_roots`. `answer` may contain the roots that the server asks for, and may be malformed. */
  async function listRoots(url: URL, answer: object = {}): Promise<any> {
    const _meta = { "io.modelcontextprotocol/clientCapabilities": { roots: {} } };
    const call = { name: "list_roots", arguments: {}, _meta, ...answer };
    const [reply] = await allMessages(await postModern(url, 1, "tools/call", call));
    return reply?.result;
  }

  test("is asked for its roots, and its answer is used", async () => {
    const url = await openDoor();
    expect(await listRoots(url)).toMatchObject({ inputRequests: { roots: { method: "roots/list" } } });
    const none = await listRoots(url, { inputResponses: { roots: { roots: [] } } });
    expect(none.structuredContent).toEqual({ supported: true, roots: [] });
  });

  test.each([
    ["an error", { error: { code: -32603, message: "no folder" } }],
    ["a list of texts", { roots: ["file:///home/ada/shop"] }],
    ["a list without addresses", { roots: [{ name: "shop" }] }],
  ])("is reported if it sends %s instead", async (_what, roots) => {
    const { structuredContent } = await listRoots(await openDoor(), { inputResponses: { roots } });
    expect(structuredContent).toEqual({
      supported: true,
      roots: [],
      problem: "The client did not return its roots: its list of roots is malformed.",
    });
  });

  test.each(["everything", null])("is asked again if it answers %j", async (roots) => {
    const asked = await listRoots(await openDoor(), { inputResponses: { roots } });
    expect(asked).toMatchObject({ inputRequests: { roots: { method: "roots/list" } } });
  });
});

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { onTestFinished, test } from "vitest";
import { tempDir } from "../support/temp-dir.ts";
import { type Opened, type Opener, openDesk, toCall, transports } from "./desks.ts";
import { walkJourney } from "./journey.ts";

type Transport = Parameters<Client["connect"]>[0];

const opener: Opener = {
  async stdio(server) {
    const transport = new StdioClientTransport({ ...server, stderr: "ignore" });
    const opened = await open(transport);
    return { ...opened, pid: transport.pid };
  },
  http: (url) => open(new StreamableHTTPClientTransport(url) as Transport),
};

async function open(transport: Transport): Promise<Opened> {
  const client = new Client({ name: "sdk-v1", version: "1" });
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  await client.connect(transport);
  onTestFinished(() => client.close().catch(() => {}));
  return { closed, call: toCall((request) => client.callTool(request) as Promise<object>) };
}

test.each(transports)("a client of SDK v1 completes the journey over %s", async (transport) => {
  await walkJourney(openDesk(transport, opener, tempDir()));
});

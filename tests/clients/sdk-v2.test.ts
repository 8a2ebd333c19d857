import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { tempDir } from "../support/temp-dir.ts";
import { type Opened, type Opener, openDesk, toCall, transports } from "./desks.ts";
import { walkJourney } from "./journey.ts";

const modes = {
  legacy: { mode: "legacy", speaks: "2025-11-25" },
  pinned: { mode: { pin: "2026-07-28" }, speaks: "2026-07-28" },
  auto: { mode: "auto", speaks: "2026-07-28" },
} as const;

function openerFor(mode: keyof typeof modes): Opener {
  return {
    async stdio(server) {
      const transport = new StdioClientTransport({ ...server, stderr: "ignore" });
      const opened = await open(mode, transport);
      return { ...opened, pid: transport.pid };
    },
    http: (url) => open(mode, new StreamableHTTPClientTransport(url)),
  };
}

async function open(name: keyof typeof modes, transport: Parameters<Client["connect"]>[0]): Promise<Opened> {
  const { mode, speaks } = modes[name];
  const client = new Client({ name: "sdk-v2", version: "1" }, { versionNegotiation: { mode } });
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  await client.connect(transport);
  onTestFinished(() => client.close().catch(() => {}));
  expect(client.getNegotiatedProtocolVersion()).toBe(speaks);
  return { closed, call: toCall((request) => client.callTool(request)) };
}

describe.each(transports)("a client of SDK v2 over %s", (transport) => {
  test.each(Object.keys(modes) as (keyof typeof modes)[])(
    "completes the journey in %s mode",
    async (mode) => {
      await walkJourney(openDesk(transport, openerFor(mode), tempDir()));
    },
  );
});

import { classifyInboundRequest } from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import { parseMessage } from "../framing/parse-message.ts";
import { isLegacy } from "./mcp-endpoint.ts";

const key = (name: string) => `io.modelcontextprotocol/${name}`;
const envelope = { [key("protocolVersion")]: "2026-07-28", [key("clientCapabilities")]: {} };

const metas: [string, unknown][] = [
  ["no _meta", undefined],
  ["a _meta without a claim", { progressToken: 1 }],
  ["a complete envelope", envelope],
  ["an incomplete envelope", { [key("protocolVersion")]: "2026-07-28" }],
  ["an envelope of a legacy version", { ...envelope, [key("protocolVersion")]: "2025-11-25" }],
  ["a claim that is not text", { ...envelope, [key("protocolVersion")]: 7 }],
];
const versions = [undefined, "2025-11-25", "2024-11-05", "2026-07-28", "2027-01-01", "1", "draft"];
const methods = [
  { id: 1, method: "tools/call" },
  { id: 1, method: "initialize" },
  { id: 1, method: "subscriptions/listen" },
  { method: "notifications/initialized" },
];

describe.each(metas)("a message with %s", (_, meta) => {
  test.each(versions)("and the header %s belongs to the protocol era that the SDK assigns", (version) => {
    for (const method of methods) {
      const params = { name: "thought", arguments: {}, ...(meta !== undefined && { _meta: meta }) };
      const verdict = parseMessage(JSON.stringify({ jsonrpc: "2.0", params, ...method }));
      if (!("deliver" in verdict)) throw new Error("the message is ill-shaped");
      const body = verdict.deliver;
      const headers = { ...(version !== undefined && { "mcp-protocol-version": version }) };
      const said = classifyInboundRequest({
        httpMethod: "POST",
        ...(version !== undefined && { protocolVersionHeader: version }),
        body,
      });
      expect(isLegacy("POST", headers, body), JSON.stringify(body)).toBe(said.kind === "legacy");
    }
  });
});

test("responses and requests without a message belong to the legacy era", () => {
  expect(isLegacy("POST", {}, { jsonrpc: "2.0", id: 1, result: {} })).toBe(true);
  const modern = { "mcp-protocol-version": "2026-07-28" };
  expect(isLegacy("POST", modern, { jsonrpc: "2.0", id: 1, result: {} })).toBe(true);
  expect(isLegacy("GET", modern, undefined)).toBe(true);
  expect(isLegacy("DELETE", {}, undefined)).toBe(true);
});

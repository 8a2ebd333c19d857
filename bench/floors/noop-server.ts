import { Server } from "@modelcontextprotocol/server";

const thought = {
  type: "object" as const,
  properties: { thought: { type: "string" } },
  required: ["thought"],
};

/** Creates the smallest server on this SDK, with one tool that does nothing. */
export function createNoopServer(): Server {
  const server = new Server({ name: "no-op", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", async () => ({
    tools: [{ name: "noop", description: "Does nothing.", inputSchema: thought }],
  }));
  server.setRequestHandler("tools/call", async () => ({ content: [{ type: "text", text: "{}" }] }));
  return server;
}

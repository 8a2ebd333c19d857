import { once } from "node:events";
import { createServer } from "node:net";

/** `free`: a server could listen there. `mcp`: one like ours listens already. `taken`: something else does. */
export type PortState = "free" | "mcp" | "taken" | "refused";

const patienceMs = 1_500;

export async function probePort(port: number, host: string): Promise<PortState> {
  if (port === 0) return "free";
  const server = createServer();
  try {
    await once(server.listen(port, host), "listening");
    return "free";
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "EADDRINUSE") return "refused";
    return (await speaksMcp(port, host)) ? "mcp" : "taken";
  } finally {
    server.close();
  }
}

/** A GET without a session is refused by every MCP server, in words that nobody else uses. */
async function speaksMcp(port: number, host: string): Promise<boolean> {
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  try {
    const answer = await fetch(`http://${name}:${port}/mcp`, { signal: AbortSignal.timeout(patienceMs) });
    return /Mcp-Session-Id|TOKEN_REQUIRED|HOST_NOT_ALLOWED/.test(await answer.text());
  } catch {
    return false;
  }
}

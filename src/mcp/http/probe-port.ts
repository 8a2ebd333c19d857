import { addressOf } from "../../http/connection/peer-uid.ts";
import { type PortState, tryPort } from "../../http/connection/try-port.ts";

const patienceMs = 1_500;

/** Returns the state of a port, or `mcp` if an MCP server uses it. */
export async function probePort(port: number, host: string): Promise<PortState | "mcp"> {
  const state = await tryPort(port, host);
  return state === "taken" && (await speaksMcp(port, host)) ? "mcp" : state;
}

/** True for an MCP server. It refuses a GET without a session with a message that only MCP servers use. */
async function speaksMcp(port: number, host: string): Promise<boolean> {
  try {
    const answer = await fetch(`${addressOf({ host, port })}/mcp`, {
      signal: AbortSignal.timeout(patienceMs),
    });
    return /Mcp-Session-Id|TOKEN_REQUIRED|HOST_NOT_ALLOWED/.test(await answer.text());
  } catch {
    return false;
  }
}

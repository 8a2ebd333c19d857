// Shows the size of `tools/list` for each toolset, as a client gets it from the built binary.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const binary = join(dirname(fileURLToPath(import.meta.url)), "..", "dist", "thoughtbox.js");
const toolsets = ["gateway", "core", "daily", "full"];
/** A rule of thumb for JSON with English prose. Every model counts differently. */
const bytesPerToken = 3.7;

const request = (id, method, params) => `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;

/** Returns the result of `tools/list` as sent. Listing writes nothing, so no data directory is needed. */
async function listTools(toolset) {
  const child = spawn(process.execPath, [binary, "stdio"], {
    env: {
      ...process.env,
      THOUGHTBOX_TOOLSET: toolset,
      THOUGHTBOX_DATA_DIR: join(tmpdir(), "thoughtbox-tool-size"),
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const clientInfo = { name: "tool-size", version: "1" };
  child.stdin.write(
    request(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }) +
      request(2, "tools/list", {}),
  );
  let tools;
  for await (const line of createInterface({ input: child.stdout })) {
    const { id, result } = JSON.parse(line);
    if (id !== 2) continue;
    tools = result.tools;
    child.stdin.end();
  }
  const [code] = await exited;
  if (tools === undefined)
    throw new Error(`the binary did not list its tools (exit ${code}); build it first`);
  return tools;
}

console.log("toolset   tools    bytes   ≈ tokens");
for (const toolset of toolsets) {
  const tools = await listTools(toolset);
  const bytes = Buffer.byteLength(JSON.stringify({ tools }));
  const columns = [tools.length, bytes, Math.ceil(bytes / bytesPerToken)];
  console.log(
    toolset.padEnd(9) + columns.map((value, at) => String(value).padStart([6, 9, 11][at])).join(""),
  );
}

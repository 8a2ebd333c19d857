import { type Command, startChild } from "./child.ts";

export type HttpServer = { url: URL; pid: number; stop(): Promise<void> };

/** Starts a server that prints its address on stderr. */
export async function startHttpServer(command: Command): Promise<HttpServer> {
  const { child, exited, stop } = startChild(command, ["ignore", "ignore", "pipe"]);
  let said = "";
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.on("data", (chunk) => {
      said = (said + chunk).slice(-4_000);
      const found = /serves MCP at (\S+)/.exec(said)?.[1];
      if (!found) return;
      // Discard later output, mainly the thought log.
      child.stderr?.removeAllListeners("data").resume();
      resolve(found);
    });
    void exited.then(() => reject(new Error(`the server ended: ${said}`)));
  });
  return { url: new URL(url), pid: child.pid ?? 0, stop };
}

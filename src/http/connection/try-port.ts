import { once } from "node:events";
import { createServer } from "node:net";

/**
 * `free`: a server could listen there. `taken`: another program already listens there. `refused`: this user or host is
 * not allowed to.
 */
export type PortState = "free" | "taken" | "refused";

export async function tryPort(port: number, host: string): Promise<PortState> {
  if (port === 0) return "free";
  const server = createServer();
  try {
    await once(server.listen(port, host), "listening");
    return "free";
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EADDRINUSE" ? "taken" : "refused";
  } finally {
    server.close();
  }
}

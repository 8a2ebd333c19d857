import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Gate } from "./admission/gate.ts";
import { writeRefusal } from "./body/json-answer.ts";
import { tooManyConnections } from "./body/refusal.ts";
import type { Connections } from "./connection/connections.ts";
import { findRoute, pathNotFound, type UpgradeRoute } from "./routes.ts";

export type UpgradeReceiverOptions = {
  readonly gate: Gate;
  readonly upgrades: readonly UpgradeRoute[];
  readonly connections: Connections;
  readonly onError: (thrown: unknown) => void;
};

export type UpgradeReceiver = (req: IncomingMessage, socket: Socket, head: Buffer) => Promise<void>;

/** The journey of one upgrade: the same admission as a request, then the socket's new owner. Never rejects. */
export function createUpgradeReceiver(options: UpgradeReceiverOptions): UpgradeReceiver {
  const { gate, upgrades, connections, onError } = options;

  return async (req, socket, head) => {
    // Node has taken its own error listener off by now; a reset must not end the process.
    socket.on("error", () => socket.destroy());
    if (!connections.has(socket)) return;
    try {
      const admission = await gate(req);
      const route = findRoute(upgrades, req.url ?? "");
      if (!socket.writable) return;
      if (admission.outcome === "refused") return writeRefusal(socket, admission);
      if (!route || admission.outcome === "preflight") return writeRefusal(socket, pathNotFound);
      if (!connections.prove(socket)) return writeRefusal(socket, tooManyConnections);
      connections.upgrade(socket);
      await route.handle(req, socket, head, admission);
    } catch (thrown) {
      onError(thrown);
      socket.destroy();
    }
  };
}

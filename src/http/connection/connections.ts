import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpLimits } from "../limits.ts";
import { peerKey } from "./peer-address.ts";

/** The live connections of one door: how many, whose, and which of them owe an answer. */
export type Connections = {
  /** `false` when the door or this peer holds its fill; the connection is then not counted. */
  accept(socket: Socket): boolean;
  has(socket: Socket): boolean;
  /** Keeps the connection open through a drain until the response is closed. */
  owe(socket: Socket, response: ServerResponse): void;
  /** An upgraded connection is busy until its new owner closes it. */
  upgrade(socket: Socket): void;
  isAnswering(socket: Socket): boolean;
  /** From now on a connection ends with its last answer; those that owe none end at once. */
  drain(): void;
  isDraining(): boolean;
  destroyAll(): void;
};

type Connection = { readonly owed: Set<ServerResponse>; upgraded: boolean };

export function createConnections(
  limits: Pick<HttpLimits, "connections" | "connectionsPerPeer">,
): Connections {
  const live = new Map<Socket, Connection>();
  const countByPeer = new Map<string, number>();
  let draining = false;

  const count = (peer: string, change: 1 | -1) => {
    const total = (countByPeer.get(peer) ?? 0) + change;
    if (total === 0) countByPeer.delete(peer);
    else countByPeer.set(peer, total);
  };
  const endIfIdle = (socket: Socket, { owed, upgraded }: Connection) => {
    if (owed.size === 0 && !upgraded) socket.destroySoon();
  };

  return {
    accept(socket) {
      const peer = peerKey(socket.remoteAddress);
      const peerIsFull = (countByPeer.get(peer) ?? 0) >= limits.connectionsPerPeer;
      if (draining || peerIsFull || live.size >= limits.connections) return false;
      live.set(socket, { owed: new Set(), upgraded: false });
      count(peer, 1);
      socket.once("close", () => {
        live.delete(socket);
        count(peer, -1);
      });
      return true;
    },
    has: (socket) => live.has(socket),
    owe(socket, response) {
      const connection = live.get(socket);
      if (!connection) return;
      if (draining) response.shouldKeepAlive = false;
      connection.owed.add(response);
      response.once("close", () => {
        connection.owed.delete(response);
        if (draining) endIfIdle(socket, connection);
      });
    },
    upgrade(socket) {
      const connection = live.get(socket);
      if (connection) connection.upgraded = true;
    },
    isAnswering: (socket) => [...(live.get(socket)?.owed ?? [])].some((response) => response.headersSent),
    drain() {
      draining = true;
      for (const [socket, connection] of live) {
        for (const response of connection.owed) response.shouldKeepAlive = false;
        endIfIdle(socket, connection);
      }
    },
    isDraining: () => draining,
    destroyAll() {
      for (const socket of live.keys()) socket.destroy();
    },
  };
}

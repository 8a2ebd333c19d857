import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpLimits } from "../limits.ts";
import type { Peer } from "./peer-uid.ts";

/**
 * The live connections of one door, counted by proof and not by address. *Unproven*: nothing of it was admitted yet;
 * few of them, and the newest takes the place of the oldest. *Proven*: our own user's, or one with an admitted request;
 * many, and when they are too many the longest idle one goes.
 */
export type Connections = {
  /** `false` while the door is draining; the connection is then not counted. */
  accept(socket: Socket): boolean;
  /** Who it is; `false` when it is our own and there is no room for it. */
  identify(socket: Socket, peer: Peer): boolean;
  /** A request of it was admitted; `false` when there is no room for one more that is proven. */
  prove(socket: Socket): boolean;
  isProven(socket: Socket): boolean;
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

type Connection = {
  readonly pending: Set<ServerResponse>;
  isUpgraded: boolean;
  /** `undefined` until it is known. */
  peer: Peer | undefined;
  isProven: boolean;
};

type Limits = Pick<HttpLimits, "unproven" | "unprovenPerPeer" | "proven" | "provenPerPeer">;

export function createConnections(limits: Limits): Connections {
  /** In order of age; proven ones in order of their last use. */
  const live = new Map<Socket, Connection>();
  let draining = false;

  const isIdle = ({ pending, isUpgraded }: Connection) => pending.size === 0 && !isUpgraded;
  const endIfIdle = (socket: Socket, connection: Connection) => {
    if (isIdle(connection)) socket.destroySoon();
  };
  const liveWhere = (belongs: (connection: Connection) => boolean) =>
    [...live].filter(([, connection]) => belongs(connection));

  /** Ends the first of them that may go, where there are as many as there may be. */
  function makeRoom(
    all: readonly [Socket, Connection][],
    max: number,
    mayGo: (connection: Connection) => boolean,
  ): boolean {
    if (all.length < max) return true;
    const [oldest] = all.find(([, connection]) => mayGo(connection)) ?? [];
    if (!oldest) return false;
    live.delete(oldest);
    oldest.destroy();
    return true;
  }

  function touch(socket: Socket, connection: Connection): void {
    if (live.delete(socket)) live.set(socket, connection);
  }

  function prove(socket: Socket, connection: Connection): boolean {
    const { peer } = connection;
    const ofPeer = liveWhere((other) => other.isProven && other.peer?.key === peer?.key);
    if (peer?.isOurUid !== true && !makeRoom(ofPeer, limits.provenPerPeer, isIdle)) return false;
    if (
      !makeRoom(
        liveWhere(({ isProven }) => isProven),
        limits.proven,
        isIdle,
      )
    )
      return false;
    connection.isProven = true;
    touch(socket, connection);
    return true;
  }

  return {
    accept(socket) {
      if (draining) return false;
      live.set(socket, { pending: new Set(), isUpgraded: false, peer: undefined, isProven: false });
      socket.once("close", () => live.delete(socket));
      return true;
    },
    identify(socket, peer) {
      const connection = live.get(socket);
      if (!connection || connection.peer) return true;
      if (peer.isOurUid === true) {
        connection.peer = peer;
        return prove(socket, connection) || !live.delete(socket);
      }
      const unproven = liveWhere((other) => other.peer !== undefined && !other.isProven);
      const ofPeer = unproven.filter(([, other]) => other.peer?.key === peer.key);
      makeRoom(ofPeer, limits.unprovenPerPeer, () => true);
      makeRoom(
        unproven.filter(([other]) => live.has(other)),
        limits.unproven,
        () => true,
      );
      connection.peer = peer;
      return true;
    },
    prove(socket) {
      const connection = live.get(socket);
      return connection !== undefined && (connection.isProven || prove(socket, connection));
    },
    isProven: (socket) => live.get(socket)?.isProven === true,
    has: (socket) => live.has(socket),
    owe(socket, response) {
      const connection = live.get(socket);
      if (!connection) return;
      if (draining) response.shouldKeepAlive = false;
      connection.pending.add(response);
      response.once("close", () => {
        connection.pending.delete(response);
        touch(socket, connection);
        if (draining) endIfIdle(socket, connection);
      });
    },
    upgrade(socket) {
      const connection = live.get(socket);
      if (connection) connection.isUpgraded = true;
    },
    isAnswering: (socket) => [...(live.get(socket)?.pending ?? [])].some((response) => response.headersSent),
    drain() {
      draining = true;
      for (const [socket, connection] of live) {
        for (const response of connection.pending) response.shouldKeepAlive = false;
        endIfIdle(socket, connection);
      }
    },
    isDraining: () => draining,
    destroyAll() {
      for (const socket of live.keys()) socket.destroy();
    },
  };
}

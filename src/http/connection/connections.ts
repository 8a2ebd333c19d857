import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpLimits } from "../limits.ts";
import type { Peer } from "./peer-uid.ts";

/**
 * The live connections of one server. Limits, in total and per peer, depend on whether a connection is
 * proven. *Unproven*: no request has been admitted yet. Few are allowed, and the newest replaces the oldest.
 * *Proven*: from our own user, or with an admitted request. Many are allowed. If the limit is exceeded, the
 * one that has been idle longest is closed.
 */
export type Connections = {
  /** `false` while the server is draining. The connection is then not counted. */
  accept(socket: Socket): boolean;
  /** Sets the peer. `false` if the peer is our own user and there is no room for another proven connection. */
  identify(socket: Socket, peer: Peer): boolean;
  /** Call when a request has been admitted. `false` if there is no room for another proven connection. */
  prove(socket: Socket): boolean;
  isProven(socket: Socket): boolean;
  has(socket: Socket): boolean;
  /**
   * Keeps the connection open during a drain until the response is closed. If too many responses are already pending,
   * ends the connection and returns `false`, because Node would start thousands of requests at once.
   */
  owe(socket: Socket, response: ServerResponse): boolean;
  /** An upgraded connection is busy until its new owner closes it. */
  upgrade(socket: Socket): void;
  isAnswering(socket: Socket): boolean;
  /** From now on, every answer announces that its connection closes. Connections without pending answers stay open. */
  retire(): void;
  /**
   * From now on, a connection ends with its last answer. If no answer has announced this to the client, the connection
   * stays open for `lastRequestMs`, because a request may be on its way.
   */
  drain(lastRequestMs: number): void;
  isDraining(): boolean;
  /**
   * Call when a request arrives. True if the drain began before the request and an earlier answer announced
   * that the connection closes.
   */
  isLate(socket: Socket): boolean;
  destroyAll(): void;
};

type Connection = {
  readonly pending: Set<ServerResponse>;
  /** An answer announced that the connection closes. */
  isWarned: boolean;
  /** The newest request arrived after the warning, during the drain. */
  isLate: boolean;
  isUpgraded: boolean;
  /** `undefined` until it is known. */
  peer: Peer | undefined;
  isProven: boolean;
};

type Limits = Pick<
  HttpLimits,
  "unproven" | "unprovenPerPeer" | "proven" | "provenPerPeer" | "requestsAtOnce"
>;

export function createConnections(limits: Limits): Connections {
  /** Oldest first. A proven connection moves to the end whenever it is used. */
  const live = new Map<Socket, Connection>();
  /** Counted incrementally, because counting all of them for each new connection would be quadratic. */
  const proven = createTally();
  const unproven = createTally();
  let isRetiring = false;
  let draining = false;
  /** From now on, connections end even if their clients were not warned. */
  let isOver = false;

  const isIdle = ({ pending, isUpgraded }: Connection) => pending.size === 0 && !isUpgraded;
  const endIfIdle = (socket: Socket, connection: Connection) => {
    if (isIdle(connection) && (connection.isWarned || isOver)) socket.destroySoon();
  };
  /** Headers that were already sent cannot announce anything. */
  const warn = (connection: Connection, response: ServerResponse) => {
    if (response.headersSent) return;
    response.shouldKeepAlive = false;
    connection.isWarned = true;
  };
  const retire = () => {
    isRetiring = true;
    for (const connection of live.values())
      for (const response of connection.pending) warn(connection, response);
  };
  const isUnproven = ({ isProven, peer }: Connection) => !isProven && peer !== undefined;
  const keyOf = ({ peer }: Connection) => peer?.key ?? "unknown";

  function leave(socket: Socket): void {
    const connection = live.get(socket);
    if (!connection) return;
    live.delete(socket);
    if (connection.isProven) proven.remove(keyOf(connection));
    else if (connection.peer) unproven.remove(keyOf(connection));
  }

  /** If the limit is reached, closes the first connection that may be closed. */
  function makeRoom(count: number, max: number, mayGo: (connection: Connection) => boolean): boolean {
    if (count < max) return true;
    for (const [socket, connection] of live) {
      if (!mayGo(connection)) continue;
      leave(socket);
      socket.destroy();
      return true;
    }
    return false;
  }

  function touch(socket: Socket, connection: Connection): void {
    if (live.delete(socket)) live.set(socket, connection);
  }

  function prove(socket: Socket, connection: Connection): boolean {
    const key = keyOf(connection);
    const isOfPeer = (other: Connection) => other.isProven && isIdle(other) && keyOf(other) === key;
    const isOurs = connection.peer?.isOurUid === true;
    if (!isOurs && !makeRoom(proven.of(key), limits.provenPerPeer, isOfPeer)) return false;
    if (!makeRoom(proven.all(), limits.proven, (other) => other.isProven && isIdle(other))) return false;
    if (connection.peer) unproven.remove(key);
    proven.add(key);
    connection.isProven = true;
    touch(socket, connection);
    return true;
  }

  return {
    accept(socket) {
      if (draining) return false;
      live.set(socket, {
        pending: new Set(),
        isWarned: false,
        isLate: false,
        isUpgraded: false,
        peer: undefined,
        isProven: false,
      });
      socket.once("close", () => leave(socket));
      return true;
    },
    identify(socket, peer) {
      const connection = live.get(socket);
      if (!connection || connection.peer) return true;
      if (peer.isOurUid !== true) {
        makeRoom(
          unproven.of(peer.key),
          limits.unprovenPerPeer,
          (other) => isUnproven(other) && keyOf(other) === peer.key,
        );
        makeRoom(unproven.all(), limits.unproven, isUnproven);
      }
      connection.peer = peer;
      unproven.add(peer.key);
      if (peer.isOurUid !== true || prove(socket, connection)) return true;
      leave(socket);
      return false;
    },
    prove(socket) {
      const connection = live.get(socket);
      return connection !== undefined && (connection.isProven || prove(socket, connection));
    },
    isProven: (socket) => live.get(socket)?.isProven === true,
    has: (socket) => live.has(socket),
    owe(socket, response) {
      const connection = live.get(socket);
      if (!connection) return false;
      if (connection.pending.size >= limits.requestsAtOnce) {
        leave(socket);
        socket.destroy();
        return false;
      }
      connection.isLate = draining && connection.isWarned;
      if (isRetiring) warn(connection, response);
      connection.pending.add(response);
      response.once("close", () => {
        connection.pending.delete(response);
        touch(socket, connection);
        if (draining) endIfIdle(socket, connection);
      });
      return true;
    },
    upgrade(socket) {
      const connection = live.get(socket);
      if (connection) connection.isUpgraded = true;
    },
    isAnswering: (socket) => [...(live.get(socket)?.pending ?? [])].some((response) => response.headersSent),
    retire,
    drain(lastRequestMs) {
      draining = true;
      retire();
      const endIdle = () => {
        for (const [socket, connection] of live) endIfIdle(socket, connection);
      };
      endIdle();
      setTimeout(() => {
        isOver = true;
        endIdle();
      }, lastRequestMs).unref();
    },
    isDraining: () => draining,
    isLate: (socket) => live.get(socket)?.isLate === true,
    destroyAll() {
      for (const socket of live.keys()) socket.destroy();
    },
  };
}

function createTally() {
  const byPeer = new Map<string, number>();
  let all = 0;
  const change = (key: string, by: number) => {
    all += by;
    const left = (byPeer.get(key) ?? 0) + by;
    if (left > 0) byPeer.set(key, left);
    else byPeer.delete(key);
  };
  return {
    all: () => all,
    of: (key: string): number => byPeer.get(key) ?? 0,
    add: (key: string): void => change(key, 1),
    remove: (key: string): void => change(key, -1),
  };
}

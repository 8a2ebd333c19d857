import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { isLoopbackPeer, peerKey } from "./peer-address.ts";
import { readSocketOwners, type SocketOwners, type TcpTable, toTableAddress } from "./proc-net-tcp.ts";

export type Peer = {
  /** `undefined` where the platform cannot tell or the peer is on another machine; in doubt `false`. */
  readonly isOurUid: boolean | undefined;
  /** What limits are counted by: the address, and on this machine the user. */
  readonly key: string;
};

export type IdentifyPeer = (socket: Socket) => Promise<Peer>;

/** Shared by unrelated daemons, and shown for every user outside our user namespace: proves nothing. */
const nobody = 65_534;

/** Looks once a connection. */
export function createPeerIdentification(
  platform = process.platform,
  ownUid = process.getuid?.(),
): IdentifyPeer {
  const known = new WeakMap<Socket, Promise<Peer>>();
  const readTable = createTableReader();

  async function identify(socket: Socket): Promise<Peer> {
    const address = socket.remoteAddress;
    if (platform !== "linux" || !isLoopbackPeer(address))
      return { isOurUid: undefined, key: peerKey(address) };
    // The kernel lists sockets page by page and can skip one while others come and go: look twice.
    const uid = (await findPeerUid(socket, readTable)) ?? (await findPeerUid(socket, readTable));
    if (uid === undefined) return { isOurUid: false, key: peerKey(address) };
    return { isOurUid: uid !== nobody && uid === ownUid, key: `uid ${uid}` };
  }

  return (socket) => {
    const peer = known.get(socket) ?? identify(socket);
    known.set(socket, peer);
    return peer;
  };
}

type ReadTable = (table: TcpTable) => Promise<SocketOwners>;

/** The peer's end of the connection: its local address is our remote one. */
async function findPeerUid(socket: Socket, readTable: ReadTable): Promise<number | undefined> {
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  if (!remoteAddress || !remotePort || !localAddress || !localPort) return undefined;
  for (const table of ["tcp", "tcp6"] satisfies TcpTable[]) {
    const local = toTableAddress({ address: remoteAddress, port: remotePort }, table);
    const remote = toTableAddress({ address: localAddress, port: localPort }, table);
    if (local === undefined || remote === undefined) continue;
    const ownerOf = await readTable(table);
    const uid = ownerOf(local, remote);
    if (uid !== undefined) return uid;
  }
  return undefined;
}

/** Those who ask while the table is read share the next reading, which begins after their connection did. */
function createTableReader(): ReadTable {
  const next = new Map<TcpTable, Promise<SocketOwners>>();
  const current = new Map<TcpTable, Promise<SocketOwners>>();
  return (table) => {
    const waiting = next.get(table);
    if (waiting !== undefined) return waiting;
    const reading = (current.get(table) ?? Promise.resolve()).then(() => {
      next.delete(table);
      const begun = readFile(`/proc/net/${table}`, "latin1").then(readSocketOwners, () => () => undefined);
      current.set(table, begun);
      return begun;
    });
    next.set(table, reading);
    return reading;
  };
}

import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { isLoopbackPeer } from "./peer-address.ts";
import { type Endpoint, findSocketOwner, type TcpTable, toTableAddress } from "./proc-net-tcp.ts";

/** `undefined` where the platform cannot tell or the peer is on another machine; in doubt `false`. */
export type PeerUidCheck = (socket: Socket) => Promise<boolean | undefined>;

/** Shared by unrelated daemons, and shown for every user outside our user namespace: proves nothing. */
const nobody = 65_534;

export function createPeerUidCheck(platform = process.platform, ownUid = process.getuid?.()): PeerUidCheck {
  const checked = new WeakMap<Socket, Promise<boolean>>();

  return async (socket) => {
    if (platform !== "linux" || !isLoopbackPeer(socket.remoteAddress)) return undefined;
    const known = checked.get(socket) ?? isPeerOwnedBy(ownUid, socket);
    checked.set(socket, known);
    return known;
  };
}

async function isPeerOwnedBy(ownUid: number | undefined, socket: Socket): Promise<boolean> {
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  if (!remoteAddress || !remotePort || !localAddress || !localPort) return false;
  const peer = { address: remoteAddress, port: remotePort };
  const us = { address: localAddress, port: localPort };
  // The kernel lists sockets page by page and can skip one while others come and go: look twice.
  const uid = (await findPeerUid(peer, us)) ?? (await findPeerUid(peer, us));
  return uid !== undefined && uid !== nobody && uid === ownUid;
}

/** The peer's end of the connection: its local address is our remote one. */
async function findPeerUid(peer: Endpoint, us: Endpoint): Promise<number | undefined> {
  for (const table of ["tcp", "tcp6"] satisfies TcpTable[]) {
    const local = toTableAddress(peer, table);
    const remote = toTableAddress(us, table);
    if (local === undefined || remote === undefined) continue;
    const listing = await readFile(`/proc/net/${table}`, "latin1").catch(() => "");
    const uid = findSocketOwner(listing, local, remote);
    if (uid !== undefined) return uid;
  }
  return undefined;
}

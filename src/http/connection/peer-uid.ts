import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { endianness } from "node:os";
import { parseIpv4, parseIpv6 } from "../admission/ip-literal.ts";

export const isEverywhere = (host: string): boolean => host === "0.0.0.0" || host === "::";

/** Returns the URL at which a browser or client on this machine reaches the bound address. */
export function addressOf({ host, port }: { host: string; port: number }): string {
  const name = isEverywhere(host) ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

const mappedPrefix = "::ffff:";

/** Returns `1.2.3.4` for `::ffff:1.2.3.4`, which is how a dual-stack listener sees an IPv4 peer. */
export function unmapPeer(address: string): string {
  const tail = address.slice(mappedPrefix.length);
  return address.startsWith(mappedPrefix) && parseIpv4(tail) ? tail : address;
}

export function isLoopbackPeer(address: string | undefined): boolean {
  if (address === undefined) return false;
  return address === "::1" || parseIpv4(unmapPeer(address))?.[0] === 127;
}

/**
 * Returns the key for limits and cookies. An IPv6 host has a whole /64, so its last four groups do not
 * identify a peer. This machine has many loopback addresses, which share one key.
 */
export function peerKey(address: string | undefined): string {
  if (address === undefined) return "unknown";
  if (isLoopbackPeer(address)) return "this machine";
  const groups = parseIpv6(address.split("%", 1)[0] ?? address);
  return groups ? `${groups.slice(0, 4).join(":")}/64` : unmapPeer(address);
}

export type Peer = {
  /**
   * `undefined` if the platform cannot determine the uid, or if the peer is on another machine. If in doubt,
   * `false`.
   */
  readonly isOurUid: boolean | undefined;
  /** The key for limits: the address, or on this machine the user. */
  readonly key: string;
};

export type IdentifyPeer = (socket: Socket) => Promise<Peer>;

/** A uid that proves nothing, because unrelated daemons and users outside our user namespace share it. */
const nobody = 65_534;

/** Looks up each connection once. */
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
    // The kernel lists sockets page by page and can skip one while others open and close, so a failed lookup
    // is repeated.
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

type Endpoint = { readonly address: string; readonly port: number };
type TcpTable = "tcp" | "tcp6";

/**
 * Returns a loopback endpoint as /proc/net/tcp or tcp6 spells it, or `undefined` if it cannot be listed there. An IPv4
 * peer is listed in tcp6 if its program connected through an IPv6 socket.
 */
export function toTableAddress({ address, port }: Endpoint, table: TcpTable): string | undefined {
  const bytes = loopbackBytes(unmapPeer(address), table);
  return bytes && `${toHostOrderHex(bytes)}:${port.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Returns the uid that owns the socket with these two ends. */
type SocketOwners = (local: string, remote: string) => number | undefined;

const row = /^ *\d+: (\w+:\w+ \w+:\w+) \w+ \S+ \S+ \S+ +(\d+) +\d+ ([1-9]\d*) /gm;

/**
 * Parses the table once for all lookups, because it may have thousands of lines. An orphaned socket, which
 * its program closed while data was in transit, is listed with uid 0 and inode 0. Rows of orphaned sockets
 * are skipped, because their peer would be taken for root.
 */
export function readSocketOwners(table: string): SocketOwners {
  const owners = new Map<string, number>();
  for (const [, ends = "", uid] of table.matchAll(row)) owners.set(ends, Number(uid));
  return (local, remote) => owners.get(`${local} ${remote}`);
}

function loopbackBytes(address: string, table: TcpTable): Buffer | undefined {
  const ipv4 = parseIpv4(address);
  if (ipv4)
    return table === "tcp" ? Buffer.from(ipv4) : Buffer.from([...Array(10).fill(0), 0xff, 0xff, ...ipv4]);
  return table === "tcp6" && address === "::1" ? Buffer.from([...Array(15).fill(0), 1]) : undefined;
}

/** Prints each 32-bit word in the machine's byte order, as the kernel does, not in network order. */
function toHostOrderHex(bytes: Buffer): string {
  const ordered = endianness() === "LE" ? Buffer.from(bytes).swap32() : bytes;
  return ordered.toString("hex").toUpperCase();
}

type ReadTable = (table: TcpTable) => Promise<SocketOwners>;

/** Looks up the uid at the peer's end of the connection, where our remote address is the local one. */
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

/**
 * A lookup that arrives during a read waits for the next read, because the current one may have started before its
 * connection did. All waiting lookups share that read.
 */
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

import { endianness } from "node:os";
import { parseIpv4 } from "../admission/ip-literal.ts";
import { unmapPeer } from "./peer-address.ts";

export type Endpoint = { readonly address: string; readonly port: number };
export type TcpTable = "tcp" | "tcp6";

/**
 * The spelling of a loopback endpoint in /proc/net/tcp or tcp6, `undefined` if it cannot stand there.
 * An IPv4 peer stands in tcp6 when its program connected through an IPv6 socket.
 */
export function toTableAddress({ address, port }: Endpoint, table: TcpTable): string | undefined {
  const bytes = loopbackBytes(unmapPeer(address), table);
  return bytes && `${toHostOrderHex(bytes)}:${port.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** The uid that owns a socket, by its two ends. */
export type SocketOwners = (local: string, remote: string) => number | undefined;

const row = /^ *\d+: (\w+:\w+ \w+:\w+) \w+ \S+ \S+ \S+ +(\d+) +\d+ ([1-9]\d*) /gm;

/**
 * Read once for all who ask: with thousands of connections the table has as many lines. An orphaned socket (its program
 * closed it while data was on the way) is listed with uid 0 and inode 0, which would make every passer-by root: it has
 * no owner.
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

/** The kernel prints each 32-bit word as a number of this machine, not in network order. */
function toHostOrderHex(bytes: Buffer): string {
  const ordered = endianness() === "LE" ? Buffer.from(bytes).swap32() : bytes;
  return ordered.toString("hex").toUpperCase();
}

import { parseIpv4, parseIpv6 } from "../admission/ip-literal.ts";

const mappedPrefix = "::ffff:";

/** A dual-stack listener sees IPv4 peers as `::ffff:1.2.3.4`; both spellings are one peer. */
export function unmapPeer(address: string): string {
  const tail = address.slice(mappedPrefix.length);
  return address.startsWith(mappedPrefix) && parseIpv4(tail) ? tail : address;
}

export function isLoopbackPeer(address: string | undefined): boolean {
  if (address === undefined) return false;
  return address === "::1" || parseIpv4(unmapPeer(address))?.[0] === 127;
}

/** What limits are counted by: an IPv6 host commands a whole /64, so its last four groups do not tell peers apart. */
export function peerKey(address: string | undefined): string {
  if (address === undefined) return "unknown";
  if (isLoopbackPeer(address)) return unmapPeer(address);
  const groups = parseIpv6(address.split("%", 1)[0] ?? address);
  return groups ? `${groups.slice(0, 4).join(":")}/64` : unmapPeer(address);
}

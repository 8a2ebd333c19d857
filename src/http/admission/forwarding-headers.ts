import { headerNames, type RawHeaders } from "./raw-headers.ts";

const forwardingNames: ReadonlySet<string> = new Set([
  "forwarded",
  "forwarded-for",
  "via",
  "x-real-ip",
  "x-client-ip",
  "x-cluster-client-ip",
  "x-proxyuser-ip",
  "x-remote-ip",
  "x-remote-addr",
  "x-originating-ip",
  "true-client-ip",
  "client-ip",
  "cdn-loop",
  "fastly-client-ip",
  "fly-client-ip",
]);

/** Whoever names the one that a request comes from, under whatever name, is not that one. */
const forwardingWords =
  /forward|proxy-client|(?:client|real|remote|source|src|user)-?(?:ip|addr)(?:$|-)|-via$/;

const forwardingPrefixes = [
  "x-forwarded",
  "x-original-",
  "x-envoy-",
  "x-azure-",
  "x-appengine-",
  "x-arr-",
  "x-vercel-",
  "x-nf-client-",
  "cf-",
  "tailscale-",
];

/** A proxy on this machine makes the whole network look like a loopback peer; these headers give it away. */
export function wasForwarded(rawHeaders: RawHeaders): boolean {
  return headerNames(rawHeaders)
    .map((name) => name.replaceAll("_", "-"))
    .some(
      (name) =>
        forwardingNames.has(name) ||
        forwardingWords.test(name) ||
        forwardingPrefixes.some((prefix) => name.startsWith(prefix)),
    );
}

import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { headerValues, pathOf, type RawHeaders } from "./raw-headers.ts";

/** The `b64token` of RFC 6750: anything else cannot travel in an Authorization header. */
export const tokenPattern = /^[A-Za-z0-9._~+/-]{1,512}=*$/;

export function digestToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** Digests have the same length, so the comparison reveals nothing about the token's length or prefix. */
export function isRightToken(presented: string, tokenDigest: Uint8Array): boolean {
  return timingSafeEqual(digestToken(presented), tokenDigest) && presented !== "";
}

/**
 * `undefined`: nothing was presented. The empty string: something was, but no bearer token, which is
 * as wrong as a wrong one.
 */
export function presentedToken(rawHeaders: RawHeaders): string | undefined {
  const [only, ...others] = headerValues(rawHeaders, "authorization");
  if (only === undefined) return undefined;
  const [scheme = "", token = "", ...rest] = only.split(" ");
  const wellFormed = scheme.toLowerCase() === "bearer" && tokenPattern.test(token);
  return wellFormed && others.length === 0 && rest.length === 0 ? token : "";
}

/*
 * How a page shows the token, since it cannot set headers: once in the address of `/`, from then on by a cookie, and
 * for a WebSocket also as a protocol. Browsers send a cookie to all ports of a host, so any server there reads ours.
 * It is not the token, it opens one port, and only for the peer that showed the token.
 */

/** `name=value`. `peer` is the user on this machine, the address, or the fact that a proxy forwards. */
export function pageCookie(tokenDigest: Uint8Array, port: number | undefined, peer: string): string {
  const value = createHmac("sha256", tokenDigest).update(`thoughtbox page\n${port}\n${peer}`);
  return `thoughtbox-${port ?? 0}=${value.digest("base64url")}`;
}

type Request = {
  readonly rawHeaders: RawHeaders;
  readonly method: string;
  readonly target: string;
};

const protocolPrefix = "thoughtbox.token.";

/** As `presentedToken`: `undefined` for nothing, the empty string for something that is no token. */
export function presentedByPage({ rawHeaders, method, target }: Request): string | undefined {
  const protocol = headerValues(rawHeaders, "sec-websocket-protocol")
    .flatMap((list) => list.split(","))
    .find((name) => name.trim().startsWith(protocolPrefix));
  const token = protocol?.trim().slice(protocolPrefix.length) ?? tokenInAddress(method, target);
  return token === undefined || tokenPattern.test(token) ? token : "";
}

/**
 * Only where the page begins, and only to be exchanged for the cookie. A plus means a space in an address,
 * and no token contains a blank, so an address put together in a shell need not encode it. The field of the
 * token page also takes the printed address as a whole.
 */
export function tokenInAddress(method: string, target: string): string | undefined {
  if (method !== "GET" || pathOf(target) !== "/") return undefined;
  const given = new URLSearchParams(target.slice(2)).get("token")?.trim();
  const printed = /^https?:\/\/[^?#]+\?([^#]*)/i.exec(given ?? "")?.[1];
  return (printed === undefined ? given : (new URLSearchParams(printed).get("token") ?? ""))?.replaceAll(
    " ",
    "+",
  );
}

/** A cookie made from an older token is as good as none. */
export function hasCookie(rawHeaders: RawHeaders, cookie: string): boolean {
  const wanted = Buffer.from(cookie);
  return headerValues(rawHeaders, "cookie")
    .flatMap((list) => list.split(";"))
    .map((pair) => Buffer.from(pair.trim()))
    .some((pair) => pair.length === wanted.length && timingSafeEqual(pair, wanted));
}

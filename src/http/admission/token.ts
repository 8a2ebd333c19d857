import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { headerValues, pathOf, type RawHeaders } from "./raw-headers.ts";

/** The `b64token` of RFC 6750. An Authorization header cannot carry anything else. */
export const tokenPattern = /^[A-Za-z0-9._~+/-]{1,512}=*$/;

export function digestToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** Digests have the same length, so the comparison reveals nothing about the token's length or prefix. */
export function isRightToken(presented: string, tokenDigest: Uint8Array): boolean {
  return timingSafeEqual(digestToken(presented), tokenDigest) && presented !== "";
}

/**
 * Returns `undefined` if nothing was sent. Returns an empty string, which counts as a wrong token, if the
 * header is not a bearer token.
 */
export function presentedToken(rawHeaders: RawHeaders): string | undefined {
  const [only, ...others] = headerValues(rawHeaders, "authorization");
  if (only === undefined) return undefined;
  const [scheme = "", token = "", ...rest] = only.split(" ");
  const wellFormed = scheme.toLowerCase() === "bearer" && tokenPattern.test(token);
  return wellFormed && others.length === 0 && rest.length === 0 ? token : "";
}

/*
 * A browser sends the token once in the URL of `/`, and then a cookie. For a WebSocket, a page can also send
 * the token as a protocol. Browsers send a cookie to all ports of a host, so any server there can read ours.
 * Therefore the cookie is not the token. The cookie is valid for one port, and only for the peer that sent
 * the token. Behind a proxy, all browsers are the same peer, so the cookie alone opens only the files of the
 * page. For the rest, the page sends a proof from its storage, which browsers separate by port.
 */

/** Returns `name=value`. `peer` is this machine's user, the address, or a constant for forwarded requests. */
export function pageCookie(tokenDigest: Uint8Array, port: number | undefined, peer: string): string {
  const value = createHmac("sha256", tokenDigest).update(`thoughtbox page\n${port}\n${peer}`);
  return `thoughtbox-${port ?? 0}=${value.digest("base64url")}`;
}

/** Returns the proof, which is useless without the cookie. Scripts cannot read the cookie. */
export function pageProof(tokenDigest: Uint8Array, port: number | undefined): string {
  return createHmac("sha256", tokenDigest).update(`thoughtbox proof\n${port}`).digest("base64url");
}

/** True if a header or a WebSocket protocol contains the proof. Pages cannot set a WebSocket's headers. */
export function hasProof(rawHeaders: RawHeaders, proof: string): boolean {
  return [
    ...headerValues(rawHeaders, "thoughtbox-page"),
    ...offeredProtocols(rawHeaders)
      .filter((name) => name.startsWith(proofPrefix))
      .map((name) => name.slice(proofPrefix.length)),
  ].some((sent) => isSame(sent, proof));
}

type Request = {
  readonly rawHeaders: RawHeaders;
  readonly method: string;
  readonly target: string;
};

const protocolPrefix = "thoughtbox.token.";
const proofPrefix = "thoughtbox.page.";

const offeredProtocols = (rawHeaders: RawHeaders): string[] =>
  headerValues(rawHeaders, "sec-websocket-protocol").flatMap((list) =>
    list.split(",").map((name) => name.trim()),
  );

function isSame(sent: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(sent), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/**
 * Like `presentedToken`, returns `undefined` if nothing was sent, and an empty string for anything that is
 * not a token.
 */
export function presentedByPage({ rawHeaders, method, target }: Request): string | undefined {
  const protocol = offeredProtocols(rawHeaders).find((name) => name.startsWith(protocolPrefix));
  const token = protocol?.slice(protocolPrefix.length) ?? tokenInAddress(method, target);
  return token === undefined || tokenPattern.test(token) ? token : "";
}

/**
 * The token is accepted only in the URL of the start page, to be exchanged for the cookie. In a URL, a plus
 * means a space. Tokens contain no spaces, so each space is turned back into a plus, and a URL assembled in a
 * shell need not encode it. The token page also accepts the whole printed URL in its field.
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

/** True if the request has this cookie. A cookie derived from an older token does not count. */
export function hasCookie(rawHeaders: RawHeaders, cookie: string): boolean {
  return headerValues(rawHeaders, "cookie")
    .flatMap((list) => list.split(";"))
    .some((pair) => isSame(pair.trim(), cookie));
}

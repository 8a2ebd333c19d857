import { createHash, timingSafeEqual } from "node:crypto";
import { headerValues, type RawHeaders } from "./raw-headers.ts";

/** The `b64token` of RFC 6750: anything else cannot travel in an Authorization header. */
export const tokenPattern = /^[A-Za-z0-9._~+/-]{1,512}=*$/;

export function digestToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** Digests have one length, so the comparison tells nothing about the token's length or prefix. */
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

import { type Authority, isLoopbackName, parseAuthority } from "./authority.ts";

export type Origin = Authority & { readonly scheme: "http" | "https" };

/** Only the serialisation a browser sends: lower case, no path, no userinfo; `null` is no origin. */
export function parseOrigin(text: string): Origin | undefined {
  const [scheme, rest, ...others] = text.split("://");
  if ((scheme !== "http" && scheme !== "https") || rest === undefined || others.length > 0) return undefined;
  const authority = text === text.toLowerCase() ? parseAuthority(rest) : undefined;
  return authority && { scheme, ...authority };
}

/** Any program on this machine can serve such a page, whoever runs it and wherever its text comes from. */
export function isLoopbackOrigin(text: string): boolean {
  const origin = parseOrigin(text);
  return origin !== undefined && isLoopbackName(origin.name);
}

/**
 * True for a page that this very port served. Comparing with the port we listen on, not only with Host,
 * keeps out a development server that forwards to us and leaves Host as it was.
 */
export function isServedFromHere(text: string, host: Authority, localPort: number | undefined): boolean {
  const origin = parseOrigin(text);
  if (origin?.scheme !== "http" || origin.name !== host.name) return false;
  return (origin.port ?? 80) === (host.port ?? 80) && (host.port ?? 80) === localPort;
}

import { isCanonicalIpv6, parseIpv4 } from "./ip-literal.ts";
import { headerValues, type RawHeaders } from "./raw-headers.ts";

/** `name` is lower-case and keeps the brackets of an IPv6 literal. */
export type Authority = { readonly name: string; readonly port: number | undefined };

const grammar = /^(?<name>\[[0-9a-f:.]{2,45}\]|[0-9a-z._-]{1,253})(?::(?<port>[1-9][0-9]{0,4}))?$/;

/**
 * Accepts `host[:port]` and nothing else. `new URL` would repair its input (`127.1`, `ⓛocalhost`, userinfo,
 * backslashes), so that we would check a different name from the one that the client used.
 */
export function parseAuthority(text: string): Authority | undefined {
  const { name, port } = grammar.exec(text.toLowerCase())?.groups ?? {};
  if (name === undefined || Number(port ?? 1) > 65_535) return undefined;
  return { name, port: port === undefined ? undefined : Number(port) };
}

export function isLocalhostName(name: string): boolean {
  const labels = name.split(".");
  return labels.at(-1) === "localhost" && labels.every(isHostLabel);
}

export function isLoopbackName(name: string): boolean {
  return isLocalhostName(name) || name === "[::1]" || parseIpv4(name)?.[0] === 127;
}

export function isCanonicalIpLiteral(name: string): boolean {
  return name.startsWith("[") ? isCanonicalIpv6(name.slice(1, -1)) : parseIpv4(name) !== undefined;
}

function isHostLabel(label: string): boolean {
  return /^[0-9a-z-]{1,63}$/.test(label) && !label.startsWith("-") && !label.endsWith("-");
}

/** Returns `undefined` if there is no Host header, more than one, or one that cannot be parsed. */
export function readHost(rawHeaders: RawHeaders): Authority | undefined {
  const [only, ...others] = headerValues(rawHeaders, "host");
  return only === undefined || others.length > 0 ? undefined : parseAuthority(only);
}

/**
 * DNS rebinding needs a name that an attacker's DNS resolves, which is never `localhost` or an IP literal. An
 * entry in the allow list applies to every port, unless it names one.
 */
export function isServedHost(host: Authority, allowedHosts: readonly string[]): boolean {
  return (
    isLocalhostName(host.name) ||
    isCanonicalIpLiteral(host.name) ||
    allowedHosts.includes(host.name) ||
    allowedHosts.includes(`${host.name}:${host.port}`)
  );
}

type Origin = Authority & { readonly scheme: "http" | "https" };

/** Accepts only what a browser sends: lower case, no path, no userinfo. `null` is not an origin. */
function parseOrigin(text: string): Origin | undefined {
  const [scheme, rest, ...others] = text.split("://");
  if ((scheme !== "http" && scheme !== "https") || rest === undefined || others.length > 0) return undefined;
  const authority = text === text.toLowerCase() ? parseAuthority(rest) : undefined;
  return authority && { scheme, ...authority };
}

/** True for a loopback origin. Any program on this machine can serve pages there, with any content. */
export function isLoopbackOrigin(text: string): boolean {
  const origin = parseOrigin(text);
  return origin !== undefined && isLoopbackName(origin.name);
}

/**
 * True for a page served from this port. Comparing with the port we listen on, not only with Host, excludes a
 * development server that forwards requests to us without changing Host.
 */
export function isServedFromHere(text: string, host: Authority, localPort: number | undefined): boolean {
  const origin = parseOrigin(text);
  if (origin?.scheme !== "http" || origin.name !== host.name) return false;
  return (origin.port ?? 80) === (host.port ?? 80) && (host.port ?? 80) === localPort;
}

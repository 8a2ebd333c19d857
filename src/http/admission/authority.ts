import { isCanonicalIpv6, parseIpv4 } from "./ip-literal.ts";

/** `name` is lower-case and keeps the brackets of an IPv6 literal. */
export type Authority = { readonly name: string; readonly port: number | undefined };

const grammar = /^(?<name>\[[0-9a-f:.]{2,45}\]|[0-9a-z._-]{1,253})(?::(?<port>[1-9][0-9]{0,4}))?$/;

/**
 * `host[:port]` and nothing else. `new URL` would repair what it reads (`127.1`, `ⓛocalhost`, userinfo,
 * backslashes), so that the name we judge would not be the name the client used.
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

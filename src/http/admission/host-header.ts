import { type Authority, isCanonicalIpLiteral, isLocalhostName, parseAuthority } from "./authority.ts";
import { headerValues, type RawHeaders } from "./raw-headers.ts";

/** `undefined` when there is no Host, more than one, or one outside the grammar. */
export function readHost(rawHeaders: RawHeaders): Authority | undefined {
  const [only, ...others] = headerValues(rawHeaders, "host");
  return only === undefined || others.length > 0 ? undefined : parseAuthority(only);
}

/**
 * DNS rebinding needs a name that somebody else's DNS answers for: `localhost` and IP literals are not
 * such names. An allow-listed name counts for every port unless the entry names one.
 */
export function isServedHost(host: Authority, allowedHosts: readonly string[]): boolean {
  return (
    isLocalhostName(host.name) ||
    isCanonicalIpLiteral(host.name) ||
    allowedHosts.includes(host.name) ||
    allowedHosts.includes(`${host.name}:${host.port}`)
  );
}

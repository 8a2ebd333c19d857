import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { storageFailure } from "../../../ports/storage-failures.ts";

export type Target = {
  hosts: readonly { host: string; port: number }[];
  user: string | undefined;
  password: string | undefined;
  database: string | undefined;
  ssl: boolean | ConnectionOptions;
};

const form = /^postgres(?:ql)?:\/\/(?:([^@/]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/;

/** Parses the URL as libpq does: several hosts separated by commas, or a socket directory as the parameter `host`. */
export function parseDatabaseUrl(url: string): Target {
  const [, login = "", places = "", path = "", query = ""] = form.exec(url) ?? [];
  if (!form.test(url)) throw storageFailure("database_url_refused", {});
  const [user, password] = login.split(/:(.*)/s, 2).map(decode);
  const parameters = new URLSearchParams(query);
  const fallback = Number(parameters.get("port") ?? 5432);
  const hosts = (parameters.get("host") ?? (places || "localhost")).split(",").map((place) => {
    const [, name = "", port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(place) ?? ["", place];
    return { host: name.replace(/^\[|\]$/g, ""), port: port === undefined ? fallback : Number(port) };
  });
  return {
    hosts,
    user: user || parameters.get("user") || undefined,
    password: password || parameters.get("password") || undefined,
    database: path === "" ? undefined : decode(path),
    ssl: sslFor(parameters.get("sslmode") ?? "disable", parameters.get("sslrootcert")),
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw storageFailure("database_url_refused", {});
  }
}

/** As in libpq, `require` encrypts without verifying the server, and `verify-ca` does not check its name. */
function sslFor(mode: string, authority: string | null): Target["ssl"] {
  const trusted = authority !== null && mode.startsWith("verify") ? { ca: readAuthority(authority) } : {};
  switch (mode) {
    case "verify-ca":
      return { ...trusted, checkServerIdentity: () => undefined };
    case "verify-full":
      return trusted;
    case "require":
      return { rejectUnauthorized: false };
    default:
      return false;
  }
}

function readAuthority(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw storageFailure("store_failed", { trouble: "no_tls" }, cause);
  }
}

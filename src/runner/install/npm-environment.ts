import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { promisify } from "node:util";
import type { Route } from "./registry-proxy.ts";

/** What npm itself is told about the registry: where it is, and what proves that it is the right one. */
export type OwnSettings = Route & { cafile?: string | undefined; strictSsl?: string | undefined };

/**
 * The whole configuration of an installation. npm obeys variables before any file, and the only file that could say
 * more, `.npmrc` beside the package.json, is not there: packages are installed in a folder made for it. The address of
 * the proxy is none: whatever npm connects to, it reaches ours.
 */
export function npmEnvironment(node: string, folder: string, own: OwnSettings): Record<string, string> {
  const proxy = "http://127.0.0.1:1/";
  return {
    npm_config_registry: own.registry,
    ...(own.cafile !== undefined && { npm_config_cafile: own.cafile }),
    ...(own.strictSsl !== undefined && { npm_config_strict_ssl: own.strictSsl }),
    npm_config_proxy: proxy,
    npm_config_https_proxy: proxy,
    npm_config_noproxy: "",
    PATH: dirname(node),
    HOME: folder,
    TMPDIR: folder,
    npm_config_userconfig: `${folder}/no-user-config`,
    npm_config_globalconfig: `${folder}/no-global-config`,
    npm_config_cache: `${folder}/.cache`,
    npm_config_ignore_scripts: "true",
    npm_config_bin_links: "false",
    npm_config_git: "/bin/false",
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
    npm_config_progress: "false",
    npm_config_loglevel: "error",
    npm_config_package_lock: "true",
    npm_config_install_links: "false",
    npm_config_workspaces: "false",
    npm_config_fetch_retries: "1",
    npm_config_fetch_retry_mintimeout: "500",
    npm_config_fetch_retry_maxtimeout: "2000",
    npm_config_fetch_timeout: "30000",
  };
}

const asked = ["registry", "proxy", "https-proxy", "noproxy", "cafile", "strict-ssl"] as const;

/** Asked in the home directory, with the user's own environment. */
export async function readOwnSettings(node: string, npm: string): Promise<OwnSettings> {
  const { stdout } = await promisify(execFile)(node, [npm, "config", "get", ...asked], {
    cwd: homedir(),
    timeout: 20_000,
  });
  const found = new Map(
    stdout.split("\n").flatMap((line) => {
      const at = line.indexOf("=");
      const [key, value] = [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      const isSet = at > 0 && value !== "" && value !== "null" && value !== "undefined";
      return isSet ? [[key, value] as const] : [];
    }),
  );
  const registry = found.get("registry") ?? "";
  const { protocol, hostname } = new URL(registry);
  const direct = (found.get("noproxy") ?? "").split(",").map((one) => one.trim().replace(/^\*?\./, ""));
  const isDirect = direct.some((name) => name !== "" && (hostname === name || hostname.endsWith(`.${name}`)));
  const proxy = protocol === "https:" ? (found.get("https-proxy") ?? found.get("proxy")) : found.get("proxy");
  return {
    registry,
    proxy: isDirect ? undefined : proxy,
    cafile: found.get("cafile"),
    strictSsl: found.get("strict-ssl"),
  };
}

import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { promisify } from "node:util";

/** How this user reaches the registry; no credentials among it. */
const passedOn = ["registry", "proxy", "https-proxy", "noproxy", "cafile", "strict-ssl"] as const;

/**
 * The whole configuration of an installation. npm obeys variables before any file, and the only file that could say
 * more, `.npmrc` beside the package.json, is not there: packages are installed in a folder made for it.
 */
export async function npmEnvironment(
  node: string,
  npm: string,
  folder: string,
): Promise<Record<string, string>> {
  const own = await readOwnSettings(node, npm);
  return {
    ...Object.fromEntries(Object.entries(own).map(([key, value]) => [configName(key), value])),
    PATH: dirname(node),
    HOME: folder,
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

const configName = (key: string): string => `npm_config_${key.replaceAll("-", "_")}`;

/** Asked in the home directory, with the user's own environment. */
async function readOwnSettings(node: string, npm: string): Promise<Record<string, string>> {
  const { stdout } = await promisify(execFile)(node, [npm, "config", "get", ...passedOn], {
    cwd: homedir(),
    timeout: 20_000,
  });
  return Object.fromEntries(
    stdout.split("\n").flatMap((line) => {
      const at = line.indexOf("=");
      const [key, value] = [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      const isSet = at > 0 && value !== "" && value !== "null" && value !== "undefined";
      return isSet && passedOn.some((known) => known === key) ? [[key, value]] : [];
    }),
  );
}

// Prepares a fresh clone for `npm start`, `npm test` and `npm install -g .`: installs what is missing, then builds.
// Runs before any dependency is installed, so it can import only Node modules.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installByApt, testPrograms } from "./install-by-apt.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const say = (line) => process.stderr.write(`thoughtbox: ${line}\n`);

function stop(line) {
  say(line);
  process.exit(1);
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  stop(
    `needs Node.js 20.19 or newer, this is ${process.versions.node}. Install a newer Node.js and try again.`,
  );
}

/**
 * Returns false if npm's last install is older than the lockfile. At its end, npm writes
 * node_modules/.package-lock.json.
 */
function isInstalled(directory) {
  const installed = join(directory, "node_modules", ".package-lock.json");
  const lockfile = join(directory, "package-lock.json");
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(lockfile).mtimeMs;
}

/** `npm install -g .` passes its options on in the environment, and `npm ci` refuses to run with them. */
function localInstall() {
  const { npm_config_global, npm_config_location, npm_config_prefix, ...rest } = process.env;
  return rest;
}

function install(directory, what) {
  if (isInstalled(directory)) return;
  say(`installing ${what} …`);
  const npm = process.env.npm_execpath;
  const command = npm ? [process.execPath, [npm]] : ["npm", []];
  const { status } = spawnSync(
    command[0],
    [...command[1], "ci", "--include=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
    {
      cwd: directory,
      env: localInstall(),
      stdio: ["ignore", 2, 2],
      shell: npm === undefined && process.platform === "win32",
    },
  );
  if (status !== 0) stop(`could not install ${what}. Check the network and the lines above, then try again.`);
}

function build() {
  const { status } = spawnSync(process.execPath, [join(root, "scripts", "build.mjs")], {
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) stop("the build failed. See the lines above.");
}

checkNode();
install(root, "dependencies");
if (process.argv.includes("--for-tests")) {
  install(join(root, "tests"), "test clients");
  install(join(root, "docs", "site"), "the documentation site");
  installByApt(testPrograms, { say });
}
if (process.argv.includes("--for-docs")) install(join(root, "docs", "site"), "the documentation site");
if (process.argv.includes("--for-bench")) install(join(root, "bench"), "rivals");
build();

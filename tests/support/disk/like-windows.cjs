// Preloaded into the program: makes files and processes behave as on Windows, as far as Linux can imitate that.
const fs = require("node:fs");
const { register, syncBuiltinESMExports } = require("node:module");
const childProcess = require("node:child_process");

// Load the driver first, because it selects its binary by platform and ours is for Linux.
require("@photostructure/sqlite");

const refuse = (code, what) => {
  throw Object.assign(new Error(`${code}: operation not permitted, ${what}`), { code });
};

Object.defineProperty(process, "platform", { value: "win32" });
for (const name of ["getuid", "geteuid", "getgid", "getegid"]) delete process[name];

// Some flags do not exist. The module's constants cannot be changed, so the program imports another module.
const asModule = (code) => `data:text/javascript,${encodeURIComponent(code)}`;
const withoutFlags = asModule(`
  import { constants as all } from "node:fs";
  export * from "node:fs";
  export { default } from "node:fs";
  const { O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY, ...constants } = all;
  export { constants };
`);
register(
  asModule(`
    export const resolve = (name, context, next) =>
      name === "node:fs" && !context.parentURL?.startsWith("data:")
        ? { url: ${JSON.stringify(withoutFlags)}, shortCircuit: true }
        : next(name, context);
  `),
);

// A virus scanner opens every file for a moment, so each rename succeeds only at the second attempt.
const triedBefore = new Set();
const { renameSync, openSync, fsyncSync, statSync, lstatSync, fstatSync } = fs;
const scan = (to) => {
  if (triedBefore.delete(`${to}`)) return;
  triedBefore.add(`${to}`);
  refuse("EPERM", "rename");
};
fs.renameSync = (from, to) => {
  scan(to);
  return renameSync(from, to);
};
const { rename } = fs.promises;
fs.promises.rename = async (from, to) => {
  scan(to);
  return rename(from, to);
};
fs.linkSync = () => refuse("EPERM", "link");

// Only files opened for writing can be synced, and directories never can.
const readOnly = new Set();
fs.openSync = (path, flags = "r", ...rest) => {
  const opened = openSync(path, flags, ...rest);
  readOnly[flags === "r" ? "add" : "delete"](opened);
  return opened;
};
fs.fsyncSync = (opened) => (readOnly.has(opened) ? refuse("EPERM", "fsync") : fsyncSync(opened));
const { open } = fs.promises;
fs.promises.open = async (path, flags = "r", ...rest) => {
  const file = await open(path, flags, ...rest);
  if (flags === "r") file.sync = async () => refuse("EPERM", "fsync");
  return file;
};

// Modes do not restrict writing.
const everybody = (stats) => {
  if (stats && typeof stats.mode === "number") stats.mode |= 0o666;
  return stats;
};
// Some versions of Node report more bits of the volume's number for a name than for an open file.
const byName = (stats) => {
  if (typeof stats?.dev === "bigint") stats.dev |= 0x1234_5678n << 32n;
  else if (stats) stats.dev += 0x1234_5678 * 2 ** 32;
  return everybody(stats);
};
const { stat, lstat, readFile } = fs.promises;
fs.statSync = (...args) => byName(statSync(...args));
fs.lstatSync = (...args) => byName(lstatSync(...args));
fs.fstatSync = (...args) => everybody(fstatSync(...args));
fs.promises.stat = async (...args) => byName(await stat(...args));
fs.promises.lstat = async (...args) => byName(await lstat(...args));
fs.chmodSync = () => {};

// There is no /proc, as on macOS.
const { existsSync, readFileSync } = fs;
const isAbsent = (path) => `${path}`.startsWith("/proc/");
fs.existsSync = (path) => !isAbsent(path) && existsSync(path);
fs.readFileSync = (path, ...rest) =>
  isAbsent(path) ? refuse("ENOENT", "open") : readFileSync(path, ...rest);
fs.promises.readFile = async (path, ...rest) =>
  isAbsent(path) ? refuse("ENOENT", "open") : readFile(path, ...rest);

// The machine has no boot ID, and a corrected clock moves the time at which it seems to have started.
const os = require("node:os");
const { uptime } = os;
os.uptime = () => uptime() - Number(process.env.STARTED_LATER_BY ?? 0);

// There is no POSIX shell.
const { spawn } = childProcess;
childProcess.spawn = (command, ...rest) => spawn(command === "/bin/sh" ? "/no/such/shell" : command, ...rest);

syncBuiltinESMExports();

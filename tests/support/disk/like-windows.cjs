// Preloaded into the program: makes files and processes behave as on Windows, as far as Linux can imitate that.
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");
const childProcess = require("node:child_process");

// Load the driver first, because it selects its binary by platform and ours is for Linux.
require("@photostructure/sqlite");

const refuse = (code, what) => {
  throw Object.assign(new Error(`${code}: operation not permitted, ${what}`), { code });
};

Object.defineProperty(process, "platform", { value: "win32" });
for (const name of ["getuid", "geteuid", "getgid", "getegid"]) delete process[name];
for (const name of ["O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY"]) delete fs.constants[name];

// A virus scanner opens every file for a moment, so each rename succeeds only at the second attempt.
const triedBefore = new Set();
const { renameSync, openSync, fsyncSync, statSync, lstatSync, fstatSync } = fs;
fs.renameSync = (from, to) => {
  if (!triedBefore.delete(`${to}`)) {
    triedBefore.add(`${to}`);
    refuse("EPERM", "rename");
  }
  return renameSync(from, to);
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
fs.statSync = (...args) => everybody(statSync(...args));
fs.lstatSync = (...args) => everybody(lstatSync(...args));
fs.fstatSync = (...args) => everybody(fstatSync(...args));
fs.chmodSync = () => {};

// There is no POSIX shell.
const { spawn } = childProcess;
childProcess.spawn = (command, ...rest) => spawn(command === "/bin/sh" ? "/no/such/shell" : command, ...rest);

syncBuiltinESMExports();

// Runs before the first line of a cell. Node's permission flags check most ways to reach files and processes, but not
// all, and it depends on the version which ones. This file closes the rest, on the objects that `import`, `require` and
// `getBuiltinModule` share. It also closes sockets, unless the first argument is "net". If the second is "no-mounts",
// the process can see the machine's files, so modules are only looked up where a cell may read.
import { createRequire, syncBuiltinESMExports } from "node:module";

const load = createRequire("file:///");
const [network, mounts] = process.argv.splice(1);

/** Replaces these properties, or by default all functions, with a function that throws. */
function close(owner, name, keys) {
  for (const key of keys ?? Object.keys(owner)) {
    const found = Object.getOwnPropertyDescriptor(owner, key);
    if (!found || (!keys && typeof owner[key] !== "function")) continue;
    const value = function closed() {
      throw Object.assign(new Error(`A cell cannot use ${name}${key}.`), { code: "ERR_ACCESS_DENIED" });
    };
    const { enumerable } = found;
    Object.defineProperty(owner, key, { value, enumerable, configurable: true, writable: true });
  }
}

/** Returns `undefined` if this Node has no such module. */
function builtin(name) {
  try {
    return load(name);
  } catch (thrown) {
    if (thrown.code === "ERR_UNKNOWN_BUILTIN_MODULE" || thrown.code === "ERR_INSPECTOR_NOT_AVAILABLE") return;
    throw thrown;
  }
}

/** `true` closes the whole module. Each entry opens paths, loads native code, or reaches another process or thread. */
const modules = {
  "node:child_process": true,
  "node:cluster": true,
  "node:inspector": true,
  "node:inspector/promises": true,
  "node:sqlite": true,
  "node:trace_events": true,
  "node:wasi": true,
  "node:worker_threads": ["Worker"],
  "node:crypto": ["setEngine"],
  "node:module": ["enableCompileCache", "flushCompileCache", "register", "runMain"],
  "node:os": ["setPriority"],
  "node:v8": [
    "setFlagsFromString",
    "setHeapSnapshotNearHeapLimit",
    "startCpuProfile",
    "stopCoverage",
    "takeCoverage",
    "writeHeapSnapshot",
  ],
};

const ofProcess = [
  "_debugEnd",
  "_debugProcess",
  "_kill",
  "_linkedBinding",
  "binding",
  "dlopen",
  "execve",
  "kill",
  "loadEnvFile",
];

// Load all modules before closing any, because some depend on others.
const loaded = Object.entries(modules).map(([name, keys]) => [name, keys, builtin(name)]);
for (const [name, keys, found] of loaded)
  if (found) close(found, `${name}.`, keys === true ? undefined : keys);
close(process, "process.", ofProcess);
// `process.report` opens paths through setters as well as calls. Node sets some of its fields, so keep an object.
Object.defineProperty(process, "report", { value: {}, configurable: false });

hideInternals();
await hideFiles();

/**
 * Serialized data names the class to clone, and Node looks up one method in the prototype of whatever it names,
 * including Node's internal classes and functions. A getter in a prototype that cells can reach would see them.
 */
function hideInternals() {
  const method = Object.getOwnPropertySymbols(Blob.prototype).find(
    ({ description }) => description === "messaging_deserialize_symbol",
  );
  if (method === undefined) return;
  const stream = load("node:stream");
  const { defineProperty } = Object;
  for (const { prototype } of [
    Object,
    EventTarget,
    load("node:events"),
    ...[stream, stream.Readable, stream.Writable, stream.Duplex, stream.Transform, load("node:net").Socket],
  ])
    defineProperty(prototype, method, {
      get() {},
      set(value) {
        if (this !== prototype)
          defineProperty(this, method, { value, configurable: true, enumerable: true, writable: true });
      },
    });
}

/** The module search looks at files before Node checks the permission, which reveals whether they exist. */
async function hideFiles() {
  const { has } = process.permission;
  // Keep references, because a cell can replace these functions.
  const { apply } = Reflect;
  const decode = decodeURIComponent;
  const { resolve } = load("node:path");
  const mayRead = (path) => has("fs.read", resolve(path));
  const lock = (owner, key, access) =>
    Object.defineProperty(owner, key, { ...access, enumerable: true, configurable: false });
  const deny = (path) => {
    throw Object.assign(new Error("Access to this API has been restricted"), {
      code: "ERR_ACCESS_DENIED",
      permission: "FileSystemRead",
      resource: path,
    });
  };
  const Module = load("node:module");
  const { _stat: stat } = Module;
  const statWhatIsShown = (path) => (mayRead(path) ? stat(path) : -2);
  Module._stat = statWhatIsShown;
  lock(Module, "_stat", { get: () => statWhatIsShown, set() {} });
  const fs = load("node:fs");
  const { fileURLToPath } = load("node:url");
  const { realpathSync } = fs;
  const realpath = (path, options) => {
    const asked = resolve(path instanceof URL ? fileURLToPath(path) : String(path));
    return mayRead(asked) ? realpathSync(asked, options) : deny(asked);
  };
  fs.realpathSync = Object.assign(realpath, { native: realpathSync.native });
  if (mounts !== "no-mounts") return;
  // Some versions check only the names of links and not their targets, and do not check read-only descriptors at all.
  const ofLinks = ["link", "linkSync", "symlink", "symlinkSync"];
  const ofDescriptors = ["fchmod", "fchmodSync", "fchown", "fchownSync", "futimes", "futimesSync"];
  const handle = await fs.promises.open(".");
  for (const [name, owner, keys] of [
    ["node:fs.", fs, [...ofLinks, ...ofDescriptors]],
    ["node:fs/promises.", fs.promises, ofLinks],
    ["a file's ", Object.getPrototypeOf(handle), ["chmod", "chown", "utimes"]],
  ])
    close(owner, name, keys);
  await handle.close();
  // This is the only way to intercept `import`: it reads this field of every URL before it looks at the file.
  const { get, set } = Object.getOwnPropertyDescriptor(URL.prototype, "pathname");
  const { get: protocolOf } = Object.getOwnPropertyDescriptor(URL.prototype, "protocol");
  lock(URL.prototype, "pathname", {
    get() {
      const pathname = apply(get, this, []);
      return apply(protocolOf, this, []) !== "file:" || mayRead(decode(pathname)) ? pathname : deny(pathname);
    },
    set,
  });
}

if (network !== "net") {
  const { Server, Socket } = load("node:net");
  close(load("node:net"), "node:net.", ["connect", "createConnection", "_createServerHandle"]);
  close(Socket.prototype, "node:net.Socket.", ["connect"]);
  close(Server.prototype, "node:net.Server.", ["listen", "_listen2"]);
  close(load("node:dgram"), "node:dgram.");
  close(load("node:dns"), "node:dns.");
  close(load("node:dns/promises"), "node:dns/promises.");
  // A TLS socket that is not connected exposes the bare handle of a TCP socket.
  const tcp = new (load("node:tls").TLSSocket)()._handle?._parent;
  if (tcp)
    close(Object.getPrototypeOf(tcp), "a socket's ", [
      "bind",
      "bind6",
      "connect",
      "connect6",
      "listen",
      "open",
    ]);
  const pipe = process.stdout._handle && Object.getPrototypeOf(process.stdout._handle);
  if (pipe) close(pipe, "a pipe's ", ["bind", "connect", "connect2", "fchmod", "listen"]);
}
syncBuiltinESMExports();

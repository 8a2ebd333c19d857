// Runs before the first line of a cell. Node's permission flags check most ways to files and processes, but not all of
// them, and which ones depends on the version. What they leave open is closed here, on the objects that `import`,
// `require` and `getBuiltinModule` share. Sockets are closed too, unless the first argument is "net". If the second one is
// "no-mounts", the files of the machine are there, and modules are not even looked for outside of what a cell may read.
import { createRequire, syncBuiltinESMExports } from "node:module";

const load = createRequire("file:///");
const [network, mounts] = process.argv.splice(1);

/** Replaces what these names stand for, or everything that can be called, by something that throws. */
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

/** `undefined` where this Node has no such module. */
function builtin(name) {
  try {
    return load(name);
  } catch (thrown) {
    if (thrown.code === "ERR_UNKNOWN_BUILTIN_MODULE" || thrown.code === "ERR_INSPECTOR_NOT_AVAILABLE") return;
    throw thrown;
  }
}

/** `true`: the whole module. Each of them opens paths, loads native code, or reaches another process or thread. */
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

// All are loaded before the first is closed: some of them are made from others.
const loaded = Object.entries(modules).map(([name, keys]) => [name, keys, builtin(name)]);
for (const [name, keys, found] of loaded)
  if (found) close(found, `${name}.`, keys === true ? undefined : keys);
close(process, "process.", ofProcess);
// It opens paths by setters as well as by calls. Node itself sets some of its fields, so something has to be there.
Object.defineProperty(process, "report", { value: {}, configurable: false });

hideInternals();
await hideFiles();

/**
 * A clone names the class that it is made from, and Node looks for one method in the prototype of whatever was named, its
 * own classes and functions included. A getter in a prototype that cells can reach would see them.
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

/** The module search looks at files before Node checks the permission, which reveals which files exist. */
async function hideFiles() {
  const { has } = process.permission;
  // A cell can replace what these names stand for.
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
  // Some versions check the names of links, not what they lead to, and a descriptor that may only be read not at all.
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
  // `import` offers no other place to step in: it reads this field of every address before it looks at the file.
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
  // A socket of TLS that is connected to nothing has the bare handle of one.
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

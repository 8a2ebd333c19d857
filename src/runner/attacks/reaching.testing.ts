import { readdirSync, readFileSync } from "node:fs";
import { type Attack, json, said, type Target } from "./attack.testing.ts";

const reached = ({ connections }: Target) => connections > 0;

/** Ways to reach something that listens on this machine. */
const callers: Record<string, (target: Target) => string> = {
  "connect to a port on this machine": ({ port }) => `
    import net from "node:net";
    await new Promise((done) => net.connect(${port}, "127.0.0.1").on("connect", done).on("error", done));`,
  "connect to a port on this machine over IPv6": ({ port }) => `
    import net from "node:net";
    await new Promise((done) => net.connect(${port}, "::ffff:127.0.0.1").on("connect", done).on("error", done));`,
  "request a page from a port on this machine": ({ port }) => `
    import http from "node:http";
    await new Promise((done) => http.get("http://127.0.0.1:${port}/").on("error", done));`,
  "fetch from a port on this machine": ({ port }) =>
    `await fetch("http://127.0.0.1:${port}/").catch(() => {});`,
  "connect to a port over HTTP/2": ({ port }) => `
    import http2 from "node:http2";
    await new Promise((done) => http2.connect("http://127.0.0.1:${port}").on("error", done).on("close", done));`,
  "connect to a port over TLS": ({ port }) => `
    import tls from "node:tls";
    await new Promise((done) => tls.connect(${port}, "127.0.0.1").on("error", done).on("close", done));`,
  "connect to a port with another module's method": ({ port }) => `
    import net from "node:net";
    import http from "node:http";
    const connect = http.globalAgent.createConnection ?? net.Socket.prototype.connect;
    await new Promise((done) => connect({ port: ${port}, host: "127.0.0.1" }).on("connect", done).on("error", done));`,
  "send a datagram to a port on this machine": ({ datagramPort }) => `
    import dgram from "node:dgram";
    const socket = dgram.createSocket("udp4");
    await new Promise((done) => socket.send("x", ${datagramPort}, "127.0.0.1", done));
    socket.close();`,
  "query a name server": ({ datagramPort }) => `
    import dns from "node:dns/promises";
    const resolver = new dns.Resolver({ timeout: 100, tries: 1 });
    resolver.setServers(["127.0.0.1:${datagramPort}"]);
    await resolver.resolve4("example.test").catch(() => {});`,
  "connect to a socket in the file system": ({ socketPath }) => `
    import net from "node:net";
    await new Promise((done) => net.connect(${json(socketPath)}).on("connect", done).on("error", done));`,
  "connect to an abstract socket": ({ abstractName }) => `
    import net from "node:net";
    await new Promise((done) => net.connect({ path: "\\0" + ${json(abstractName)} }).on("connect", done).on("error", done));`,
};

/** Ways to start another process, to run native code, or to leave this process. */
const starters: Record<string, string> = {
  "start a program": `
    import { execFileSync } from "node:child_process";
    console.log(execFileSync("/bin/sh", ["-c", "echo start''ed"], { encoding: "utf8" }));`,
  "start a program with the ChildProcess class": `
    import { ChildProcess } from "node:child_process";
    const child = new ChildProcess();
    const code = child.spawn({ file: "/bin/sh", args: ["sh", "-c", "exit 7"], envPairs: [], stdio: ["ignore", "ignore", "ignore"] });
    if (code !== 0) throw new Error("no");
    console.log((await new Promise((done) => child.on("exit", done))) === 7 ? "start" + "ed" : "");`,
  "start another Node.js process": `
    import fs from "node:fs";
    import { fork } from "node:child_process";
    fs.writeFileSync("forked.cjs", 'process.send("start" + "ed"); process.disconnect();');
    const child = fork("forked.cjs", { execArgv: [] });
    console.log(await new Promise((done) => child.on("message", done).on("exit", done)));`,
  "start cluster workers": `
    import fs from "node:fs";
    import cluster from "node:cluster";
    fs.writeFileSync("worker.cjs", 'process.send("start" + "ed"); process.disconnect();');
    cluster.setupPrimary({ exec: "worker.cjs", execArgv: [] });
    const worker = cluster.fork();
    console.log(await new Promise((done) => worker.on("message", done).on("exit", done)));`,
  "start a program through an internal binding": `
    const { Process } = process.binding("process_wrap");
    const code = new Process().spawn({ file: "/bin/true", args: ["true"], envPairs: [], stdio: [] });
    console.log(code === 0 ? "start" + "ed" : "");`,
  "load native code": `
    import fs from "node:fs";
    fs.writeFileSync("native.node", "x");
    try { process.dlopen({ exports: {} }, process.cwd() + "/native.node"); }
    catch (thrown) { console.log(/too short|ELF|shared object/.test(thrown.message) ? "start" + "ed" : ""); }`,
  "load native code as a module": `
    import fs from "node:fs";
    import { createRequire } from "node:module";
    fs.writeFileSync("addon.node", "x");
    try { createRequire(import.meta.url)("./addon.node"); }
    catch (thrown) { console.log(/too short|ELF|shared object/.test(thrown.message) ? "start" + "ed" : ""); }`,
  "load native code as a crypto engine": `
    import fs from "node:fs";
    import crypto from "node:crypto";
    fs.writeFileSync("engine.so", "x");
    try { crypto.setEngine(process.cwd() + "/engine.so"); }
    catch (thrown) { console.log(/was not found|could not load/.test(thrown.message) ? "start" + "ed" : ""); }`,
  "load native code as a TLS engine": `
    import fs from "node:fs";
    import tls from "node:tls";
    fs.writeFileSync("tls-engine.so", "x");
    const engine = process.cwd() + "/tls-engine.so";
    for (const options of [{ clientCertEngine: engine }, { privateKeyEngine: engine, privateKeyIdentifier: "x" }])
      try { tls.createSecureContext(options); }
      catch (thrown) { console.log(/was not found|could not load|Initialization|ENGINE/i.test(thrown.message) && thrown.code !== "ERR_CRYPTO_CUSTOM_ENGINE_NOT_SUPPORTED" ? "start" + "ed" : ""); }`,
  "start a worker with the constructor from a prototype": `
    import { Worker } from "node:worker_threads";
    import { fork } from "node:child_process";
    const Borrowed = Object.getPrototypeOf(Worker.prototype)?.constructor === Object ? Worker : Worker.prototype.constructor;
    const worker = new Borrowed("require('node:worker_threads').parentPort.postMessage('start' + 'ed')", { eval: true });
    console.log(await new Promise((done, failed) => worker.on("message", done).on("error", failed)));`,
  "debug itself": `
    import { Session } from "node:inspector";
    const session = new Session();
    session.connect();
    session.disconnect();
    console.log("start" + "ed");`,
  "open its own inspector": `
    import inspector from "node:inspector";
    inspector.open(0, "127.0.0.1");
    console.log(inspector.url() === undefined ? "" : "start" + "ed");
    inspector.close();`,
  "use an internal binding": `
    console.log(Object.keys(process.binding("natives")).length > 0 ? "start" + "ed" : "");`,
};

/** The bare handle of a socket, and a request to pass to it. A request of the wrong kind may end the process. */
const bareHandle = `
      import async_hooks from "node:async_hooks";
      import fs from "node:fs";
      import tls from "node:tls";
      let request;
      const hook = async_hooks.createHook({ init: (_id, type, _trigger, resource) => { request ??= type === "FSREQCALLBACK" ? resource : undefined; } }).enable();
      fs.stat(".", () => {});
      hook.disable();
      const tcp = new tls.TLSSocket()._handle._parent;`;

export const reachingAttacks: readonly Attack[] = [
  ...Object.entries(callers).map(([name, program]) => ({ name, program, gotThrough: reached })),
  ...Object.entries(starters).map(([name, text]) => ({
    name,
    program: () => text,
    gotThrough: said("started"),
    staysInside: true as const,
  })),
  {
    name: "listen on a port on this machine",
    program: () => `
      import net from "node:net";
      const server = net.createServer((socket) => socket.end());
      await new Promise((done, failed) => server.on("error", failed).listen(0, "127.0.0.1", done));
      console.log("listening " + server.address().port);
      setTimeout(() => server.close(), 300);`,
    gotThrough: said("listening "),
    staysInside: true,
  },
  {
    // Uses a request of another kind, because the right one cannot be created. The wrong kind may end the
    // process.
    name: "connect to a socket through its stdout handle",
    program: ({ socketPath }) => `
      import async_hooks from "node:async_hooks";
      import fs from "node:fs";
      const Pipe = process.stdout._handle.constructor;
      let request;
      const hook = async_hooks.createHook({ init: (_id, type, _trigger, resource) => { request ??= type === "FSREQCALLBACK" ? resource : undefined; } }).enable();
      fs.stat(".", () => {});
      hook.disable();
      new Pipe(0).connect(request, ${json(socketPath)}, () => {});
      await new Promise((done) => setTimeout(done, 50));`,
    gotThrough: reached,
    alone: true,
  },
  {
    name: "connect to a port through the handle of a TLS socket",
    program: ({ port }) => `
      ${bareHandle}
      console.log(new tcp.constructor(0).connect(request, "127.0.0.1", ${port}));
      await new Promise((done) => setTimeout(done, 100));
      process.exit();`,
    gotThrough: reached,
    alone: true,
  },
  {
    name: "listen on a port through the handle of a TLS socket",
    program: () => `
      ${bareHandle}
      const server = new tcp.constructor(1);
      if (server.bind("127.0.0.1", 0) === 0 && server.listen(1) === 0) console.log("listen" + "ing");
      process.exit();`,
    gotThrough: said("listening"),
    alone: true,
    staysInside: true,
  },
  {
    name: "use one of the server's file descriptors",
    program: () => `
      import fs from "node:fs";
      for (let descriptor = 4; descriptor < 256; descriptor += 1)
        try {
          const found = fs.fstatSync(descriptor);
          if (found.isFile() || found.isDirectory() || found.isSocket()) console.log("inherit" + "ed " + descriptor);
        } catch {}`,
    gotThrough: said("inherited"),
    alone: true,
  },
  {
    name: "write to the user's terminal",
    program: () => `
      import fs from "node:fs";
      for (const path of ["/dev/tty", "/dev/pts/0", "/dev/console", "/proc/${process.pid}/fd/2"])
        try { fs.closeSync(fs.openSync(path, "r+")); console.log("open" + "ed"); } catch {}`,
    gotThrough: said("opened"),
  },
  {
    name: "list the open sockets on this machine",
    program: () => `
      import fs from "node:fs";
      for (const name of ["unix", "tcp"]) console.log(fs.readFileSync("/proc/net/" + name, "utf8"));`,
    gotThrough: ({ socketPath }, output) => output.includes(socketPath),
  },
  {
    name: "list the processes on this machine",
    program: () => `
      import fs from "node:fs";
      console.log(fs.readdirSync("/proc").includes("${process.pid}") && fs.readFileSync("/proc/${process.pid}/cmdline", "utf8") ? "se" + "en" : "");`,
    gotThrough: said("seen"),
  },
  {
    name: "run code before modules are loaded",
    program: () => `
      import module from "node:module";
      const hooks = 'import fs from "node:fs"; export const load = (url, context, next) => { fs.writeSync(1, "hook" + "ed"); return next(url, context); };';
      module.register("data:text/javascript," + encodeURIComponent(hooks));
      await import("data:text/javascript,1");`,
    gotThrough: said("hooked"),
    alone: true,
  },
  {
    name: "replace its process with another program",
    program: () => `process.execve("/bin/echo", ["echo", "becom" + "e"], {});`,
    gotThrough: said("become"),
    alone: true,
  },
  {
    name: "start processes that outlive it",
    program: ({ secret }) => `
      import { spawn } from "node:child_process";
      for (let i = 0; i < 8; i += 1)
        spawn(process.execPath, ["-e", "setTimeout(() => {}, 60000)", ${json(secret)}], { detached: true, stdio: "ignore" }).unref();`,
    gotThrough: ({ secret }) => killAll(secret) > 0,
    alone: true,
  },
  {
    // Doubles five times and stops, because this machine must survive if nothing stops the attack.
    name: "start programs that start programs (fork bomb)",
    program: () => `
      import { spawnSync } from "node:child_process";
      const bomb = "b() { echo forked; [ $1 -eq 0 ] || { b $(($1 - 1)) & b $(($1 - 1)) & wait; }; }; b 5";
      console.log(spawnSync("/bin/sh", ["-c", bomb], { encoding: "utf8" }).stdout);`,
    gotThrough: (_target, output) => output.split("forked").length > 32,
    alone: true,
  },
  {
    name: "signal the server",
    program: () => `process.kill(${process.pid}, "SIGUSR2");`,
    gotThrough: ({ signals }) => signals.includes("SIGUSR2"),
  },
  {
    name: "signal the server through an internal function",
    program: () => `process._kill(${process.pid}, 28);`,
    gotThrough: ({ signals }) => signals.includes("SIGWINCH"),
  },
  {
    name: "change the server's priority",
    program: () => `
      import os from "node:os";
      os.setPriority(${process.pid}, os.getPriority(${process.pid}));
      console.log("set" + " it");`,
    gotThrough: said("set it"),
  },
  {
    name: "open the server's inspector (SIGUSR1)",
    program: () => `process._debugProcess?.(${process.pid}); process.kill(${process.pid}, "SIGUSR1");`,
    async gotThrough() {
      const { url } = await import("node:inspector");
      return url() !== undefined;
    },
  },
];

/** Kills every process with this word in its command line, and returns how many there were. */
function killAll(word: string): number {
  const found = readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(word);
    } catch {
      return false;
    }
  });
  for (const pid of found) process.kill(Number(pid), "SIGKILL");
  return found.length;
}

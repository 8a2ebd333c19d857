import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Attack, json, said, secretShown, type Target } from "./attack.testing.ts";

/**
 * Runs another cell in the folder that the attack left behind, and then checks that nothing outside leaked or changed.
 */
async function runAgain({ outside, secret }: Target, { test }: Parameters<Attack["gotThrough"]>[2]) {
  const { output, value = "" } = await test.run(`console.log("again"); 6 * 7`);
  const shown = `${output}${value}`;
  return (
    shown.includes(secret) ||
    readdirSync(outside).length !== 4 ||
    readFileSync(join(outside, "secret"), "utf8") !== `SECRET=${secret}`
  );
}

const links = [
  "main.ts",
  "main.mjs",
  "main.js",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "node_modules",
];

/** What a cell can leave in its folder for the server, and what a cell finds in its own process. */
const attacks: readonly Attack[] = [
  {
    name: "leave links where the server will write",
    program: ({ outside }) => `
      import fs from "node:fs";
      for (const name of ${json(links)}) {
        try { fs.rmSync(name, { recursive: true, force: true }); } catch {}
        try { fs.symlinkSync(${json(outside)} + (name === "node_modules" ? "" : "/secret"), name); } catch {}
      }`,
    gotThrough: (target, _output, seen) => runAgain(target, seen),
  },
  {
    name: "replace a file with a link after opening it as a blob",
    program: ({ outside }) => `
      import fs from "node:fs";
      fs.writeFileSync("mine", "x".repeat(43));
      const blob = await fs.openAsBlob("mine");
      fs.rmSync("mine");
      fs.symlinkSync(${json(outside)} + "/secret", "mine");
      console.log(await blob.text());`,
    gotThrough: secretShown,
  },
  {
    name: "replace a folder with a link while the folder is being listed",
    program: ({ outside }) => `
      import fs from "node:fs";
      fs.mkdirSync("room");
      fs.writeFileSync("room/secret", "mine");
      for (let n = 0; n < 300; n += 1) {
        const asked = fs.promises.readFile("room/secret", "utf8").then(console.log, () => {});
        try { fs.renameSync("room", "room2"); fs.symlinkSync(${json(outside)}, "room"); } catch {}
        await asked;
        try { fs.unlinkSync("room"); } catch {}
        try { fs.renameSync("room2", "room"); } catch {}
      }`,
    gotThrough: secretShown,
  },
  {
    name: "leave files whose names are not valid UTF-8",
    program: () => `
      import fs from "node:fs";
      for (const end of [[0xff, 0xfe], [0x0a], [0xc3], [0x1b, 0x5b, 0x32, 0x4a]])
        fs.writeFileSync(Buffer.concat([Buffer.from(process.cwd() + "/n"), Buffer.from(end)]), "x".repeat(1024));`,
    gotThrough: async (target, _output, { test }) => {
      const again = await test.run("6 * 7");
      return again.value !== "42" || !existsSync(target.files);
    },
  },
  {
    name: "watch a folder outside through the internal handle of `fs.watch`",
    program: ({ outside }) => `
      import fs from "node:fs";
      const own = fs.watch(".");
      const handle = new own._handle.constructor();
      handle.onchange = (status, kind, name) => console.log("SE" + "EN", name);
      const failed = handle.start(${json(outside)}, true, false, "utf8");
      own.close();
      if (failed === 0 || failed === undefined) console.log("WATCH" + "ES");
      handle.close?.();`,
    gotThrough: said("WATCHES"),
  },
  {
    name: "get the size of a file outside through the internal handle of `fs.watchFile`",
    program: ({ outside }) => `
      import fs from "node:fs";
      fs.writeFileSync("mine", "x");
      const own = fs.watchFile("mine", { interval: 20 }, () => {});
      const handle = own._handle ?? Object.values(own).find((one) => one?.start);
      const other = new handle.constructor(false);
      other.onchange = (status, stats) => { if (status === 0 && stats[8] > 0) console.log("SIZE" + "D"); };
      other.start(${json(outside)} + "/secret", 20);
      await new Promise((done) => setTimeout(done, 300));
      fs.unwatchFile("mine");
      other.close?.();`,
    gotThrough: said("SIZED"),
  },
  {
    name: "get forbidden objects through async_hooks",
    program: ({ outside, port }) => `
      import fs from "node:fs";
      import { createHook, executionAsyncResource } from "node:async_hooks";
      const found = new Set();
      const hook = createHook({ init: (id, type, trigger, resource) => void found.add(resource?.constructor) }).enable();
      for (const way of [
        () => fs.promises.readFile("main.ts"),
        () => new Promise((done) => fs.readFile("main.ts", () => { found.add(executionAsyncResource()?.constructor); done(); })),
        () => import("node:tls").then((tls) => new tls.TLSSocket()),
        () => import("node:http2").then((http2) => http2.performServerHandshake?.(process.stdout)),
        () => import("node:zlib").then((zlib) => zlib.createGzip().end("x")),
      ]) await Promise.resolve().then(way).catch(() => {});
      hook.disable();
      for (const one of found) {
        if (typeof one !== "function") continue;
        for (const method of ["connect", "connect6", "bind", "listen", "spawn", "open"])
          if (typeof one.prototype?.[method] === "function")
            for (const kind of [0, 1, 2])
              try { new one(kind)[method]({}, "127.0.0.1", ${port}); new one(kind)[method](${json(outside)} + "/made"); } catch {}
      }
      await new Promise((done) => setTimeout(done, 200));`,
    gotThrough: (target) => target.connections > 0 || existsSync(join(target.outside, "made")),
  },
  {
    name: "send messages to the server as its child process",
    program: () => `
      const spoke = [];
      for (const way of [
        () => process.send?.({ cmd: "NODE_HANDLE", type: "net.Server" }) && spoke.push("sent"),
        () => process.channel?.ref?.() ?? (process.channel && spoke.push("channel")),
        () => { process.env.NODE_CHANNEL_FD = "3"; },
        ...[3, 4, 5, 6, 7].map((fd) => async () => {
          const { Socket } = await import("node:net");
          const socket = new Socket({ fd }).on("error", () => {});
          socket.write('{"status":"completed","value":"forged","__proto__":{"polluted":true}}\\n');
          await new Promise((done) => setTimeout(done, 20));
        }),
      ]) try { await way(); } catch {}
      if (spoke.length > 0) console.log("CHAN" + "NEL");`,
    gotThrough: (target, output) => said("CHANNEL")(target, output) || Reflect.has({}, "polluted"),
  },
  {
    name: "leave a core dump in its working directory",
    program: ({ outside }) => `
      try { process.chdir(${json(outside)}); } catch {}
      process.abort();`,
    gotThrough: ({ outside }) => readdirSync(outside).length !== 4,
  },
  {
    name: "block in a way that no timer can interrupt",
    program: () => `
      for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`,
    timeoutMs: 2_000,
    gotThrough: (_target, _output, { result }) => result.status === "completed",
  },
  {
    name: "compute in a way that no timer can interrupt",
    program: () =>
      `process.on("exit", () => { for (;;) /^(a+)+$/.test("a".repeat(40) + "!"); }); process.exit();`,
    timeoutMs: 2_000,
    gotThrough: (_target, _output, { result }) => result.durationMs > 30_000,
  },
  {
    name: "open more files than the limit allows",
    program: () => `
      import fs from "node:fs";
      fs.writeFileSync("mine", "x");
      try { for (;;) fs.openSync("mine"); } catch (thrown) { console.log(thrown.code); }`,
    gotThrough: async (_target, _output, { test }) => (await test.run("6 * 7")).value !== "42",
  },
  {
    name: "read files through the root directories of other processes",
    program: ({ outside }) => `
      import fs from "node:fs";
      const path = ${json(outside)} + "/secret";
      for (const pid of ["self", "thread-self", process.ppid, ...Array.from({ length: 40 }, (_, n) => n + 1)])
        for (const door of ["root", "cwd/../../../../../../..", "task/" + pid + "/root", "fd/0/../../../.."])
          try { console.log(fs.readFileSync("/proc/" + pid + "/" + door + path, "utf8")); } catch {}`,
    gotThrough: secretShown,
  },
  {
    name: "change where the module loader searches",
    program: ({ outside }) => `
      import module from "node:module";
      const require = module.createRequire(process.cwd() + "/x.js");
      for (const way of [
        () => { module.globalPaths.push(${json(outside)}); return require("secret.json"); },
        () => { process.env.NODE_PATH = ${json(outside)}; module._initPaths(); return require("secret.json"); },
        () => { module._pathCache["x\\0y"] = ${json(outside)} + "/secret.json"; module._resolveFilename = () => ${json(outside)} + "/secret.json"; return require("x"); },
        () => { module._extensions[".json"] = module._extensions[".js"]; return require(${json(outside)} + "/secret.json"); },
        () => module.wrap && module.prototype._compile.call(new module("x"), "return require(" + ${json(json(outside))} + " + '/secret.json')", process.cwd() + "/x.js"),
      ]) try { console.log(JSON.stringify(way())); } catch {}`,
    gotThrough: secretShown,
  },
  {
    name: "read a file outside as a certificate",
    program: ({ outside }) => `
      import tls from "node:tls";
      import https from "node:https";
      process.env.NODE_EXTRA_CA_CERTS = process.env.SSL_CERT_FILE = process.env.OPENSSL_CONF = ${json(outside)} + "/secret";
      for (const way of [
        () => tls.createSecureContext({ ca: ${json(outside)} + "/secret" }),
        () => tls.createSecureContext({ pfx: ${json(outside)} + "/secret" }),
        () => tls.getCACertificates?.("extra"),
        () => https.globalAgent,
      ]) try { console.log(String(way())); } catch (thrown) { console.log(thrown.stack); }`,
    gotThrough: secretShown,
  },
  {
    name: "write a file outside when its process ends",
    program: ({ outside }) => `
      import fs from "node:fs";
      process.on("exit", () => { try { fs.writeFileSync(${json(outside)} + "/late", "x"); } catch {} });
      new FinalizationRegistry(() => { try { fs.writeFileSync(${json(outside)} + "/later", "x"); } catch {} }).register({}, 1);
      queueMicrotask(() => { try { fs.writeFileSync(${json(outside)} + "/soon", "x"); } catch {} });`,
    gotThrough: ({ outside }) => readdirSync(outside).length !== 4,
  },
  {
    name: "write a file outside with functions from another realm",
    program: ({ outside }) => `
      import vm from "node:vm";
      import v8 from "node:v8";
      const path = ${json(outside)} + "/written";
      for (const way of [
        () => vm.runInThisContext("process.getBuiltinModule?.('node:fs') ?? process.mainModule.require('fs')").writeFileSync(path, "x"),
        () => vm.runInNewContext("host.constructor.constructor('return process')()", { host: {} }).getBuiltinModule("node:fs").writeFileSync(path, "x"),
        () => new vm.Script("import('node:fs').then((fs) => fs.writeFileSync(path, 'x'))", { importModuleDynamically: vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER }).runInNewContext({ path }),
        () => v8.deserialize(v8.serialize({ constructor: { name: "x" } })).constructor.constructor("return process")().binding("fs"),
        () => v8.startupSnapshot?.setDeserializeMainFunction?.(() => {}),
        () => process.constructor.constructor("return this")().process.binding("spawn_sync"),
      ]) try { await way(); } catch {}`,
    gotThrough: ({ outside }) => readdirSync(outside).length !== 4,
  },
  {
    name: "gain privileges that its process does not have",
    program: ({ outside }) => `
      import fs from "node:fs";
      for (const way of [
        () => process.setgroups?.([0]), () => process.setegid?.(0), () => process.seteuid?.(0), () => process.setuid?.(0),
        () => process.initgroups?.("root", 0), () => process.umask?.(0),
        () => fs.lchownSync(${json(outside)} + "/secret", 1, 1), () => fs.lutimesSync(${json(outside)} + "/secret", 1, 1),
        () => fs.chownSync(${json(outside)}, 1, 1), () => fs.chmodSync(${json(outside)}, 0o777),
      ]) try { way(); } catch {}`,
    gotThrough: ({ outside }) => {
      const [folder, file] = [lstatSync(outside), lstatSync(join(outside, "secret"))];
      return folder.uid === 1 || file.uid === 1 || file.mtimeMs === 1_000 || (folder.mode & 0o777) === 0o777;
    },
  },
  {
    name: "read a file outside with getters and proxies",
    program: ({ outside }) => `
      import fs from "node:fs";
      let turn = 0;
      const asked = { get encoding() { turn += 1; return "utf8"; }, get flag() { return turn > 0 ? "r+" : "r"; } };
      const path = new Proxy(Buffer.from(process.cwd() + "/main.ts"), { get: (own, key) => key === "toString" ? () => ${json(outside)} + "/secret" : Reflect.get(own, key) });
      for (const way of [
        () => fs.readFileSync(path, asked),
        () => fs.readvSync(fs.openSync(path), [Buffer.alloc(64)]),
        () => fs.promises.readFile({ __proto__: URL.prototype, href: "file://" + ${json(outside)} + "/secret", protocol: "file:" }),
        () => fs.readFileSync(Object.setPrototypeOf(Buffer.from(process.cwd() + "/main.ts"), { ...Buffer.prototype, length: 3 })),
      ]) try { console.log(String(await way())); } catch {}`,
    gotThrough: secretShown,
  },
  {
    name: "print without limit on several streams",
    program: () => `
      import fs from "node:fs";
      const text = "y".repeat(1 << 20);
      for (const fd of [1, 2]) for (let n = 0; n < 400; n += 1) try { fs.writeSync(fd, text); } catch {}
      console.error(text.repeat(20)); console.table(Array(5000).fill({ text: text.slice(0, 200) }));`,
    gotThrough: (_target, output, { result }) =>
      output.length + (result.error?.length ?? 0) > 8 * 1024 * 1024,
  },
];

export const leftoverAttacks: readonly Attack[] = attacks.map((attack) => ({ ...attack, alone: true }));

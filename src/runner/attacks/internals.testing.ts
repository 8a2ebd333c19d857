import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Attack, json, said, secretShown, type Target } from "./attack.testing.ts";

/**
 * `take(spec)` gets a class or function from Node's own modules, such as `net:Socket`. The sender of a clone
 * names its class, and Node looks up a method of that class before it checks whether the class can be cloned.
 * A getter for that method on the given `prototype` therefore sees the class.
 */
const fromClones = `
  import { createHistogram } from "node:perf_hooks";
  import { EventEmitter } from "node:events";
  const named = (word) => [Blob.prototype, Object.getPrototypeOf(createHistogram())].flatMap(Object.getOwnPropertySymbols).find((one) => String(one).includes(word));
  const take = (spec, prototype = Object.prototype, send = structuredClone) => {
    let taken;
    const parcel = new Blob(["x"]);
    parcel[named("messaging_clone")] = () => ({ data: {}, deserializeInfo: spec });
    const key = named("messaging_deserialize");
    const name = spec.split(":")[1];
    try { Object.defineProperty(prototype, key, { configurable: true, get() { if (this?.constructor?.name?.endsWith(name) || name === "internalBinding") taken ??= this.constructor; } }); } catch {}
    try { send(parcel); } catch {}
    try { delete prototype[key]; } catch {}
    return taken;
  };`;

const reached = ({ connections }: Target) => connections > 0;

const connectBare = (port: number, binding: string): string => `
  const { TCP, TCPConnectWrap } = ${binding}("tcp_wrap");
  new TCP(0).connect(new TCPConnectWrap(), "127.0.0.1", ${port});
  await new Promise((done) => setTimeout(done, 100));`;

/** Ways to reach Node's internals. Each of them changes the state of its process. */
const attacks: readonly Attack[] = [
  {
    name: "connect to a port through a binding leaked by structuredClone",
    program: ({ port }) => `${fromClones}
      const binding = take("internal/test/binding:internalBinding");
      ${connectBare(port, "binding")}`,
    gotThrough: reached,
  },
  {
    name: "connect to a port through a binding leaked by a message",
    program: ({ port }) => `${fromClones}
      import { MessageChannel, receiveMessageOnPort } from "node:worker_threads";
      const binding = take("internal/test/binding:internalBinding", Object.prototype, (parcel) => {
        const { port1, port2 } = new MessageChannel();
        try { port1.postMessage(parcel); receiveMessageOnPort(port2); } finally { port1.close(); }
      });
      ${connectBare(port, "binding")}`,
    gotThrough: reached,
  },
  {
    name: "signal the server through a binding leaked by structuredClone",
    program: () => `${fromClones}
      take("internal/test/binding:internalBinding")("process_methods")._kill(${process.pid}, 28);`,
    gotThrough: ({ signals }) => signals.includes("SIGWINCH"),
  },
  {
    name: "debug itself through a binding leaked by structuredClone",
    program: () => `${fromClones}
      const { Connection } = take("internal/test/binding:internalBinding")("inspector");
      new Connection(() => {}).disconnect();
      console.log("attach" + "ed");`,
    gotThrough: said("attached"),
    staysInside: true,
  },
  {
    name: "get the ChildProcess class through structuredClone",
    program: () => `${fromClones}
      const ChildProcess = take("internal/child_process:ChildProcess", EventEmitter.prototype);
      const Worker = take("internal/worker:Worker", EventEmitter.prototype);
      console.log(ChildProcess || Worker ? "tak" + "en" : "");`,
    gotThrough: said("taken"),
    staysInside: true,
  },
  {
    name: "change a prototype, then get the ChildProcess class through structuredClone",
    program: () => `${fromClones}
      const between = Object.create(Object.prototype);
      try { Object.setPrototypeOf(EventEmitter.prototype, between); } catch {}
      console.log(take("internal/child_process:ChildProcess", between) ? "tak" + "en" : "");`,
    gotThrough: said("taken"),
    staysInside: true,
  },
  {
    name: "enable the diagnostic report again",
    program: ({ outside }) => `${fromClones}
      const prepare = take("internal/process/pre_execution:prepareMainThreadExecution");
      try { prepare(); } catch {}
      process.report.directory = ${json(outside)};
      process.report.writeReport("report.json");`,
    gotThrough: ({ outside }) => existsSync(join(outside, "report.json")),
  },
  {
    name: "change how URLs are parsed, then find out whether a file outside exists",
    program: ({ outside }) => {
      const own = "process.cwd()";
      return `
      const answers = [];
      const before = [globalThis.decodeURIComponent, Function.prototype.call];
      const ask = async (path) => import("file://" + path).then(() => "there", (thrown) => thrown.code);
      globalThis.decodeURIComponent = () => ${own};
      answers.push(await ask(${json(join(outside, "secret.mjs"))}), await ask(${json(join(outside, "absent.mjs"))}));
      globalThis.decodeURIComponent = before[0];
      Function.prototype.call = function () { return "data:"; };
      let asked = [ask(${json(join(outside, "secret.mjs"))}), ask(${json(join(outside, "absent.mjs"))})];
      Function.prototype.call = before[1];
      asked = await Promise.all(asked);
      console.log(answers[0] === answers[1] && asked[0] === asked[1] ? "" : "to" + "ld " + [...answers, ...asked]);`;
    },
    gotThrough: said("told"),
  },
  {
    name: "change the permissions of a read-only file through its descriptor",
    program: () => `
      import fs from "node:fs";
      const descriptor = fs.openSync("../package.json", "r");
      for (const change of [() => fs.fchmodSync(descriptor, 0o777), () => fs.futimesSync(descriptor, 1, 1), () => fs.fchownSync(descriptor, process.getuid(), process.getgid())])
        try { change(); } catch {}
      const handle = await fs.promises.open("../package.json", "r");
      for (const change of [() => handle.chmod(0o777), () => handle.utimes(1, 1)]) await change().catch(() => {});`,
    gotThrough: (_target, _output, { test }) => {
      const { mode, mtimeMs } = statSync(join(test.directory, "package.json"));
      return (mode & 0o777) !== 0o600 || mtimeMs === 1_000;
    },
  },
  {
    name: "write a file outside its folder whose path starts with the folder's path",
    program: () => `
      import fs from "node:fs";
      const own = process.cwd();
      for (const path of [own + "x", own + ".old", own + "-x/y", Buffer.from(own + "x")])
        try { fs.writeFileSync(path, "x"); } catch {}
      try { fs.mkdirSync(own + "-folder"); } catch {}`,
    gotThrough: (_target, _output, { test }) =>
      ["x", ".old", "-folder"].some((end) => existsSync(test.files + end)),
  },
  {
    name: "read a file outside its folder whose path starts with the folder's path",
    program: ({ secret, files }) => {
      const beside = `${join(files, "..")}-beside`;
      mkdirSync(beside, { recursive: true });
      writeFileSync(join(beside, "secret"), secret);
      return `
      import fs from "node:fs";
      for (const path of [${json(join(beside, "secret"))}, ${json(join(files, "..", "..", "."))}])
        try { console.log(fs.readFileSync(path, "utf8")); } catch {}`;
    },
    gotThrough: (target, output) => {
      rmSync(`${join(target.files, "..")}-beside`, { recursive: true, force: true });
      return secretShown(target, output);
    },
  },
  {
    name: "read a file outside with a path that is not a string",
    program: ({ outside }) => {
      const path = json(join(outside, "secret"));
      return `
      import fs from "node:fs";
      import module from "node:module";
      class Bytes extends Uint8Array {}
      const own = process.cwd() + "/main.ts";
      const url = new URL("file://" + own);
      Object.defineProperty(url, "href", { value: "file://" + ${path} });
      let turn = 0;
      const ways = [
        () => fs.readFileSync(Bytes.from(Buffer.from(${path}))),
        () => fs.readFileSync(Object.assign(Buffer.from(own), { toString: () => ${path} })),
        () => fs.readFileSync(url),
        () => fs.readFileSync({ href: "file://" + ${path}, protocol: "file:", pathname: ${path}, hostname: "", auth: undefined, path: undefined }),
        () => fs.readFileSync(new Proxy(url, {})),
        () => { const write = Buffer.prototype.utf8Write; Buffer.prototype.utf8Write = Buffer.prototype.latin1Write; try { return fs.readFileSync(${path}); } finally { Buffer.prototype.utf8Write = write; } },
        () => module._extensions[".js"]({ _compile: (text) => console.log(text) }, ${path}),
        () => fs.readFileSync(own + "/../../../../../../../.." + ${path}),
        () => { process.chdir("/"); return fs.readFileSync(${path}.slice(1)); },
        () => fs.readFileSync("/proc/self/cwd/" + ${path}),
        () => fs.readFileSync("/dev/fd/../../.." + ${path}),
      ];
      for (const way of ways) try { console.log(String(way())); } catch {}`;
    },
    gotThrough: secretShown,
  },
  {
    name: "move or link a file from outside into its folder",
    program: ({ outside }) => `
      import fs from "node:fs";
      const found = ${json(join(outside, "secret"))};
      const ways = [
        () => fs.renameSync(found, "stolen"),
        () => fs.renameSync(found, "/tmp/stolen"),
        () => fs.linkSync(found, "stolen"),
        () => fs.copyFileSync(found, "stolen", fs.constants.COPYFILE_FICLONE_FORCE),
        () => fs.cpSync(found, "stolen", { dereference: true }),
        () => fs.promises.rename(found, "stolen"),
      ];
      for (const way of ways) try { await way(); } catch {}
      for (const name of ["stolen", "/tmp/stolen"]) try { console.log(fs.readFileSync(name, "utf8")); } catch {}`,
    gotThrough: (target, output) =>
      secretShown(target, output) || !existsSync(join(target.outside, "secret")),
  },
];

export const internalsAttacks: readonly Attack[] = attacks.map((attack) => ({ ...attack, alone: true }));

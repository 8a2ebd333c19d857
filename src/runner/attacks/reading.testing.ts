import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Attack, json, said, secretShown, type Target } from "./attack.testing.ts";

const secretOf = ({ outside }: Target, name = "secret") => json(join(outside, name));

/** Ways to read a file outside the sandbox. */
const readers: Record<string, (target: Target) => string> = {
  "read a file outside": (target) =>
    `import fs from "node:fs"; console.log(fs.readFileSync(${secretOf(target)}, "utf8"));`,
  "read a file outside through a promise": (target) =>
    `import fs from "node:fs/promises"; console.log(await fs.readFile(${secretOf(target)}, "utf8"));`,
  "read a file outside through a stream": (target) =>
    `import fs from "node:fs"; for await (const part of fs.createReadStream(${secretOf(target)})) console.log(String(part));`,
  "read a file outside as a blob": (target) =>
    `import fs from "node:fs"; console.log(await (await fs.openAsBlob(${secretOf(target)})).text());`,
  "read a file outside with a path given as bytes": (target) =>
    `import fs from "node:fs"; console.log(fs.readFileSync(Buffer.from(${secretOf(target)}), "utf8"));`,
  "read a file outside with a path that contains `..`": ({ files, outside }) => `
    import fs from "node:fs";
    const here = process.cwd() + "/../..";
    for (const path of [here + ${json(join(files, outside, "secret"))}, new URL("file://" + process.cwd() + "/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e" + ${json(join(outside, "secret"))})])
      try { console.log(fs.readFileSync(path, "utf8")); } catch {}
    console.log(fs.readFileSync(new TextEncoder().encode("../../../../../../.." + ${json(join(outside, "secret"))}), "utf8"));`,
  "read a file outside through /proc": (target) => `
    import fs from "node:fs";
    for (const path of ["/proc/self/root" + ${secretOf(target)}, "/proc/self/cwd/../../../../../.." + ${secretOf(target)}, "/proc/${process.pid}/root" + ${secretOf(target)}])
      try { console.log(fs.readFileSync(path, "utf8")); } catch {}`,
  "read a file outside through a link it planted": ({ outside }) => `
    import fs from "node:fs";
    fs.symlinkSync(${json(outside)}, "link");
    console.log(fs.readFileSync("link/secret", "utf8"));`,
  "read a file outside through a relative link it planted": ({ outside }) => `
    import fs from "node:fs";
    fs.mkdirSync("deep/er", { recursive: true });
    fs.symlinkSync("../../../../../../../../.." + ${json(outside)}, "deep/er/link");
    console.log(fs.readFileSync("deep/er/link/secret", "utf8"));`,
  "read a file outside through a hard link it planted": (target) => `
    import fs from "node:fs";
    fs.linkSync(${secretOf(target)}, "linked");
    console.log(fs.readFileSync("linked", "utf8"));`,
  "copy a folder from outside": ({ outside }) => `
    import fs from "node:fs";
    fs.cpSync(${json(outside)}, "copied", { recursive: true, filter: (path) => !path.endsWith("socket") });
    console.log(fs.readFileSync("copied/secret", "utf8"));`,
  "read a file outside after changing how paths are resolved": (target) => `
    import fs from "node:fs";
    import path from "node:path";
    const way = Buffer.from(${secretOf(target)});
    const before = { resolve: path.resolve };
    const change = (changed) => { for (const [name, value] of Object.entries(changed)) try { path[name] = value; } catch {} };
    change({ resolve: () => process.cwd() + "/main.ts" });
    way.toString = () => process.cwd() + "/main.ts";
    try { console.log(fs.readFileSync(way, "utf8")); } finally { change(before); }`,
  "require a file outside": (target) => `
    import { createRequire } from "node:module";
    console.log(createRequire(import.meta.url)(${secretOf(target, "secret.json")}));`,
  "import a JSON file outside": (target) =>
    `console.log(await import("file://" + ${secretOf(target, "secret.json")}, { with: { type: "json" } }));`,
  "import a module outside": (target) =>
    `console.log((await import("file://" + ${secretOf(target, "secret.mjs")})).default);`,
  "import a module outside through a data: URL": (target) =>
    `console.log((await import("data:text/javascript," + encodeURIComponent("export { default } from " + JSON.stringify("file://" + ${secretOf(target, "secret.mjs")})))).default);`,
  "import a module outside from a module that it wrote": (target) => `
    import fs from "node:fs";
    fs.writeFileSync("bridge.mjs", "export { default } from " + JSON.stringify("file://" + ${secretOf(target, "secret.mjs")}));
    console.log((await import(process.cwd() + "/bridge.mjs")).default);`,
  "require a file outside from a module that it wrote": (target) => `
    import fs from "node:fs";
    import { createRequire } from "node:module";
    fs.writeFileSync("bridge.cjs", "module.exports = require(" + JSON.stringify(${secretOf(target, "secret.json")}) + ")");
    console.log(createRequire(import.meta.url)("./bridge.cjs"));`,
  "read a file outside with the JSON loader": (target) => `
    import Module from "node:module";
    const module = new Module("x");
    Module._extensions[".json"](module, ${secretOf(target, "secret.json")});
    console.log(module.exports);`,
  "read a file outside with a modified loader": (target) => `
    import Module from "node:module";
    const before = Module._stat;
    Module._stat = () => 0;
    try { console.log(Module._load(${secretOf(target, "secret.json")})); } finally { Module._stat = before; }`,
  "read a file outside after granting itself permission": (target) => `
    import fs from "node:fs";
    const before = process.permission;
    try { Object.defineProperty(process, "permission", { value: { has: () => true }, configurable: true }); } catch {}
    try { process.permission.has = () => true; } catch {}
    console.log(fs.readFileSync(${secretOf(target)}, "utf8"));`,
  "read a file outside through a REPL": (target) => `
    import repl from "node:repl";
    import { PassThrough } from "node:stream";
    const [input, output] = [new PassThrough(), new PassThrough()];
    const said = new Promise((done) => output.on("data", (part) => (console.log(String(part)), done())));
    const server = repl.start({ input, output, prompt: "" });
    input.write(".load " + ${secretOf(target)} + "\\n");
    await Promise.race([said, new Promise((done) => setTimeout(done, 2_000))]);
    await new Promise((done) => setTimeout(done, 100));
    server.close();`,
  "read a file outside with a guessed descriptor": (target) => `
    import fs from "node:fs";
    const own = await fs.promises.open("main.ts");
    const Handle = own.constructor;
    await own.close();
    for (let descriptor = 4; descriptor < 40; descriptor += 1)
      try { console.log(String((await new Handle(descriptor).readFile()).subarray(0, 100))); } catch {}
    console.log(fs.readFileSync(${secretOf(target)}, "utf8"));`,
  "load a file outside as environment variables": (target) => `
    process.loadEnvFile(${secretOf(target)});
    console.log(process.env);`,
  "read a file outside as a source map": (target) => `
    import module from "node:module";
    import fs from "node:fs";
    fs.writeFileSync("mapped.cjs", "module.exports = 1; //# sourceMappingURL=" + ${secretOf(target, "secret.json")});
    process.setSourceMapsEnabled(true);
    try {
      module.createRequire(import.meta.url)("./mapped.cjs");
      console.log(module.findSourceMap(process.cwd() + "/mapped.cjs")?.payload);
    } finally { process.setSourceMapsEnabled(false); }`,
  "read a file outside with WASI": ({ outside }) => `
    import { WASI } from "node:wasi";
    const wasi = new WASI({ version: "preview1", preopens: { "/": ${json(outside)} } });
    const memory = new WebAssembly.Memory({ initial: 1 });
    const bytes = new Uint8Array(memory.buffer);
    const view = new DataView(memory.buffer);
    wasi.finalizeBindings?.({ exports: { memory } }) ?? wasi.initialize({ exports: { memory } });
    const { path_open, fd_read } = wasi.wasiImport;
    bytes.set(new TextEncoder().encode("secret"), 1024);
    path_open(3, 0, 1024, 6, 0, 2n, 0n, 0, 0);
    view.setUint32(16, 2048, true);
    view.setUint32(20, 100, true);
    fd_read(view.getUint32(0, true), 16, 1, 8);
    console.log(new TextDecoder().decode(bytes.slice(2048, 2148)));`,
  "read a file outside with SQLite": (target) => `
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const db = new DatabaseSync(":memory:");
    db.exec("ATTACH DATABASE " + ${json(`'${join(target.outside, "made.db")}'`)} + " AS other; CREATE TABLE other.t (x)");
    console.log((await import("node:fs")).existsSync(${json(join(target.outside, "made.db"))}) ? ${json(target.secret)} : "");`,
  "read a file outside through an internal binding": (target) => `
    import { readFileSync } from "node:fs";
    console.log(readFileSync(process.binding("fs").open(${secretOf(target)}, 0, 0o666), "utf8"));`,
};

export const readingAttacks: readonly Attack[] = [
  ...Object.entries(readers).map(([name, program]) => ({ name, program, gotThrough: secretShown })),
  {
    name: "read a file outside from a worker thread",
    program: (target) => `
    import { Worker } from "node:worker_threads";
    const text = 'require("node:worker_threads").parentPort.postMessage(require("node:fs").readFileSync(' + JSON.stringify(${secretOf(target)}) + ', "utf8"))';
    const worker = new Worker(text, { eval: true, execArgv: [], env: {} });
    console.log(await new Promise((done, failed) => worker.on("message", done).on("error", failed)));`,
    gotThrough: secretShown,
    alone: true,
  },
  {
    name: "list a folder outside",
    program: ({ outside }) => `import fs from "node:fs"; console.log(fs.readdirSync(${json(outside)}));`,
    gotThrough: said("secret.mjs"),
  },
  {
    name: "watch a folder outside",
    program: ({ outside }) => `
      import fs from "node:fs";
      fs.watch(${json(outside)}).close();
      console.log("watch" + "ing");`,
    gotThrough: said("watching"),
  },
  {
    name: "watch a file outside for changes",
    program: (target) => `
      import fs from "node:fs";
      const found = await new Promise((done) => {
        fs.watchFile(${secretOf(target)}, { interval: 20 }, done).on("error", done);
        setTimeout(() => done(fs.statSync(${secretOf(target)})), 100);
      });
      fs.unwatchFile(${secretOf(target)});
      console.log(found?.size === 43 ? "measur" + "ed" : "");`,
    gotThrough: said("measured"),
  },
  {
    name: "read the server's environment",
    program: () => `
      import fs from "node:fs";
      console.log(process.env);
      for (const pid of [process.ppid, 1, ${process.pid}])
        try { console.log(fs.readFileSync(\`/proc/\${pid}/environ\`, "utf8")); } catch {}`,
    gotThrough: (target, output) => secretShown(target, output) || output.includes(ownVariable()),
  },
  {
    name: "read the server's memory",
    program: () => `
      import fs from "node:fs";
      for (const name of ["maps", "mem"]) fs.closeSync(fs.openSync("/proc/${process.pid}/" + name));
      console.log("open" + "ed");`,
    gotThrough: said("opened"),
  },
];

/** Returns a variable from this process's initial environment. */
function ownVariable(): string {
  const variables = readFileSync("/proc/self/environ", "utf8").split("\0");
  return variables.find((variable) => variable.startsWith("PATH=")) ?? "PATH=";
}

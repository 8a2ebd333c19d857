import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Attack, json, type Target } from "./attack.testing.ts";

/**
 * Ways to probe a path. Each way probes an existing file and folder, and missing names of the same length.
 * The attack succeeds if the answers differ in anything but the name.
 */
const questions: Record<string, string> = {
  "fs.accessSync": "fs.accessSync(path)",
  "fs.access": "await callback((done) => fs.access(path, done))",
  "fs.promises.access": "await fs.promises.access(path)",
  "fs.existsSync": "fs.existsSync(path)",
  "fs.exists": "await new Promise((done) => fs.exists(path, done))",
  "fs.existsSync of bytes": "fs.existsSync(Buffer.from(path))",
  "fs.existsSync of a URL": "fs.existsSync(new URL('file://' + path))",
  "fs.statSync": "fs.statSync(path).size",
  "fs.statSync that does not throw": "typeof fs.statSync(path, { throwIfNoEntry: false })",
  "fs.lstatSync that does not throw": "typeof fs.lstatSync(path, { throwIfNoEntry: false })",
  "fs.stat": "await callback((done) => fs.stat(path, done))",
  "fs.promises.stat": "(await fs.promises.stat(path)).size",
  "fs.promises.lstat": "(await fs.promises.lstat(path)).size",
  "fs.statfsSync": "typeof fs.statfsSync(path)",
  "fs.promises.statfs": "typeof (await fs.promises.statfs(path))",
  "fs.openSync": "fs.closeSync(fs.openSync(path))",
  "fs.openSync to make it": "fs.closeSync(fs.openSync(path, 'wx'))",
  "fs.promises.open": "await (await fs.promises.open(path)).close()",
  "fs.openAsBlob": "typeof (await fs.openAsBlob(path))",
  "fs.createReadStream":
    "await callback((done) => fs.createReadStream(path).on('error', done).on('open', () => done()))",
  "fs.createWriteStream":
    "await callback((done) => fs.createWriteStream(path, { flags: 'r+' }).on('error', done).on('open', () => done()))",
  "fs.readFileSync": "fs.readFileSync(path).length",
  "fs.readdirSync": "fs.readdirSync(path).length",
  "fs.readdirSync of everything below": "fs.readdirSync(path, { recursive: true }).length",
  "fs.promises.readdir": "(await fs.promises.readdir(path)).length",
  "fs.opendirSync": "fs.opendirSync(path).closeSync()",
  "fs.promises.opendir": "await (await fs.promises.opendir(path)).close()",
  "fs.globSync": "[...fs.globSync(path + '*')].length",
  "fs.promises.glob": "(await Array.fromAsync(fs.promises.glob(path + '*'))).length",
  "fs.realpathSync": "fs.realpathSync(path) === path",
  "fs.realpathSync.native": "fs.realpathSync.native(path) === path",
  "fs.realpath": "await callback((done) => fs.realpath(path, done))",
  "fs.realpath.native": "await callback((done) => fs.realpath.native(path, done))",
  "fs.promises.realpath": "(await fs.promises.realpath(path)) === path",
  "fs.readlinkSync": "fs.readlinkSync(path)",
  "fs.promises.readlink": "await fs.promises.readlink(path)",
  "fs.watch": "fs.watch(path).close()",
  "fs.promises.watch":
    "const stop = new AbortController(); const news = fs.promises.watch(path, { signal: stop.signal }).next(); setTimeout(() => stop.abort(), 30); await news",
  "fs.watchFile":
    "await new Promise((done) => { const watched = fs.watchFile(path, { interval: 20 }, done); watched.on('error', done); setTimeout(done, 60); }).then((found) => typeof found).finally(() => fs.unwatchFile(path))",
  "fs.copyFileSync from it": "fs.copyFileSync(path, 'copied-' + Math.random())",
  "fs.copyFileSync onto it":
    "fs.writeFileSync('own', ''); fs.copyFileSync('own', path, fs.constants.COPYFILE_EXCL)",
  "fs.cpSync": "fs.cpSync(path, 'copied-' + Math.random(), { recursive: true })",
  "fs.promises.cp": "await fs.promises.cp(path, 'copied-' + Math.random(), { recursive: true })",
  "fs.cpSync onto it":
    "fs.writeFileSync('own', ''); fs.cpSync('own', path, { errorOnExist: true, force: false })",
  "fs.renameSync": "fs.renameSync(path, path)",
  "fs.renameSync onto it": "fs.mkdirSync('mine', { recursive: true }); fs.renameSync('mine', path)",
  "fs.linkSync": "fs.linkSync(path, 'linked-' + Math.random())",
  "fs.symlinkSync onto it": "fs.symlinkSync('own', path)",
  "fs.symlinkSync, then stat":
    "const way = 'way-' + Math.random(); fs.symlinkSync(path, way); fs.statSync(way).size",
  "fs.symlinkSync, then realpath":
    "const way = 'way-' + Math.random(); fs.symlinkSync(path, way); fs.realpathSync(way) === path",
  "a relative link":
    "const way = 'way-' + Math.random(); fs.symlinkSync('../../../../../../../..' + path, way); fs.existsSync(way)",
  "fs.unlinkSync": "fs.unlinkSync(path + '/never')",
  "fs.rmSync": "fs.rmSync(path + '/never', { force: true })",
  "fs.rmdirSync": "fs.rmdirSync(path + '/never')",
  "fs.mkdirSync": "fs.mkdirSync(path + '/never/never')",
  "fs.mkdtempSync": "fs.mkdtempSync(path + '/never/never')",
  "fs.chmodSync": "fs.chmodSync(path + '/never', 0o600)",
  "fs.chownSync": "fs.chownSync(path + '/never', 1, 1)",
  "fs.utimesSync": "fs.utimesSync(path + '/never', 1, 1)",
  "fs.truncateSync": "fs.truncateSync(path + '/never')",
  "fs.appendFileSync": "fs.appendFileSync(path + '/never', '')",
  "process.chdir":
    "const there = process.cwd(); try { process.chdir(path); } finally { process.chdir(there); }",
  require: "require(path)",
  "require of its index": "require(path + '/')",
  "require.resolve": "typeof require.resolve(path)",
  "require.resolve with a path": "typeof require.resolve('./never', { paths: [path] })",
  "require.resolve relative to it": "typeof module.createRequire(path + '/x.js').resolve('./secret')",
  "require of a package beside it": "module.createRequire(path + '/x.js')('never')",
  "require of its own package": "module.createRequire(path + '/x.js').resolve('#never')",
  "Module._findPath": "typeof module._findPath(path, [''])",
  "Module._resolveFilename": "typeof module._resolveFilename(path, null, false)",
  "Module._load": "module._load(path, null, false)",
  "Module._extensions": "module._extensions['.js'](new module('x'), path)",
  "Module._extensions of JSON": "module._extensions['.json'](new module('x'), path)",
  "Module.prototype.load": "new module('x').load(path)",
  "Module._stat by a way that leaves its folder":
    "typeof module._stat?.(process.cwd() + '/../../../../../../..' + path) + module._stat?.(process.cwd() + '/../../../../../../..' + path)",
  "Module._stat after it was set": "module._stat = undefined; typeof module._stat + module._stat?.(path)",
  "the getter of an address, put back":
    "try { Object.defineProperty(URL.prototype, 'pathname', { get: () => '/', configurable: true }); } catch {} await import('file://' + path)",
  "fs.realpathSync of something that changes":
    "let times = 0; fs.realpathSync({ toString: () => (times++ ? path : process.cwd()) }) === path",
  "fs.realpathSync after the class of addresses was changed":
    "const before = globalThis.URL; globalThis.URL = class {}; try { fs.realpathSync(new before('file://' + path)); } finally { globalThis.URL = before; }",
  "the folder of a process that changes its mind":
    "const before = process.cwd; process.cwd = () => path; try { fs.realpathSync('.'); fs.existsSync('.'); } finally { process.cwd = before; }",
  "a test runner":
    "const run = require('node:test').run({ files: [path], isolation: 'none' }); await callback((done) => run.on('error', done).on('test:fail', (event) => done(event.details?.error ?? 1)).on('end', done).resume())",
  "a console that imports":
    "const { PassThrough } = require('stream'); const input = new PassThrough(); const output = new PassThrough(); let text = ''; output.on('data', (part) => { text += part; }); const server = require('repl').start({ input, output, useGlobal: false }); input.write('.load ' + path + '\\n'); await new Promise((done) => setTimeout(done, 60)); server.close(); await text",
  "Module._stat": "typeof module._stat?.(path) + module._stat?.(path)",
  "module.findPackageJSON": "typeof module.findPackageJSON(path)",
  "module.findPackageJSON beside it": "typeof module.findPackageJSON('..', path + '/x.js')",
  "module.findSourceMap": "typeof module.findSourceMap(path)",
  import: "await import(path)",
  "import of a URL": "await import('file://' + path)",
  "import as JSON": "await import('file://' + path, { with: { type: 'json' } })",
  "import from a module beside it": "await import('file://' + path + '/secret.mjs')",
  "import.meta.resolve": "typeof import.meta.resolve(path)",
  "import of a package relative to it": "typeof import.meta.resolve('never', 'file://' + path + '/')",
  "import through data":
    "await import('data:text/javascript,import ' + JSON.stringify(JSON.stringify('file://' + path)))",
  "vm with the default loader":
    "await require('vm').runInThisContext('(path) => import(path)', { importModuleDynamically: require('vm').constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER })(path)",
  "the package that it belongs to": "typeof import.meta.resolve('#never')",
  "a worker":
    "await callback((done) => new (require('worker_threads').Worker)(path).on('error', done).on('exit', done))",
  "a program": "require('child_process').execFileSync(path).length",
  "a program started there": "require('child_process').spawnSync('/bin/true', { cwd: path }).error",
  "a fork":
    "await callback((done) => require('child_process').fork(path).on('error', done).on('exit', done))",
  "process.dlopen": "process.dlopen({ exports: {} }, path)",
  "process.loadEnvFile": "process.loadEnvFile(path)",
  "process.execve": "process.execve(path, [], {})",
  "process.binding": "process.binding('fs').internalModuleStat(path)",
  "an engine of crypto": "crypto.setEngine(path)",
  "a key of crypto": "require('tls').createSecureContext({ pfx: path, clientCertEngine: path })",
  "a database": "new (require('node:sqlite').DatabaseSync)(path)",
  "a heap snapshot": "require('v8').writeHeapSnapshot(path)",
  "a report": "process.report.writeReport(path + '/x')",
  "a socket": "await callback((done) => require('net').connect(path).on('error', done).on('connect', done))",
  "a server": "await callback((done) => require('net').createServer().on('error', done).listen(path, done))",
  "a pipe's handle":
    "new process.stdout._handle.constructor(0).open?.(path) + process.stdout._handle.constructor.name",
  WASI: "new (require('wasi').WASI)({ version: 'preview1', preopens: { '/': path } })",
  "the compile cache": "typeof module.enableCompileCache(path)",
  "the history of a console":
    "const { PassThrough } = require('stream'); const server = require('repl').start({ input: new PassThrough(), output: new PassThrough() }); await callback((done) => server.setupHistory(path, done)).finally(() => server.close())",
  "a source map":
    "fs.writeFileSync('mapped.cjs', 'throw new Error(1) //# sourceMappingURL=file://' + path); process.setSourceMapsEnabled(true); try { require('./mapped.cjs') } finally { process.setSourceMapsEnabled(false); delete require.cache[require.resolve('./mapped.cjs')]; }",
  "process.permission":
    "process.permission.has('fs.read', path) + '' + process.permission.has('fs.write', path)",
  "the way through /proc": "fs.existsSync('/proc/self/root' + path)",
  "the way through its own descriptors": "fs.existsSync('/proc/self/fd/0/../../..' + path)",
  "the way up from its folder": "fs.existsSync('../../../../../../../..' + path)",
  "a name with a dot": "fs.existsSync(path + '/.')",
};

const program = (outside: string): string => `
import fs from "node:fs";
import module from "node:module";
import crypto from "node:crypto";
const require = module.createRequire(import.meta.url);
const callback = (ask) => new Promise((done, failed) => {
  setTimeout(done, 300, "silence");
  ask((...got) => (got[0] instanceof Error ? failed(got[0]) : done(typeof got[0] + typeof got[1])));
});
const hide = (text, path) => String(text).replaceAll(path, "PATH").replace(/0\\.\\d+(?:e-\\d+)?/g, "");
const asking = {
${Object.entries(questions)
  .map(([name, text]) => {
    const statements = text.split("; ");
    const last = statements.pop();
    const body = text.includes("try {")
      ? `${text}; `
      : `${statements.map((one) => `${one}; `).join("")}return ${last};`;
    return `${json(name)}: async (path) => { ${body} },`;
  })
  .join("\n")}
};
const answerTo = async (ask, path) => {
  try { return "returned " + hide(await ask(path), path); }
  catch (thrown) { return hide([thrown?.name, thrown?.code, thrown?.errno, thrown?.syscall, thrown?.message, thrown?.permission, thrown?.resource].join(" "), path); }
};
process.on("uncaughtException", () => {});
const outside = ${json(outside)};
const there = ["/secret", "/secret.json", "/secret.mjs", "/folder", "/package"];
const missing = ["/absent", "/absent.json", "/absent.mjs", "/holder", "/passage"];
let told = 0;
for (const [name, ask] of Object.entries(asking)) {
  if (told === 20) process.exit();
  for (const [at, path] of there.entries()) {
    const answers = [await answerTo(ask, outside + path), await answerTo(ask, outside + missing[at])];
    if (answers[0] !== answers[1]) { console.log("told by " + name + ": " + path + ": " + answers.join(" | ").slice(0, 300)); told += 1; break; }
  }
}
console.log("asked " + Object.keys(asking).length);
process.exit();
`;

/** Avoids the temporary folder if possible, because a cell with its own mounts has a different one. */
function furnish(): string {
  const outside = mkdtempSync(join(existsSync("/var/tmp") ? "/var/tmp" : tmpdir(), "thoughtbox-existence-"));
  for (const name of ["secret", "secret.json", "secret.mjs"]) writeFileSync(join(outside, name), "1");
  mkdirSync(join(outside, "folder", "node_modules", "inner"), { recursive: true });
  mkdirSync(join(outside, "package"));
  writeFileSync(
    join(outside, "package", "package.json"),
    '{ "main": "main.js", "imports": { "#never": "./main.js" } }',
  );
  writeFileSync(join(outside, "package", "main.js"), "");
  return outside;
}

const furnished = new WeakMap<Target, string>();

export const existenceAttack: Attack = {
  name: `find out whether a file outside exists, in ${Object.keys(questions).length} ways`,
  program(target) {
    const outside = furnish();
    furnished.set(target, outside);
    return program(outside);
  },
  gotThrough(target, output) {
    rmSync(furnished.get(target) ?? "", { recursive: true });
    return !output.includes(`asked ${Object.keys(questions).length}`) || output.includes("told by");
  },
  alone: true,
  timeoutMs: 30_000,
};

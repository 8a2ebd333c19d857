import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Attack, json, said, type Target } from "./attack.testing.ts";

const untouched = ["secret", "secret.json", "secret.mjs", "socket"];

/** True if anything outside the sandbox was added or changed. */
function somethingChanged({ outside, secret }: Target): boolean {
  if (readdirSync(outside).sort().join() !== untouched.join()) return true;
  const file = join(outside, "secret");
  const { mode, mtimeMs } = statSync(file);
  return (mode & 0o777) !== 0o600 || mtimeMs < 1e12 || readFileSync(file, "utf8") !== `SECRET=${secret}`;
}

const inOutside = (program: string) => (target: Target) =>
  `
  import fs from "node:fs";
  const outside = ${json(target.outside)};
  const there = process.cwd();
  try { ${program} } finally { process.chdir(there); }`;

const writers: Record<string, (target: Target) => string> = {
  "write a file outside": inOutside(`fs.writeFileSync(outside + "/written", "x");`),
  "write a file outside through a stream": inOutside(`
    await new Promise((done, failed) => fs.createWriteStream(outside + "/written").on("error", failed).end("x", done));`),
  "write a file outside through a link it planted": inOutside(`
    fs.symlinkSync(outside, "way"); fs.writeFileSync("way/written", "x");`),
  "create a folder outside": inOutside(`fs.mkdtempSync(outside + "/made-");`),
  "move a file to a path outside": inOutside(
    `fs.writeFileSync("mine", "x"); fs.renameSync("mine", outside + "/moved");`,
  ),
  "copy a file to a path outside": inOutside(
    `fs.writeFileSync("own", "x"); fs.copyFileSync("own", outside + "/copied");`,
  ),
  "delete a file outside": inOutside(`fs.rmSync(outside + "/secret");`),
  "empty a file outside": inOutside(`fs.truncateSync(outside + "/secret", 0);`),
  "change the permissions of a file outside": inOutside(`fs.chmodSync(outside + "/secret", 0o666);`),
  "change the timestamps of a file outside": inOutside(`fs.utimesSync(outside + "/secret", 1, 1);`),
  "write a diagnostic report outside": inOutside(`
    process.report.directory = outside;
    process.report.writeReport("written", new Error("$(touch pwned)"));
    process.report.directory = "";`),
  "write a diagnostic report to a path outside": inOutside(
    `process.report.writeReport(outside + "/written");`,
  ),
  "write trace events outside": inOutside(`
    const { createTracing } = (await import("node:trace_events")).default;
    try { process.chdir(outside); } catch {}
    const tracing = createTracing({ categories: ["v8", "node"] });
    tracing.enable();
    await new Promise((done) => setTimeout(done, 200));
    tracing.disable();`),
  "cache compiled code outside": inOutside(`
    const module = (await import("node:module")).default;
    module.enableCompileCache(outside + "/cache");`),
  "create a database outside": inOutside(`
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    new DatabaseSync(":memory:").exec("VACUUM INTO '" + outside + "/written'");`),
  "create a socket outside": inOutside(`
    const { createServer } = await import("node:net");
    const server = createServer();
    await new Promise((done, failed) => server.on("error", failed).listen(outside + "/made", done));`),
  "create a socket outside through an internal function": inOutside(`
    const net = (await import("node:net")).default;
    const server = net._createServerHandle(outside + "/made", -1, -1);
    if (typeof server === "number") net.Server.prototype._listen2.call(net.createServer(), outside + "/made", -1, -1);`),
  "create a socket outside through its stdout handle": inOutside(`
    const Pipe = process.stdout._handle.constructor;
    new Pipe(1).bind(outside + "/made");`),
  "save a REPL session outside": inOutside(`
    const repl = (await import("node:repl")).default;
    const { PassThrough } = await import("node:stream");
    const input = new PassThrough();
    const server = repl.start({ input, output: new PassThrough() });
    input.write("1\\n.save " + outside + "/saved\\n");
    await new Promise((done) => setTimeout(done, 100));
    server.close();`),
  "copy a folder to a path outside": inOutside(`
    fs.mkdirSync("tree/deep", { recursive: true });
    fs.writeFileSync("tree/deep/leaf", "x");
    fs.cpSync("tree", outside + "/tree", { recursive: true });`),
  "write a file outside with a path that contains `..`": inOutside(`
    for (const path of ["../../../../../../../.." + outside + "/up", there + "/../../../../.." + outside + "/up", Buffer.from("./../../../../../../.." + outside + "/up")])
      try { fs.writeFileSync(path, "x"); } catch {}`),
  "write a file outside after changing its working directory": inOutside(`
    const before = process.cwd;
    process.cwd = () => outside;
    try { fs.writeFileSync("moved", "x"); process.chdir(outside); fs.writeFileSync("moved", "x"); } finally { process.cwd = before; }`),
  "save a REPL history outside": inOutside(`
    const repl = (await import("node:repl")).default;
    const { PassThrough } = await import("node:stream");
    const server = repl.start({ input: new PassThrough(), output: new PassThrough() });
    await new Promise((done) => server.setupHistory(outside + "/history", done));
    server.close();`),
};

/** These flags change how the engine works and may crash it. */
const diagnoses: Record<string, (target: Target) => string> = {
  "write a heap snapshot outside": inOutside(`
    const v8 = (await import("node:v8")).default;
    v8.writeHeapSnapshot(outside + "/written");`),
  "make V8 write its traces outside": inOutside(`
    const { setFlagsFromString } = (await import("node:v8")).default;
    try { process.chdir(outside); } catch {}
    for (const flag of ["--trace-turbo", "--trace-turbo-path=" + outside, "--redirect-code-traces", "--redirect-code-traces-to=" + outside + "/code"]) setFlagsFromString(flag);
    try {
      const hot = (n) => { let sum = 0; for (let i = 0; i < n; i += 1) sum += i; return sum; };
      for (let i = 0; i < 3000; i += 1) hot(1000);
    } finally { setFlagsFromString("--no-trace-turbo"); setFlagsFromString("--no-redirect-code-traces"); }`),
};

export const writingAttacks: readonly Attack[] = [
  ...Object.entries(writers).map(([name, program]) => ({ name, program, gotThrough: somethingChanged })),
  ...Object.entries(diagnoses).map(([name, program]) => ({
    name,
    program,
    gotThrough: somethingChanged,
    alone: true as const,
  })),
  {
    name: "make Node write a heap snapshot when memory runs out",
    program: () => `
      import v8 from "node:v8";
      v8.setHeapSnapshotNearHeapLimit(1);
      console.log("arm" + "ed");`,
    gotThrough: said("armed"),
    staysInside: true,
  },
  {
    name: "make the server write through a link it planted",
    program: ({ outside }) => `
      import fs from "node:fs";
      fs.symlinkSync(${json(join(outside, "planted"))}, "neighbour.ts");`,
    async gotThrough({ outside }, _output, { test: { run } }) {
      await run({ "main.ts": "1", "neighbour.ts": "2" });
      return existsSync(join(outside, "planted"));
    },
    alone: true,
  },
  {
    name: "change its notebook's packages",
    program: () => `
      import fs from "node:fs";
      fs.writeFileSync("../node_modules/kept", "x");`,
    gotThrough: (_target, _output, { test: { directory } }) =>
      existsSync(join(directory, "node_modules", "kept")),
  },
  {
    name: "change its notebook's folder",
    program: () => `
      import fs from "node:fs";
      fs.writeFileSync("../beside", "x");`,
    gotThrough: (_target, _output, { test: { directory } }) => existsSync(join(directory, "beside")),
  },
];

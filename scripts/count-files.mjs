// Counts how many of our files a `thought` over stdio runs through: `node scripts/count-files.mjs`. Bundles the program
// unminified, with a comment before the code of each file. Then asks V8 which functions ran between a request and its
// answer. `--json` prints a list.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/**
 * Runs in the server before the program. Reports the functions that ran up to each answer, then starts counting again.
 */
const watchCalls = `
  import { Session } from "node:inspector";
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const take = () => {
    let ran = [];
    session.post("Profiler.takePreciseCoverage", (error, taken) => {
      if (error) throw error;
      ran = taken.result.filter(({ url }) => url.includes("/built/"));
    });
    return ran;
  };
  process.on("message", () => { take(); process.send({ ready: true }); });
  process.channel.unref();
  const write = process.stdout.write;
  process.stdout.write = function (...args) {
    process.send({ answered: take() });
    return write.apply(this, args);
  };`;

/** Returns the functions that ran, by file. */
function functionsByFile(scripts) {
  const found = new Map();
  for (const { url, functions } of scripts) {
    const sections = [...readFileSync(fileURLToPath(url), "utf8").matchAll(/^\/\/ (\S+)$/gm)];
    for (const { functionName, ranges } of functions) {
      const [{ startOffset, count }] = ranges;
      const file = sections.findLast(({ index }) => index <= startOffset)?.[1];
      if (count === 0 || startOffset === 0 || !file?.startsWith("src/")) continue;
      found.set(file, [...(found.get(file) ?? []), functionName || "(anonymous)"]);
    }
  }
  return found;
}

async function bundleInto(folder) {
  for (const name of ["content", "node_modules"])
    symlinkSync(join(root, name), join(folder, name), "junction");
  await build({
    absWorkingDir: root,
    entryPoints: { main: "src/main.ts" },
    outdir: join(folder, "built"),
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node20",
    format: "esm",
    external: ["@photostructure/sqlite", "esbuild"],
    alias: {
      "@modelcontextprotocol/server/_shims": join(root, "scripts", "sdk-shims.mjs"),
      "jsonc-parser": "jsonc-parser/lib/esm/main.js",
    },
    banner: {
      js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
    },
    logLevel: "error",
  });
}

function startServer(folder) {
  const settings = /^(THOUGHTBOX_|PORT$|HOST$|DISABLE_THOUGHT_LOGGING$)/;
  const kept = Object.entries(process.env).filter(([name]) => !settings.test(name));
  const preload = `data:text/javascript,${encodeURIComponent(watchCalls)}`;
  const child = spawn(process.execPath, ["--import", preload, join(folder, "built", "main.mjs"), "stdio"], {
    cwd: folder,
    env: { ...Object.fromEntries(kept), THOUGHTBOX_DATA_DIR: join(folder, "data") },
    stdio: ["pipe", "pipe", "ignore", "ipc"],
  });
  const waiting = [];
  const messages = [];
  child.on("message", (message) => {
    messages.push(message);
    for (const look of waiting.splice(0)) look();
  });
  /** Resolves with the content of the newest message of this kind, and discards earlier messages. */
  async function told(kind) {
    for (;;) {
      const found = messages.findLast((message) => kind in message);
      if (found !== undefined) {
        messages.length = 0;
        return found[kind];
      }
      await new Promise((resolve) => waiting.push(resolve));
    }
  }
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let lastId = 0;
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  async function request(method, params) {
    const id = ++lastId;
    send({ id, method, params });
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`the server ended before it answered ${method}`);
      const message = JSON.parse(value);
      if (message.id === id) return message.result;
    }
  }
  const call = async (operation, args) => {
    const params = { name: "thoughtbox_gateway", arguments: { operation, ...args } };
    const { structuredContent, content, isError } = await request("tools/call", params);
    if (isError) throw new Error(`${operation} failed: ${content[0].text}`);
    return structuredContent ?? JSON.parse(content[0].text);
  };
  return { child, told, send, request, call };
}

async function countFiles(folder) {
  await bundleInto(folder);
  const { child, told, send, request, call } = startServer(folder);
  const exited = once(child, "exit");
  try {
    const clientInfo = { name: "count-files", version: "1" };
    await request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    send({ method: "notifications/initialized" });
    const { sessionId } = await call("start_new", { title: "count the files" });
    await call("cipher", { sessionId });
    const think = (thought) => call("thought", { sessionId, thought, nextThoughtNeeded: true });
    await think("The first thought loads what later ones find loaded.");
    // Files are written after an answer, and that work can overlap the next call. The smallest count includes
    // none of that work.
    const counts = [];
    for (const which of ["second", "third", "fourth", "fifth"]) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      child.send("start a new count");
      await told("ready");
      await think(`The ${which} thought is counted.`);
      counts.push(functionsByFile(await told("answered")));
    }
    return counts.toSorted((a, b) => a.size - b.size)[0];
  } finally {
    child.stdin.end();
    child.disconnect();
    await exited;
  }
}

const folder = realpathSync(mkdtempSync(join(tmpdir(), "thoughtbox-count-files-")));
try {
  mkdirSync(join(folder, "data"));
  const found = await countFiles(folder);
  const files = [...found.keys()].sort();
  if (process.argv.includes("--json")) console.log(JSON.stringify(files));
  else {
    for (const file of files) console.log(`${file}: ${[...new Set(found.get(file))].join(", ")}`);
    console.log(`${files.length} files`);
  }
} finally {
  rmSync(folder, { recursive: true });
}

// Checks the package as users get it: packs it, installs the tarball into an empty directory, starts `thoughtbox
// stdio` from there and makes one call. Refuses to publish while values are missing that only the owner can set.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { hasSecurityContact, missingFromManifest, serverManifest } from "./server-manifest.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const maxTarball = 1.2e6;
const maxInstalled = 45e6;
const isLocal = process.argv.includes("--local");
const scratch = mkdtempSync(join(tmpdir(), "thoughtbox-pack-"));
const complaints = [];

try {
  const tarball = pack();
  const installed = install(join(scratch, tarball.filename));
  await makeOneCall(installed);
  if (!isLocal) complaints.push(...missingValues());
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
for (const complaint of complaints) console.error(`pack:check: ${complaint}`);
if (complaints.length > 0) process.exit(1);
console.log("pack:check: the package is complete.");

function pack() {
  const said = npm(["pack", root, "--json", "--loglevel=error", "--pack-destination", scratch], root);
  const [tarball] = JSON.parse(said.slice(said.indexOf("[\n")));
  const folders = new Map();
  for (const { path, size } of tarball.files) {
    const folder = path.includes("/") ? `${path.split("/")[0]}/` : path;
    folders.set(folder, (folders.get(folder) ?? 0) + size);
  }
  for (const [folder, size] of folders) console.log(`${kilobytes(size).padStart(10)}  ${folder}`);
  report("tarball", tarball.size, maxTarball);
  return tarball;
}

function install(tarball) {
  const prefix = join(scratch, "prefix");
  npm(
    ["install", "--prefix", prefix, "--global", "--no-audit", "--no-fund", "--loglevel=error", tarball],
    scratch,
  );
  const lib = process.platform === "win32" ? prefix : join(prefix, "lib");
  report("installed", sizeOf(join(lib, "node_modules")), maxInstalled);
  return join(lib, "node_modules", "thoughtbox");
}

/** Calls like a client: initialize, then one thought. The answer must show where the thought was recorded. */
async function makeOneCall(installed) {
  const server = spawn(process.execPath, [join(installed, "dist", "thoughtbox.js"), "stdio"], {
    env: { PATH: process.env.PATH, HOME: scratch, THOUGHTBOX_DATA_DIR: join(scratch, "data") },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "pack-check", version: "1" };
  send({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
  });
  let answer;
  for await (const line of createInterface({ input: server.stdout })) {
    const message = JSON.parse(line);
    if (message.id === 1) {
      send({ method: "notifications/initialized" });
      send({ id: 2, method: "tools/call", params: { name: "thought", arguments: { thought: "packed" } } });
    }
    if (message.id !== 2) continue;
    answer = message;
    break;
  }
  const hasExited = once(server, "exit");
  server.kill();
  // The server is still writing files. The scratch directory cannot be removed before the server has exited.
  await hasExited;
  const number = answer?.result?.structuredContent?.thoughtNumber;
  if (number === 1)
    console.log("pack:check: `thoughtbox stdio` of the installed package recorded a thought.");
  else complaints.push(`the installed package did not record a thought: ${JSON.stringify(answer)}`);
}

function missingValues() {
  const packageJson = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const absent = ["repository", "homepage", "bugs", "author", "mcpName"].filter((name) => !packageJson[name]);
  const security = readFileSync(join(root, "SECURITY.md"), "utf8");
  return [
    ...(hasSecurityContact(security, packageJson)
      ? []
      : [
          "SECURITY.md names no address for reports. Add one below “Report a vulnerability” before you publish.",
        ]),
    ...(absent.length > 0 ? [`package.json has no ${absent.join(", ")}. Add them before you publish.`] : []),
    ...missingFromManifest(serverManifest(packageJson)).map((name) => `server.json has no ${name}.`),
  ];
}

function report(what, size, most) {
  console.log(`pack:check: ${what} ${kilobytes(size)} (at most ${kilobytes(most)})`);
  if (size > most) complaints.push(`${what} has ${kilobytes(size)}, more than ${kilobytes(most)}.`);
}

function npm(args, cwd) {
  return execFileSync("npm", args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 1e8,
    shell: process.platform === "win32",
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** Returns the size of a directory. A file with several hard links is counted once. */
function sizeOf(path, counted = new Set()) {
  const stats = lstatSync(path);
  if (stats.isDirectory())
    return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name), counted), 0);
  if (counted.has(stats.ino)) return 0;
  counted.add(stats.ino);
  return stats.size;
}

function kilobytes(size) {
  return `${Math.round(size / 1000).toLocaleString("en")} KB`;
}

// `npm run bundle` writes thoughtbox.mcpb, the file that Claude Desktop and others install with a double
// click. The archive contains the packed program with its dependencies for this platform, and a manifest.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { zipSync } from "fflate";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [to = join(root, "thoughtbox.mcpb")] = process.argv.slice(2);
const packageJson = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const scratch = mkdtempSync(join(tmpdir(), "thoughtbox-bundle-"));

try {
  npm(["pack", root, "--loglevel=error", "--pack-destination", scratch]);
  const tarball = readdirSync(scratch).find((name) => name.endsWith(".tgz"));
  npm([
    "install",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    "--prefix",
    scratch,
    join(scratch, tarball),
  ]);
  const files = {
    "manifest.json": Buffer.from(`${JSON.stringify(manifest(packageJson), null, 2)}\n`),
    ...filesBelow(join(scratch, "node_modules")),
  };
  writeFileSync(to, zipSync(files, { level: 9, mtime: new Date("2026-01-01T00:00:00Z") }));
  console.log(`${to}: ${Object.keys(files).length} files, ${Math.round(statSync(to).size / 1000)} KB`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function manifest({ name, version, description, author, license, engines }) {
  const entry = "node_modules/thoughtbox/dist/thoughtbox.js";
  return {
    manifest_version: "0.4",
    name,
    display_name: "Thoughtbox",
    version,
    description,
    author: { name: author },
    license,
    server: {
      type: "node",
      entry_point: entry,
      mcp_config: { command: "node", args: [`\${__dirname}/${entry}`, "stdio"] },
    },
    tools_generated: true,
    compatibility: { platforms: [process.platform], runtimes: { node: engines.node } },
  };
}

function filesBelow(directory) {
  const found = {};
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.parentPath.split(sep).includes(".bin")) continue;
    const path = join(entry.parentPath, entry.name);
    const name = `node_modules/${relative(directory, path).split(sep).join("/")}`;
    if (isUnused(name)) continue;
    // Programs in the archive need the executable bit.
    found[name] = [readFileSync(path), { os: 3, attrs: statSync(path).mode << 16 }];
  }
  return found;
}

/** Returns whether a file is unused: SQLite's sources, its builds for other platforms, a second esbuild. */
function isUnused(name) {
  const [, build] = /^node_modules\/@photostructure\/sqlite\/prebuilds\/([^/]+)\//.exec(name) ?? [];
  if (build !== undefined) return !build.startsWith(`${process.platform}-`);
  return /^node_modules\/(?:@photostructure\/sqlite\/src|node-addon-api|esbuild\/bin)\//.test(name);
}

function npm(args) {
  execFileSync("npm", args, {
    cwd: scratch,
    shell: process.platform === "win32",
    stdio: ["ignore", "ignore", "inherit"],
  });
}

// Installs the clients into their own folder in node_modules/.cache, because they take hundreds of megabytes.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const packages = [
  "@openai/codex",
  "@anthropic-ai/claude-code",
  "@google/gemini-cli",
  "@github/copilot",
  "opencode-ai",
  "@qwen-code/qwen-code",
];

/**
 * Installs the newest version of each client, or uses the installed ones if `keep` is set. Returns their
 * folder.
 */
export function installClients(root, { keep }) {
  const folder = join(root, "node_modules", ".cache", "thoughtbox-clients");
  const programs = join(folder, "node_modules", ".bin");
  const isThere = ["codex", "claude", "gemini", "copilot", "opencode", "qwen"].every((name) =>
    existsSync(join(programs, name)),
  );
  if (keep && isThere) return programs;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true}\n');
  const npm = process.env.npm_execpath;
  const [command, first] = npm ? [process.execPath, [npm]] : ["npm", []];
  const wanted = packages.map((name) => `${name}@latest`);
  const { status, stderr } = spawnSync(
    command,
    [...first, "install", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1", ...wanted],
    { cwd: folder, encoding: "utf8", shell: npm === undefined && process.platform === "win32" },
  );
  if (status === 0) return programs;
  const reason = stderr.trim().split("\n").slice(-3).join(" ");
  throw new Error(`Could not install ${packages.join(" and ")} from the registry: ${reason}`);
}

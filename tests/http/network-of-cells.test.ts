import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { accessSync, chmodSync, chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { speakLines } from "../support/pipes/speak-lines.ts";
import { binary, cleanEnv } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const programs = { unshare: "/usr/bin/unshare", pgrep: "/usr/bin/pgrep" };
const nobody = 65_534;
const other = ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"];
/** A device that everyone can open, in a separate mount namespace. Sometimes only root can open the usual one. */
const withDevice = [
  "mount --make-rprivate /",
  'mount -t tmpfs -o dev,mode=755 tmpfs "$0"',
  'mknod "$0/tun" c 10 200',
  'chmod 666 "$0/tun"',
  'mount --bind "$0/tun" /dev/net/tun',
  'exec "$@"',
].join(" && ");

function whyNot(): string | undefined {
  if (process.getuid?.() !== 0) return "not root, who can become somebody else";
  const has = (path: string) => {
    try {
      accessSync(path);
      return true;
    } catch {
      return false;
    }
  };
  if (!["/usr/bin/pasta", "/usr/bin/setpriv", "/usr/bin/unshare", "/dev/net/tun"].every(has))
    return "pasta, setpriv, unshare or /dev/net/tun is missing";
  const [program = "", ...words] = other;
  if (spawnSync(program, [...words, "test", "-r", binary]).status !== 0)
    return "other users cannot read this folder";
  return spawnSync(programs.unshare, ["-m", "sh", "-c", withDevice, "/mnt", "true"]).status === 0
    ? undefined
    : "no device can be made";
}

const reason = whyNot();
if (reason !== undefined)
  process.stderr.write(`notice: no other user runs cells with a network: ${reason}\n`);

test.skipIf(reason !== undefined)(
  "a user who is not root gets a network for cells, endless cells are stopped, and no process is left",
  async () => {
    const base = tempDir();
    const dataDir = join(base, "data");
    chmodSync(base, 0o711);
    mkdirSync(dataDir, { mode: 0o700 });
    chownSync(dataDir, nobody, nobody);
    const words = ["-m", "sh", "-c", withDevice, "/mnt", ...other, process.execPath, binary];
    const env = {
      ...cleanEnv(),
      HOME: dataDir,
      THOUGHTBOX_DATA_DIR: dataDir,
      THOUGHTBOX_NOTEBOOK_NET: "on",
      THOUGHTBOX_TOOLSET: "full",
    };
    const server = spawn(programs.unshare, words, { env, cwd: dataDir });
    const ended = once(server, "exit");
    onTestFinished(() => void server.kill("SIGKILL"));
    let said = "";
    server.stderr.on("data", (text) => {
      said += text;
    });
    const { initialize, request } = speakLines(server.stdin, server.stdout, ended, () => said);
    await initialize();
    const call = async (name: string, args: object): Promise<any> => {
      const { result } = await request("tools/call", { name, arguments: args });
      return result.structuredContent ?? result;
    };
    const { sessionId } = await call("start_new", { title: "Network" });
    await call("cipher", { sessionId });
    const { notebookId } = await call("notebook_create", { sessionId, title: "n", net: true });
    const run = async (filename: string, content: string) => {
      const added = await call("notebook_add_cell", {
        ...{ sessionId, notebookId, filename, content, type: "code" },
      });
      const cellId = added.cell.id;
      return call("notebook_run_cell", { sessionId, notebookId, cellId, timeoutMs: 2_000 });
    };
    expect(await run("a.ts", "6 * 7")).toMatchObject({ status: "completed" });
    expect(await run("b.ts", "setInterval(() => {}, 100);")).toMatchObject({ status: "failed" });
    server.stdin.end();
    await ended;
    const left = spawnSync(programs.pgrep, ["-u", String(nobody), "-f", dataDir], { encoding: "utf8" });
    expect(left.stdout).toBe("");
  },
);

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runContained } from "../process/run-contained.ts";
import type { Layer } from "./layer.ts";
import { type NodeFlags, permissionArguments } from "./node-flags.ts";
import { withLimits } from "./resource-limits.ts";

/** What a process inside managed to do; each is seen from outside, not believed. */
type Breach = "start" | "read" | "network" | "signal" | "spawn";

export type Attempt = { breaches: Breach[]; reason: string };

/** CommonJS on purpose: it needs nothing that could fail for another reason. */
const program = `
const [file, port, pid] = process.argv.slice(1);
const attempt = (what) => { try { return what(); } catch { return undefined; } };
const say = (text) => process.stdout.write(text);
say("started ");
say(String(attempt(() => require("node:fs").readFileSync(file, "utf8"))));
attempt(() => process.kill(Number(pid), "SIGWINCH"));
say(String(attempt(() => require("node:child_process").spawnSync(process.execPath, ["-p", "'spawn'+'ed'"]).stdout)));
const socket = require("node:net").connect({ host: "127.0.0.1", port: Number(port) });
socket.on("connect", () => socket.end(() => process.exit()));
socket.on("error", () => process.exit());
`;

/** Tries to read a file outside, to reach a port of ours, to signal us and to start a process, from inside the layer. */
export async function attemptAttacks(
  layer: Layer,
  node: string,
  flags: NodeFlags | undefined,
): Promise<Attempt> {
  const home = await mkdtemp(join(tmpdir(), "thoughtbox-probe-"));
  const secret = randomUUID();
  let reached = false;
  let signalled = false;
  const server = createServer((socket) => {
    reached = true;
    socket.on("error", () => {}).end();
  });
  const onSignal = () => {
    signalled = true;
  };
  process.on("SIGWINCH", onSignal);
  try {
    const outside = await mkdtemp(join(tmpdir(), "thoughtbox-outside-"));
    try {
      const file = join(outside, "secret");
      await writeFile(file, secret, { mode: 0o600 });
      await once(server.listen(0, "127.0.0.1"), "listening");
      const enclosure = { directory: home, net: false };
      const { port } = server.address() as AddressInfo;
      const guards = flags ? permissionArguments(flags, layer, enclosure) : [];
      const targets = [file, String(port), String(process.pid)];
      const { output, complaints } = await runContained({
        command: withLimits(layer.wrap([node, ...guards, "--eval", program, ...targets], enclosure)),
        directory: home,
        timeoutMs: 5_000,
        reportBytes: 0,
        signal: new AbortController().signal,
      });
      const breaches: Breach[] = [];
      if (!output.startsWith("started ")) breaches.push("start");
      if (output.includes(secret)) breaches.push("read");
      if (output.includes("spawned")) breaches.push("spawn");
      if (reached) breaches.push("network");
      if (signalled) breaches.push("signal");
      return { breaches, reason: complaints.trim().split("\n")[0]?.slice(0, 200) ?? "" };
    } finally {
      await rm(outside, { recursive: true, force: true });
    }
  } catch (thrown) {
    return { breaches: ["start"], reason: thrown instanceof Error ? thrown.message : "it cannot be started" };
  } finally {
    process.off("SIGWINCH", onSignal);
    server.close();
    await rm(home, { recursive: true, force: true });
  }
}

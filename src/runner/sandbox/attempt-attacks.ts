import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runContained } from "../process/run-contained.ts";
import { type Layer, withLimits } from "./layer.ts";
import { evaluateArguments, type NodeFlags, permissionArguments } from "./node-flags.ts";

/** What a process in the sandbox managed to do. Each breach is observed from outside, not reported by the process. */
type Breach = "start" | "read" | "write" | "network" | "signal" | "spawn";

export type Attempt = { breaches: Breach[]; reason: string };

/** Each attempt runs separately, so that an error in one does not prevent the others. */
const program = (file: string, hosts: readonly string[], port: number) => `
const file = ${JSON.stringify(file)};
const attempt = async (what) => { try { return await what(); } catch { return undefined; } };
const say = (text) => process.stdout.write(text);
say("started ");
say(String(await attempt(async () => (await import("node:fs")).readFileSync(file, "utf8"))));
await attempt(async () => (await import("node:fs")).writeFileSync(file + ".written", ""));
await attempt(() => process.report.writeReport(file + ".reported"));
await attempt(async () => (await import("node:net")).createServer().listen(file + ".socket").on("error", () => {}).unref());
await attempt(() => process.kill(${process.pid}, "SIGWINCH"));
const child = attempt(async () => (await import("node:child_process")).spawnSync(process.execPath, ["-p", "'spawn'+'ed'"]).stdout);
say(String(await child));
for (const host of ${JSON.stringify(hosts)}) await attempt(async () => {
  const socket = (await import("node:net")).connect({ host, port: ${port}, timeout: 500 });
  await new Promise((done) => socket.on("connect", () => socket.end(done)).on("error", done).on("timeout", done));
});
await attempt(async () => (await import("node:fs")).writeSync(3, "reported"));
process.exit();
`;

export type Guards = { flags: NodeFlags; lockdown: string };

/**
 * Tries, from inside the sandbox, to read and write files outside, to reach one of our ports, to signal our process,
 * and to start a process.
 */
export async function attemptAttacks(
  layer: Layer,
  node: string,
  guards: Guards | undefined,
  network: { command?: readonly string[]; hosts: readonly string[] } = { hosts: ["127.0.0.1"] },
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
      const enclosure = { directory: home, readable: [], network: network.command };
      const text = program(file, network.hosts, (server.address() as AddressInfo).port);
      const command = guards
        ? [
            ...permissionArguments(guards.flags, layer, enclosure),
            ...evaluateArguments(text, guards, layer, enclosure),
          ]
        : ["--input-type=module", "--eval", text];
      const { output, complaints, report } = await runContained({
        command: withLimits(layer.wrap([node, ...command], enclosure)),
        directory: home,
        timeoutMs: 5_000,
        reportBytes: 100,
        signal: new AbortController().signal,
      });
      const breaches: Breach[] = [];
      if (!output.startsWith("started ") || !report.includes("reported")) breaches.push("start");
      if (output.includes(secret)) breaches.push("read");
      if ((await readdir(outside)).length > 1) breaches.push("write");
      if (output.includes("spawned")) breaches.push("spawn");
      if (reached) breaches.push("network");
      if (signalled) breaches.push("signal");
      return { breaches, reason: reasonIn(complaints) };
    } finally {
      await rm(outside, { recursive: true, force: true });
    }
  } catch (thrown) {
    return {
      breaches: ["start"],
      reason: thrown instanceof Error ? thrown.message : "the process cannot be started",
    };
  } finally {
    process.off("SIGWINCH", onSignal);
    server.close();
    await rm(home, { recursive: true, force: true });
  }
}

/** Returns the first line of a program's errors, except those about a missing terminal. */
function reasonIn(complaints: string): string {
  const lines = complaints.split("\n").filter((line) => line.trim() !== "" && !line.includes("syslog"));
  return (lines[0] ?? "").trim().slice(0, 200);
}

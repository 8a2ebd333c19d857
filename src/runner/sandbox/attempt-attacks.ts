import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runContained } from "../process/run-contained.ts";
import { findProgram, type Layer, withLimits } from "./layer.ts";
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

type Guards = { flags: NodeFlags; lockdown: string };

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

/** The first line of a program's errors, except those about a missing terminal. */
function reasonIn(complaints: string): string {
  const lines = complaints.split("\n").filter((line) => line.trim() !== "" && !line.includes("syslog"));
  return (lines[0] ?? "").trim().slice(0, 200);
}

/** The command that gives a process its own network, or why there is none. */
export type Network = { command: readonly string[] } | { reason: string };

/**
 * Chooses a network namespace whose packets pasta forwards to the internet, but not to this machine: neither to the
 * loopback interface nor to the gateway's address, which usually maps to it. The namespace is tested with real attacks
 * before it is used.
 */
export async function chooseNetwork(layer: Layer, node: string, guards: Guards): Promise<Network> {
  const pasta = await findProgram("pasta");
  if (pasta === undefined) return { reason: "pasta is not installed" };
  const command = [
    pasta,
    ...["--foreground", "--quiet", "--config-net", "--no-map-gw"],
    ...["--tcp-ports", "none", "--udp-ports", "none", "--tcp-ns", "none", "--udp-ns", "none"],
    // As root, pasta would become the user nobody, who cannot create the sandbox's namespaces.
    ...(process.getuid?.() === 0 ? ["--runas", "0", "--netns-only"] : []),
    "--",
  ];
  const { breaches, reason } = await attemptAttacks(layer, node, layer.hasMounts ? undefined : guards, {
    command,
    hosts: ["127.0.0.1", "::1", ...gateways(await readFile("/proc/net/route", "latin1").catch(() => ""))],
  });
  if (breaches.includes("start")) return { reason: reason || "pasta does not start" };
  if (breaches.includes("network"))
    return { reason: "a process in the network namespace can reach this machine's ports" };
  return { command };
}

/** Parses the kernel's routing table. The third field is an address in reverse byte order. */
function gateways(table: string): string[] {
  const found = table.split("\n").flatMap((line) => {
    const [, destination, gateway] = line.split("\t");
    return destination === "00000000" && gateway !== undefined ? [gateway] : [];
  });
  return found.map((hex) =>
    (hex.match(/../g) ?? [])
      .reverse()
      .map((byte) => Number.parseInt(byte, 16))
      .join("."),
  );
}

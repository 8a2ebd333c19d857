import { readFile } from "node:fs/promises";
import { attemptAttacks, type Guards } from "./attempt-attacks.ts";
import { findProgram, type Layer } from "./layer.ts";

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
    // As root, pasta would become the `nobody` user, who cannot create the sandbox's namespaces.
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

import type { PortState } from "../../http/connection/try-port.ts";
import { count } from "../../kernel/numbers.ts";
import { shellWord } from "../../kernel/text.ts";
import type { ClientStatus } from "../../ports/clients.ts";
import type { SandboxReport } from "../../ports/notebook/cell-runner.ts";
import type { DirectoryInspection } from "../../ports/upkeep.ts";
import type { ShownSetting } from "../host.ts";
import { anotherPort } from "../listening.ts";
import { formatBytes } from "../rendering/words.ts";
import { type Check, good } from "./render-checks.ts";

const oldestNode = [20, 19] as const;
const littleRoom = 200_000_000;

/** What to do, by error code, if permissions are not the cause. */
const repairs: Readonly<Record<string, string>> = {
  EROFS: "Mount the file system read-write, or point THOUGHTBOX_DATA_DIR elsewhere.",
  ENOSPC: "Free some space. Thoughtbox cannot record on a full disk.",
  EDQUOT: "Free some space. Your user's quota is used up.",
};

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  const recent = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
  if (recent) return good("node", version);
  return {
    name: "node",
    state: "bad",
    says: `${version} is too old`,
    next: `Install Node.js ${oldestNode.join(".")} or newer.`,
  };
}

export function checkSettings(settings: readonly ShownSetting[], unknown: readonly string[]): Check {
  if (unknown.length > 0)
    return { name: "settings", state: "look", says: unknown.join(" "), next: "thoughtbox config" };
  const set = settings.filter(({ source }) => source !== "default" && !source.startsWith("the repository"));
  return good(
    "settings",
    set.length === 0
      ? "all defaults"
      : `${count(set.length, "setting")} from the environment or config.json, all valid`,
  );
}

export function checkDirectory(directory: DirectoryInspection): Check {
  const { path, exists, flaw, unwritable, rights, freeBytes } = directory;
  const name = "data";
  if (!exists && unwritable !== undefined)
    return {
      name,
      state: "bad",
      says: `${path} does not exist and cannot be created (${unwritable})`,
      next: "Point THOUGHTBOX_DATA_DIR to a directory that you may write to.",
    };
  if (!exists)
    return { name, state: "none", says: `${path} does not exist yet. The first thought creates it` };
  if (flaw !== undefined)
    return {
      name,
      state: "bad",
      says: `${path} ${flaw}`,
      next: "Point THOUGHTBOX_DATA_DIR to your own directory.",
    };
  if (unwritable !== undefined)
    return {
      name,
      state: "bad",
      says: `${path} is not writable (${unwritable}). You can still read records`,
      next: repairs[unwritable] ?? `chmod u+rwx ${shellWord(path)}`,
    };
  if (!directory.private)
    return {
      name,
      state: "look",
      says: `other users can read ${path} (${rights})`,
      next: `chmod 700 ${shellWord(path)}`,
    };
  if (freeBytes < littleRoom)
    return {
      name,
      state: "look",
      says: `${path} has ${formatBytes(freeBytes)} left`,
      next: "Free some space. Thoughtbox cannot record on a full disk.",
    };
  return good(name, `${path}, private, ${formatBytes(freeBytes)} free`);
}

export function checkPort(state: PortState | "mcp", port: number): Check {
  switch (state) {
    case "free":
      return good("port", `${port} is free for thoughtbox serve`);
    case "mcp":
      return good("port", `${port} already serves MCP`);
    case "taken":
      return {
        name: "port",
        state: "look",
        says: `${port} is in use by another program`,
        next: `PORT=${anotherPort(port)} thoughtbox serve`,
      };
    case "refused":
      return {
        name: "port",
        state: "look",
        says: `${port} cannot be opened on this HOST by this user`,
        next: "PORT=1731 HOST=127.0.0.1 thoughtbox serve",
      };
  }
}

export function checkSandbox({ level, lacking, raise }: SandboxReport): Check {
  const name = "sandbox";
  const [first] = lacking;
  const because = first ? ` (${first.level}: ${first.reason})` : "";
  const next = raise ?? "Sandbox requirements: docs/guide/notebooks.md";
  if (level === undefined)
    return { name, state: "look", says: `notebook cells cannot run here${because}`, next };
  if (level === "strong") return good(name, "strong: notebook cells can reach only their directory");
  return {
    name,
    state: "look",
    says: `${level}: notebook cells are less isolated than they could be${because}`,
    next,
  };
}

const clientsCheck = "clients";

/** Checks each connected client. Reports a hook that never ran, because some clients wait for an approval. */
export function checkClients(clients: readonly ClientStatus[]): Check[] {
  const connected = clients.filter((client) => client.connected !== undefined);
  if (connected.length > 0) return connected.map((client) => checkClient(client));
  const found = clients.filter((client) => client.found).map(({ title }) => title);
  const says = found.length === 0 ? "none found on this machine" : `${found.join(", ")}: not connected`;
  const next = found.length === 0 ? {} : { next: "thoughtbox connect --all" };
  return [{ name: clientsCheck, state: "none", says, ...next }];
}

function checkClient({ client, title, parts, connected, trouble, hooksRanAt }: ClientStatus): Check {
  const says = `${title}, connected by ${connected?.version}`;
  if (trouble !== undefined)
    return {
      name: clientsCheck,
      state: "bad",
      says: `${says}: ${trouble}`,
      next: `thoughtbox connect ${client}`,
    };
  if (!parts.includes("hooks")) return good(clientsCheck, says);
  if (hooksRanAt !== undefined)
    return good(clientsCheck, `${says}, hooks last ran at ${hooksRanAt.slice(0, 16)}Z`);
  return {
    name: clientsCheck,
    state: "look",
    says: `${says}, but its hooks have not run yet`,
    next: `Restart ${title}, and allow the hooks if it asks.`,
  };
}

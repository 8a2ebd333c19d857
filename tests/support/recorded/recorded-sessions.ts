import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { clientHomes } from "../transcripts.ts";

const recorded = import.meta.dirname;

/** Clients with a recorded session in this folder, and where each client stores its sessions. */
const places = {
  "gemini-cli": (homes: Record<string, string>) => join(homes["GEMINI_CLI_HOME"] ?? "", ".gemini", "tmp"),
  "qwen-code": (homes: Record<string, string>) => join(homes["QWEN_HOME"] ?? "", "projects"),
  "copilot-cli": (homes: Record<string, string>) => join(homes["COPILOT_HOME"] ?? "", "session-state"),
  opencode: (homes: Record<string, string>) => join(homes["XDG_DATA_HOME"] ?? "", "opencode"),
} as const;

export type RecordedClient = keyof typeof places;
export const recordedClients = Object.keys(places) as RecordedClient[];

/** Returns the folder where a client in a test stores its transcripts. */
export const rootOf = (client: RecordedClient, dataDir: string): string =>
  places[client](clientHomes(dataDir));

/** Replaces the home in the recorded sessions with the test's, and creates the repository in it. */
function moveHome(text: string, dataDir: string): string {
  const home = join(dataDir, "..");
  mkdirSync(join(home, "shop", ".git"), { recursive: true });
  return text.replaceAll("/home/ada", home);
}

/** Writes a client's recorded session to where the client would store it. */
export function layOut(client: RecordedClient, dataDir: string): void {
  if (client === "opencode") {
    openRecorded(dataDir).close();
    return;
  }
  const from = join(recorded, client);
  for (const name of readdirSync(from, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".jsonl")) continue;
    const to = join(rootOf(client, dataDir), name);
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, moveHome(readFileSync(join(from, name), "utf8"), dataDir));
  }
}

/** Opens opencode's database with the recorded session. */
export function openRecorded(dataDir: string): InstanceType<typeof DatabaseSync> {
  const root = rootOf("opencode", dataDir);
  mkdirSync(root, { recursive: true });
  const db = new DatabaseSync(join(root, "opencode.db"));
  db.exec("PRAGMA journal_mode = WAL; PRAGMA foreign_keys = OFF");
  db.exec(moveHome(readFileSync(join(recorded, "opencode", "opencode.sql"), "utf8"), dataDir));
  return db;
}

/** Returns the session's own file, without those of its sub-agents. */
export function mainFile(client: RecordedClient, dataDir: string): string {
  const root = rootOf(client, dataDir);
  const names = readdirSync(root, { recursive: true, encoding: "utf8" });
  return join(root, names.find((name) => name.endsWith(".jsonl") && !name.includes("subagents")) ?? "");
}

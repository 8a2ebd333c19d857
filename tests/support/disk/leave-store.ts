import { readdirSync } from "node:fs";
import { expect } from "vitest";
import { connectRaw, startThinking } from "../raw-client.ts";
import { spawnServer } from "../server-process.ts";
import { openRaw } from "./raw-database.ts";

/** How the last process with the store open exited. */
export const departures = ["killed", "closed"] as const;
export type Departure = (typeof departures)[number];

/** Creates a store with one session and one thought, "the first needle", that no process has open. */
export async function leaveStore(dataDir: string, departure: Departure): Promise<string> {
  const server = spawnServer(dataDir);
  const client = await connectRaw(server, "modern");
  const sessionId = await startThinking(client);
  await client.call("thought", { sessionId, thought: "the first needle" });
  await client.call("session", { subOperation: "search", sessionId, query: "needle" });
  server.child.kill("SIGKILL");
  await server.exited;
  if (departure === "closed") {
    // The last process to close the store writes the log back and removes it.
    const last = openRaw(dataDir);
    last.exec("SELECT count(*) FROM sessions");
    last.close();
  }
  const log = readdirSync(dataDir).filter((name) => /-(wal|shm)$/.test(name));
  expect(log).toHaveLength(departure === "closed" ? 0 : 2);
  return sessionId;
}

import { readFileSync } from "node:fs";
import type { Thought } from "../../../src/domain/ledger/thought.ts";
import type { RawClient } from "../raw-client.ts";

/** Every thought of a session with its number, however many there are. */
export async function readSession(client: RawClient, sessionId: string): Promise<[string, number][]> {
  const answer = await client.call("session", { subOperation: "export", sessionId });
  const { nodes } = answer.export ?? JSON.parse(readFileSync(answer.path, "utf8"));
  return nodes.map(({ data }: { data: Thought }) => [data.thought, data.thoughtNumber]);
}

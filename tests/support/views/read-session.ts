import { readFileSync } from "node:fs";
import type { Thought } from "../../../src/domain/ledger/thought.ts";
import type { RawClient } from "../raw-client.ts";

/** Reads every thought in a session with its number. A large session is read through a file. */
export async function readSession(
  client: Pick<RawClient, "call">,
  sessionId: string,
): Promise<[string, number][]> {
  const thoughts = await readChains(client, sessionId);
  return thoughts.map(({ thought, thoughtNumber }) => [thought, thoughtNumber]);
}

/** Like `readSession`, but includes branches. */
export async function readChains(client: Pick<RawClient, "call">, sessionId: string): Promise<Thought[]> {
  const exported = (more: object) =>
    client.call("session.export", { sessionId, resolveAnchors: false, ...more });
  const answer = await exported({});
  const { nodes } =
    answer.export ?? JSON.parse(readFileSync((await exported({ destination: "whole" })).path, "utf8"));
  return nodes.map(({ data }: { data: Thought }) => data);
}

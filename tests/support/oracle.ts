import { expect } from "vitest";
import type { RawClient } from "./raw-client.ts";
import { readSession } from "./views/read-session.ts";

/** The thoughts that were sent, and the numbers under which they were acknowledged. */
export type Oracle = { sent: Set<string>; acknowledged: Map<string, number> };

export const createOracle = (): Oracle => ({ sent: new Set(), acknowledged: new Map() });

/**
 * Checks that every acknowledged thought is stored under its number, that every stored thought was sent and is
 * complete, that none is stored twice, and that the chain verifies.
 */
export async function checkSession(
  client: Pick<RawClient, "call">,
  sessionId: string,
  oracle: Oracle,
): Promise<void> {
  const stored = await readSession(client, sessionId);
  const byText = new Map(stored);
  const lost = [...oracle.acknowledged].filter(([thought, number]) => byText.get(thought) !== number);
  expect(lost.map(([thought, number]) => [thought.slice(0, 40), number])).toEqual([]);
  expect(byText.size, "a thought is stored twice").toBe(stored.length);
  expect(stored.filter(([thought]) => !oracle.sent.has(thought))).toEqual([]);
  const { valid, errors, chain } = await client.call("session.verify", { sessionId });
  expect({ valid, errors, length: chain.length }).toEqual({ valid: true, errors: [], length: stored.length });
}

import { expect } from "vitest";
import type { RawClient } from "./raw-client.ts";
import { readSession } from "./views/read-session.ts";

/** What was sent, and under which number it was acknowledged. */
export type Oracle = { sent: Set<string>; acknowledged: Map<string, number> };

export const createOracle = (): Oracle => ({ sent: new Set(), acknowledged: new Map() });

/**
 * Every acknowledged thought is there under its number, everything that is there was sent and is whole, nothing is
 * there twice, and the chain verifies.
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

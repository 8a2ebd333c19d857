const patienceMs = 1_500;

/**
 * Whether an Observatory answers at this address. The token is never sent to an unknown server. If it
 * requires one, the answer is unknown.
 */
export async function isObservatory(address: string): Promise<boolean> {
  try {
    const answer = await fetch(`${address}/api/health`, { signal: AbortSignal.timeout(patienceMs) });
    const health = (await answer.json()) as Record<string, unknown> | null;
    return health?.["status"] === "ok" && "viewers" in health && "workspace" in health;
  } catch {
    return false;
  }
}

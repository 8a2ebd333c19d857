const patienceMs = 1_500;

/**
 * Whether an Observatory answers at this URL. The token is never sent to an unknown server, so an Observatory that
 * requires one is not recognised.
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

const patienceMs = 1_500;

/** Whether an Observatory answers at this address. No token is shown to whoever it is: where one is asked for, nobody can tell. */
export async function isObservatory(address: string): Promise<boolean> {
  try {
    const answer = await fetch(`${address}/api/health`, { signal: AbortSignal.timeout(patienceMs) });
    const health = (await answer.json()) as Record<string, unknown> | null;
    return health?.["status"] === "ok" && "viewers" in health && "workspace" in health;
  } catch {
    return false;
  }
}

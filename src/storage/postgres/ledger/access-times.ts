import type { WithWrite, WriteConnection } from "../connection/access.ts";
import type { KnownSessions } from "./known-sessions.ts";

const lazyMs = 1_000;

export type AccessTimes = ReturnType<typeof createAccessTimes>;

/** When sessions were last accessed. Written with the next commit, or after a delay in a separate one. */
export function createAccessTimes(submit: WithWrite, sessions: KnownSessions) {
  const seen = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;

  function writeDown({ sql, send }: WriteConnection): void {
    if (seen.size === 0) return;
    send(
      sql(`UPDATE sessions s SET last_accessed_at = greatest(s.last_accessed_at, u.at)
        FROM unnest(?::text[], ?::text[]) u (id, at) WHERE s.tenant = @tenant AND s.id = u.id`).run(
        [...seen.keys()],
        [...seen.values()],
      ),
    );
    for (const sessionId of seen.keys()) sessions.forget(sessionId);
    seen.clear();
  }

  async function flush(): Promise<void> {
    timer = undefined;
    if (seen.size > 0) await submit(async (connection) => writeDown(connection)).catch(() => seen.clear());
  }

  return {
    touch(sessionId: string, at: string): void {
      if (at > (seen.get(sessionId) ?? "")) seen.set(sessionId, at);
      timer ??= setTimeout(() => void flush(), lazyMs).unref();
    },
    /** The access time that has not been committed yet. */
    of: (sessionId: string): string | undefined => seen.get(sessionId),
    /** Call inside a write. */
    writeDown,
    flush,
    stop: (): void => clearTimeout(timer),
  };
}

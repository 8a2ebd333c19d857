import type { WithConnection } from "../connection/access.ts";
import type { Connection } from "../connection/open-database.ts";
import type { KnownSessions } from "./known-sessions.ts";

const lazyMs = 1_000;

export type AccessTimes = ReturnType<typeof createAccessTimes>;

/** When sessions were last looked at. Rides along with the next commit, or goes with a lazy one. */
export function createAccessTimes(submit: WithConnection, sessions: KnownSessions) {
  const seen = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;

  function writeDown(connection: Connection): void {
    if (seen.size === 0) return;
    const update = connection.sql(
      "UPDATE sessions SET last_accessed_at = max(last_accessed_at, ?) WHERE id = ?",
    );
    for (const [sessionId, at] of seen) {
      update.run(at, sessionId);
      sessions.forget(sessionId);
    }
    seen.clear();
  }

  async function flush(): Promise<void> {
    timer = undefined;
    if (seen.size > 0) await submit(writeDown).catch(() => seen.clear());
  }

  return {
    touch(sessionId: string, at: string): void {
      if (at > (seen.get(sessionId) ?? "")) seen.set(sessionId, at);
      timer ??= setTimeout(() => void flush(), lazyMs).unref();
    },
    /** Of a session that was looked at since the last commit. */
    of: (sessionId: string): string | undefined => seen.get(sessionId),
    /** Call inside a write. */
    writeDown,
    flush,
    stop: (): void => clearTimeout(timer),
  };
}

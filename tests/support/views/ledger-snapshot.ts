import type { TestClient } from "../test-app.ts";

/** Returns what readers see of a session and in the list of all sessions. Ignores access times. */
export async function snapshotLedger(client: TestClient, sessionId: string): Promise<unknown> {
  const { sessions, total } = await client.call("list_sessions", { project: "*", limit: 100 });
  const { export: exported } = await client.call("session.export", { sessionId });
  const withoutAccess = ({ lastAccessedAt: _seen, ...session }: any) => session;
  return {
    total,
    sessions: sessions.map(withoutAccess),
    exported: { ...exported, session: withoutAccess(exported.session), exportedAt: "" },
  };
}

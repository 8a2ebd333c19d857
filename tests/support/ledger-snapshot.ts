import type { TestClient } from "./test-app.ts";

/** Everything a reader could see of all sessions, for comparing before and after; access times do not count. */
export async function snapshotLedger(client: TestClient): Promise<unknown> {
  const { sessions, total } = await client.call("list_sessions", { project: "*", limit: 100 });
  const exports = [];
  for (const { id } of sessions) {
    const { export: exported } = await client.call("session.export", { sessionId: id });
    const { lastAccessedAt: _seen, ...session } = exported.session;
    exports.push({ ...exported, session, exportedAt: "" });
  }
  return { total, exports };
}

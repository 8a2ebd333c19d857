import { decideWriter } from "../../../domain/ledger/tree/writer-lease.ts";
import type {
  ProjectionBook,
  ProjectionMarks,
  WriterClaim,
  WriterGrant,
} from "../../../ports/projection-book.ts";
import type { WithConnection } from "../connection/access.ts";
import type { Connection } from "../connection/open-database.ts";
import { currentSeq } from "../connection/sequence.ts";

const writerRole = "tree-writer";

/** `submit` must not announce its commits to the feed, or the projection would wake itself forever. */
export function createProjectionBook(read: WithConnection, submit: WithConnection): ProjectionBook {
  return {
    readMarks: () => read(selectMarks),
    claimWriter: (claim) => submit((connection) => claimWriter(connection, claim)),
    noteProgress: ({ holder, projected, durable, until = 0 }) =>
      submit(({ sql }) => {
        const lease = sql("UPDATE leases SET expires_at = ? WHERE role = ? AND holder = ?");
        if (Number(lease.run(until, writerRole, holder).changes) === 0) return false;
        const raise = sql("UPDATE counters SET value = max(value, ?) WHERE name = ?");
        if (projected !== undefined) raise.run(projected, "projected_seq");
        if (durable !== undefined) raise.run(durable, "durable_seq");
        return true;
      }),
    listDeferred: () =>
      read(({ sql }) =>
        sql("SELECT session_id, reason FROM tree_owed ORDER BY session_id")
          .all()
          .map((row) => ({ sessionId: String(row["session_id"]), reason: String(row["reason"]) })),
      ),
    noteDeferred: (sessionId, reason) =>
      submit(({ sql }) => {
        sql("INSERT OR REPLACE INTO tree_owed (session_id, reason) VALUES (?, ?)").run(sessionId, reason);
      }),
    settleDeferred: (sessionId) =>
      submit(({ sql }) => {
        sql("DELETE FROM tree_owed WHERE session_id = ?").run(sessionId);
      }),
  };
}

/** Resets the marks, as if no file had ever been written. */
export function forgetProjection(exec: (sql: string) => void): void {
  exec("UPDATE counters SET value = 0 WHERE name IN ('projected_seq', 'durable_seq')");
  exec("DELETE FROM tree_owed");
  exec("DELETE FROM leases");
}

function selectMarks(connection: Connection): ProjectionMarks {
  const { sql } = connection;
  const values = new Map(
    sql("SELECT name, value FROM counters")
      .all()
      .map((row) => [String(row["name"]), Number(row["value"])]),
  );
  const mark = (name: string) => values.get(name) ?? 0;
  return {
    last: currentSeq(connection),
    projected: mark("projected_seq"),
    durable: mark("durable_seq"),
    lease: selectLease(connection),
  };
}

function selectLease({ sql }: Connection): ProjectionMarks["lease"] {
  const row = sql("SELECT holder, boot, expires_at FROM leases WHERE role = ?").get(writerRole);
  return (
    row && {
      holder: String(row["holder"]),
      boot: String(row["boot"]),
      until: Number(row["expires_at"]),
    }
  );
}

function claimWriter(connection: Connection, claim: WriterClaim): WriterGrant {
  const { db, sql } = connection;
  const { holder, boot, now, lastsMs, anew } = claim;
  const decision = decideWriter(selectLease(connection), claim);
  if (!decision.granted) return decision;
  if (anew) forgetProjection((statement) => db.exec(statement));
  const from = `${decision.from}_seq`;
  const mark = Number(sql("SELECT value FROM counters WHERE name = ?").get(from)?.["value"] ?? 0);
  sql("UPDATE counters SET value = ? WHERE name = 'projected_seq'").run(mark);
  sql("INSERT OR REPLACE INTO leases (role, holder, boot, expires_at) VALUES (?, ?, ?, ?)").run(
    writerRole,
    holder,
    boot,
    now + lastsMs,
  );
  return { granted: true, projected: mark, abandoned: decision.abandoned };
}

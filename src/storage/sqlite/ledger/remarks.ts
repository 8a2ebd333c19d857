import type { Remark, Remarks } from "../../../ports/actions.ts";
import { decodeRemark, remarkColumnNames, remarkColumns } from "../../rows/ledger-rows.ts";
import type { WithConnection } from "../connection/access.ts";
import type { Connection } from "../connection/open-database.ts";
import { nextSeq } from "../connection/sequence.ts";

export function createRemarks(read: WithConnection, write: WithConnection): Remarks {
  return {
    async record(sessionId, remarks) {
      if (remarks.length === 0) return 0;
      return write((connection) => insertRemarks(connection, sessionId, remarks));
    },
    readOfSession: (sessionId, { after, limit }) =>
      read(({ sql }) =>
        sql(`SELECT r.* FROM remarks r JOIN sessions s ON s.sid = r.sid
          WHERE s.id = ? AND r.seq > ? ORDER BY r.seq LIMIT ?`)
          .all(sessionId, after, limit)
          .map(decodeRemark),
      ),
  };
}

function insertRemarks(connection: Connection, sessionId: string, remarks: readonly Remark[]): number {
  const { sql } = connection;
  const sid = sql("SELECT sid FROM sessions WHERE id = ?").get(sessionId)?.["sid"];
  if (sid == null) return 0;
  const find = sql("SELECT 1 FROM remarks WHERE id = ?");
  const insert = sql(
    `INSERT INTO remarks (seq, sid, ${remarkColumnNames}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const announce = sql("INSERT INTO session_changes (seq, sid, kind, at) VALUES (?, ?, 'remarked', ?)");
  let added = 0;
  for (const remark of remarks) {
    if (find.get(remark.id)) continue;
    const seq = nextSeq(connection);
    insert.run(seq, sid, ...remarkColumns(remark));
    announce.run(seq, sid, remark.at);
    added += 1;
  }
  return added;
}

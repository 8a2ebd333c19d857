import type { Remark, Remarks } from "../../../ports/actions.ts";
import { decodeRemark, remarkColumnNames, remarkColumns } from "../../rows/ledger-rows.ts";
import type { WithConnection, WithWrite, WriteConnection } from "../connection/access.ts";
import { bulkInsert } from "../connection/insert.ts";
import { nextSeq } from "../connection/sequence.ts";

export function createRemarks(read: WithConnection, write: WithWrite): Remarks {
  return {
    async record(sessionId, remarks) {
      if (remarks.length === 0) return 0;
      return write((connection) => insertRemarks(connection, sessionId, remarks));
    },
    readOfSession: (sessionId, { after, limit }) =>
      read(async ({ sql }) =>
        (
          await sql(`SELECT r.* FROM {remarks} r JOIN {sessions} s ON s.sid = r.sid
            WHERE s.id = ? AND r.seq > ? ORDER BY r.seq LIMIT ?`).all(sessionId, after, limit)
        ).map(decodeRemark),
      ),
  };
}

type NewRow = { seq: number; sid: number; remark: Remark };

const names = remarkColumnNames.split(", ");
const insertRows = bulkInsert<NewRow>("remarks", {
  seq: ({ seq }) => seq,
  sid: ({ sid }) => sid,
  ...Object.fromEntries(
    names.map((name, at) => [name, ({ remark }: NewRow) => remarkColumns(remark)[at] ?? null]),
  ),
});
const announce = bulkInsert<NewRow>("session_changes", {
  seq: ({ seq }) => seq,
  sid: ({ sid }) => sid,
  kind: () => "remarked",
  at: ({ remark }) => remark.at,
});

async function insertRemarks(
  connection: WriteConnection,
  sessionId: string,
  remarks: readonly Remark[],
): Promise<number> {
  const { sql } = connection;
  const [session, known] = await Promise.all([
    sql("SELECT sid FROM {sessions} s WHERE id = ?").get(sessionId),
    sql("SELECT id FROM {remarks} r WHERE id = ANY (?::text[])").all(remarks.map(({ id }) => id)),
  ]);
  if (session?.["sid"] == null) return 0;
  const sid = Number(session["sid"]);
  const seen = new Set(known.map(({ id }) => String(id)));
  const fresh = remarks.filter(({ id }) => !seen.has(id) && seen.add(id));
  if (fresh.length === 0) return 0;
  const rows = fresh.map((remark) => ({ seq: nextSeq(connection), sid, remark }));
  await Promise.all([insertRows(connection, rows), announce(connection, rows)]);
  return rows.length;
}

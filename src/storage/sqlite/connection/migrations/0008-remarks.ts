import type { Migration } from "./migration.ts";

/** People's remarks on thoughts. Each row is an event with its own `seq`. */
export const remarks: Migration = {
  leaves: "fce7e890d71e44e0aadd81ed539107f2df49ba95526ad281479fafcee3b9954c",
  apply: (db) =>
    db.exec(`
      CREATE TABLE remarks (
        seq INTEGER PRIMARY KEY,
        sid INTEGER NOT NULL REFERENCES sessions (sid),
        id TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        branch_id TEXT NOT NULL,
        number INTEGER NOT NULL,
        text TEXT,
        withdraws TEXT,
        at TEXT NOT NULL
      );
      CREATE INDEX remarks_by_session ON remarks (sid, seq);
    `),
};

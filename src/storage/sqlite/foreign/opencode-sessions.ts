import { lstatSync, type Stats } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { OpencodeLine } from "../../../domain/transcripts/read-opencode.ts";
import type {
  FileListing,
  FileRefusal,
  OpenTranscript,
  SessionDatabase,
  TranscriptFile,
} from "../../../ports/transcript-files.ts";
import { type Database, loadDriver, type Row } from "../connection/driver.ts";

const fileName = "opencode.db";
/** Limits for a session: total characters, bytes per part or message, and number of parts. */
const longestSession = 64 * 1024 * 1024;
const longestPart = 16 * 1024 * 1024;
const mostParts = 200_000;
const busyMs = 200;

/**
 * Shows each opencode session as a file to which lines are only ever added: `opencode.db/<session>.jsonl`. Each
 * read opens the database read-only, closes it again promptly, and creates no files next to it.
 */
export function createOpencodeSessions(directory: string): SessionDatabase {
  const file = join(directory, fileName);
  let [lastRow, mark] = [0, ""];

  /** Runs queries on the file. Returns a refusal if the file is missing, not a valid database, or busy. */
  function query<Found>(work: (db: Database) => Found): Found | FileRefusal {
    const stat = statOf(file);
    const flaw = stat ? findFlaw(stat) : "missing";
    if (flaw !== undefined) return flaw;
    // If there is no log, the database is not in use, and opening it normally would create a log.
    const isAtRest = (statOf(`${file}-wal`)?.size ?? 0) === 0;
    const url = `${pathToFileURL(file).href}?${isAtRest ? "immutable=1" : "mode=ro"}`;
    let db: Database | undefined;
    try {
      db = new (loadDriver().DatabaseSync)(url, { readOnly: true, timeout: busyMs });
      db.exec("PRAGMA trusted_schema = OFF");
      return hasPlainTables(db) ? work(db) : "unreadable";
    } catch {
      return "unreadable";
    } finally {
      db?.close();
    }
  }

  function list(since = 0): TranscriptFile[] | FileRefusal {
    return query((db) => {
      const newest = db.prepare("SELECT coalesce(max(rowid), 0) AS row FROM part").get();
      const changed =
        since === 0
          ? db.prepare("SELECT id FROM session").all()
          : db.prepare("SELECT DISTINCT session_id AS id FROM part WHERE rowid > ?").all(since);
      lastRow = Number(newest?.["row"]);
      const measure = db.prepare(
        "SELECT coalesce(sum(octet_length(data)), 0) AS bytes, max(time_updated) AS at FROM part WHERE session_id = ?",
      );
      return changed.flatMap(({ id }) => {
        const { bytes, at } = measure.get(id ?? "") ?? {};
        return at == null ? [] : [{ path: pathOf(String(id)), bytes: Number(bytes), modifiedMs: Number(at) }];
      });
    });
  }

  return {
    async list(): Promise<FileListing> {
      const found = list();
      if (typeof found === "string")
        return { files: [], truncated: false, refused: found === "missing" ? {} : { [found]: 1 } };
      const files = found.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.path < b.path ? -1 : 1));
      return { files, truncated: false, refused: {} };
    },

    async open(path): Promise<OpenTranscript | { refused: FileRefusal }> {
      const id = /^opencode\.db\/([A-Za-z0-9_-]{1,200})\.jsonl$/.exec(path)?.[1];
      if (id === undefined) return { refused: "outside" };
      const read = query((db) => readSession(db, id));
      if (read === undefined) return { refused: "missing" };
      if (typeof read === "string") return { refused: read };
      const { content, modifiedMs } = read;
      return {
        path,
        bytes: content.length,
        modifiedMs,
        read: async (offset, length) => content.subarray(offset, offset + length),
        close: async () => {},
      };
    },

    /** Lists changed sessions by their new rows. Each step of an agent ends with its own row. */
    changed(): TranscriptFile[] {
      const now = markOf(file);
      if (now === mark) return [];
      const found = list(lastRow);
      if (typeof found === "string") return [];
      mark = now;
      return found;
    },
  };
}

/** True if there are no views, virtual tables or generated columns, which would run code from the schema. */
function hasPlainTables(db: Database): boolean {
  const found = db
    .prepare(
      `SELECT (SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
                  AND name IN ('session', 'message', 'part')) AS tables,
              (SELECT count(*) FROM (VALUES ('session'), ('message'), ('part')) AS named
                 JOIN pragma_table_xinfo(named.column1) AS col WHERE col.hidden <> 0) AS made`,
    )
    .get();
  return found?.["tables"] === 3 && found["made"] === 0;
}

const pathOf = (id: string): string => `${fileName}/${id}.jsonl`;

function readSession(db: Database, id: string): { content: Buffer; modifiedMs: number } | undefined {
  const session = db
    .prepare("SELECT id, parent_id, directory, time_created FROM session WHERE id = ?")
    .get(id);
  if (!session) return undefined;
  const rows = db
    .prepare(
      `SELECT p.data AS data, p.message_id AS message, p.time_created AS at, p.time_updated AS updated, m.data AS said
         FROM part p JOIN message m ON m.id = p.message_id
        WHERE p.session_id = ? AND octet_length(p.data) <= ${longestPart} AND octet_length(m.data) <= ${longestPart}
        ORDER BY m.time_created, m.id, p.id LIMIT ${mostParts}`,
    )
    .all(id);
  const last = rows.at(-1)?.["message"];
  const lines = [JSON.stringify(firstLine(session))];
  let length = 0;
  let modifiedMs = Number(session["time_created"]);
  for (const row of rows) {
    modifiedMs = Math.max(modifiedMs, Number(row["updated"]));
    const line = toLine(row);
    if (line === undefined) continue;
    // A line that is still being written is read next time.
    if (row["message"] === last && !isSettled(line)) break;
    const text = JSON.stringify(line);
    length += text.length;
    if (length > longestSession) break;
    lines.push(text);
  }
  return { content: Buffer.from(`${lines.join("\n")}\n`), modifiedMs };
}

function firstLine({ id, parent_id: parent, directory, time_created: at }: Row): OpencodeLine {
  return {
    opencode: "session",
    id: String(id),
    ...(parent !== null && { parentId: String(parent) }),
    directory: String(directory),
    at: Number(at),
  };
}

type PartLine = Extract<OpencodeLine, { opencode: "part" }>;
type PartData = { type?: unknown; state?: { status?: unknown }; time?: { end?: unknown } };

function toLine({ data, said, at }: Row): PartLine | undefined {
  try {
    const { role } = JSON.parse(String(said));
    return { opencode: "part", role: String(role), at: Number(at), data: JSON.parse(String(data)) };
  } catch {
    return undefined;
  }
}

function isSettled({ role, data }: PartLine): boolean {
  const { type, state, time } = (data ?? {}) as PartData;
  if (type === "tool") return state?.status === "completed" || state?.status === "error";
  return role === "user" || (type !== "text" && type !== "reasoning") || time?.end !== undefined;
}

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function findFlaw(stat: Stats): FileRefusal | undefined {
  if (stat.isSymbolicLink()) return "link";
  if (!stat.isFile()) return "not_a_file";
  return stat.nlink > 1 ? "hard_link" : undefined;
}

/** Returns a text that changes with every write to the database. */
const markOf = (file: string): string =>
  [file, `${file}-wal`]
    .map(statOf)
    .map((stat) => `${stat?.size} ${stat?.mtimeMs}`)
    .join(" ");

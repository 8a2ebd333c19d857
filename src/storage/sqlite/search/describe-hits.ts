import type { Session } from "../../../domain/ledger/session.ts";
import {
  createTermFinder,
  type FindTerms,
  findOncePerText,
  maskIn,
} from "../../../domain/search/find-terms.ts";
import type { Term } from "../../../domain/search/question.ts";
import { cutSnippet } from "../../../domain/search/snippet.ts";
import type { SearchHit } from "../../../ports/ledger-store.ts";
import type { WithConnection } from "../connection/access.ts";
import type { Connection } from "../connection/open-database.ts";
import { decodeAddress, decodeSession, sessionColumns } from "../ledger/rows.ts";
import { selectRevisedBy } from "../ledger/thought-reads.ts";

/** A text by its seq, or a session by its number. */
export type FoundHit = { seq?: number | undefined; sid?: number | undefined } & Pick<
  SearchHit,
  "score" | "matched" | "nearby" | "cover"
>;

type Showing = { terms: readonly Term[]; now: Date; hideSecrets(text: string): string };

/** Characters looked at in one go, and how much of it is only there to see what stands at its edges. */
const [window, overlap] = [32_768, 2_048];

/** What a page shows of its hits; those that are gone by now are left out. */
export async function describeHits(
  read: WithConnection,
  hits: readonly FoundHit[],
  { terms, now, hideSecrets }: Showing,
): Promise<SearchHit[]> {
  const find = findOncePerText(createTermFinder(terms));
  const sources = await read((connection) => {
    const sessionOf = rememberSessions(connection, now);
    return hits.map(({ seq, sid }) =>
      seq === undefined
        ? headingSource(sessionOf(sid ?? 0), find)
        : (thoughtSource(connection, seq, sessionOf) ?? noteSource(connection, seq)),
    );
  });
  const described: SearchHit[] = [];
  for (const [n, { seq, score, matched, nearby, cover }] of hits.entries()) {
    const source = sources[n];
    if (!source) continue;
    const { table, beginning, ...shown } = source;
    const around = table
      ? await readAround(read, table, seq ?? 0, beginning, find)
      : { text: beginning, from: 0, isLast: true };
    const text = inside(around);
    described.push({
      ...shown,
      // The edges are cut off last: half a secret no longer looks like one.
      snippet: cutSnippet(inside({ ...around, text: hideSecrets(around.text) }), find),
      score: rounded(score),
      matched: matched.length > 0 ? matched : namesIn(terms, find, text),
      nearby,
      cover: rounded(cover),
    });
  }
  return described;
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

function namesIn(terms: readonly Term[], find: FindTerms, text: string): string[] {
  const mask = maskIn(find, text);
  return terms.flatMap((term, n) => (mask & (1 << n) ? [term.text] : []));
}

type HitSource = Pick<SearchHit, "address" | "session" | "note" | "revisedBy" | "timestamp"> & {
  /** Where the rest of its text stands; undefined for what a session is called. */
  table?: "thoughts" | "memory_entries";
  beginning: string;
};

type SessionOf = (sid: number) => Session | undefined;

function rememberSessions({ sql }: Connection, now: Date): SessionOf {
  const known = new Map<number, Session | undefined>();
  return (sid) => {
    if (!known.has(sid)) {
      const row = sql(
        `SELECT ${sessionColumns} FROM sessions s WHERE s.sid = ? AND s.deleted_at IS NULL`,
      ).get(sid);
      known.set(sid, row && decodeSession(row, now).session);
    }
    return known.get(sid);
  };
}

function thoughtSource(connection: Connection, seq: number, sessionOf: SessionOf): HitSource | undefined {
  const row = connection
    .sql(
      "SELECT sid, branch_id, number, timestamp, substr(thought, 1, ?) AS text FROM thoughts WHERE seq = ?",
    )
    .get(window, seq);
  const session = row && sessionOf(Number(row["sid"]));
  const address = row && decodeAddress(row["branch_id"], row["number"]);
  if (!session || !address) return undefined;
  const [timestamp, beginning] = [String(row["timestamp"]), String(row["text"])];
  const revisedBy = selectRevisedBy(connection, Number(row["sid"]), address).at(-1);
  return { session, address, ...(revisedBy && { revisedBy }), timestamp, table: "thoughts", beginning };
}

function noteSource({ sql }: Connection, seq: number): HitSource | undefined {
  const row = sql(`SELECT w.name AS workspace, b.name AS branch, d.name AS doc, e.title, e.ts_ms,
      substr(${noteText}, 1, ?) AS text
    FROM memory_entries e JOIN memory_docs d ON d.doc = e.doc JOIN memory_branches b ON b.bid = e.bid
    JOIN memory_workspaces w ON w.wid = d.wid WHERE e.seq = ?`).get(window, seq);
  if (!row) return undefined;
  const text = (column: string) => String(row[column]);
  return {
    note: {
      seq,
      workspace: text("workspace"),
      branch: text("branch"),
      doc: text("doc"),
      ...(row["title"] !== null && { title: text("title") }),
    },
    timestamp: new Date(Number(row["ts_ms"])).toISOString(),
    table: "memory_entries",
    beginning: text("text"),
  };
}

/** Of what a session is called, the part that holds most of the words. */
function headingSource(session: Session | undefined, find: FindTerms): HitSource | undefined {
  if (!session) return undefined;
  const parts = [session.title, session.description ?? "", session.tags.join(" ")];
  const held = parts.map((part) => countBits(maskIn(find, part)));
  const beginning = parts[held.indexOf(Math.max(...held))] ?? "";
  return { session, timestamp: session.createdAt, beginning };
}

function countBits(mask: number): number {
  let count = 0;
  for (let rest = mask; rest > 0; rest >>= 1) count += rest & 1;
  return count;
}

/** A part of a text, and where it begins. */
type Part = { text: string; from: number; isLast: boolean };

/** Without the edges that it shares with the parts before and after it. */
const inside = ({ text, from, isLast }: Part): string =>
  text.slice(from === 0 ? 0 : overlap, isLast ? text.length : -overlap);

/** The part of a text where its first word stands, looked for part by part; the beginning where there is none. */
async function readAround(
  read: WithConnection,
  table: NonNullable<HitSource["table"]>,
  seq: number,
  beginning: string,
  find: FindTerms,
): Promise<Part> {
  const whole = table === "thoughts" ? "thought" : noteText;
  const first = { text: beginning, from: 0, isLast: !isFull(beginning) };
  for (let part = first; ; ) {
    if (!find(inside(part)).next().done) return part;
    if (part.isLast) return first;
    const from = part.from + window - 2 * overlap;
    const row = await read(({ sql }) =>
      sql(`SELECT substr(${whole}, ?, ?) AS text FROM ${table} e WHERE seq = ?`).get(from + 1, window, seq),
    );
    const text = String(row?.["text"] ?? "");
    part = { text, from, isLast: !isFull(text) };
  }
}

/** SQLite counts characters, JavaScript more for some: a part is never shorter than what was asked for. */
const isFull = (text: string): boolean => text.length >= window;

const noteText = "coalesce(e.title || char(10), '') || e.content";

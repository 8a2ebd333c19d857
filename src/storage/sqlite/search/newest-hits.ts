import type { Question } from "../../../domain/search/question.ts";
import type { SearchQuery } from "../../../ports/ledger-store.ts";
import type { WithConnection } from "../connection/access.ts";
import type { FoundHit } from "./describe-hits.ts";
import { everyText, matchingSessions, matchingTexts } from "./scan-matches.ts";
import type { SearchScope } from "./search-scope.ts";
import { quoteWords } from "./words.ts";

/** Sessions by what they are called; more of them than that are found by listing sessions. */
const maxHeadings = 200;

type Timed = FoundHit & { time: string };

/** One more than the page holds, so that it is known whether there is another. */
export type NewestHits = { hits: FoundHit[]; relaxed: boolean };

/** Newest first: texts that hold every word; where there are none, those that hold any; without words, all. */
export async function findNewest(
  read: WithConnection,
  scope: SearchScope,
  { terms }: Question,
  { offset, limit }: Pick<SearchQuery, "offset" | "limit">,
): Promise<NewestHits> {
  const to = offset + limit + 1;
  const plain = { score: 0, matched: [], nearby: [], cover: 0 };
  if (terms.length === 0) {
    const seqs = await everyText(read, scope, to);
    return { hits: seqs.slice(offset).map((seq) => ({ seq, ...plain })), relaxed: false };
  }
  const find = async (joint: "AND" | "OR", max: number): Promise<FoundHit[]> => {
    const words = terms.map(({ wanted }) => quoteWords(wanted)).join(` ${joint} `);
    const seqs = await matchingTexts(read, scope, `text : (${words})`, max);
    const sids = await matchingSessions(read, scope, words, Math.min(max, maxHeadings));
    if (sids.length === 0) return seqs.map((seq) => ({ seq, ...plain }));
    const texts = await timed(read, seqs, textTimes);
    const sessions = await timed(read, sids, sessionTimes);
    return mergeNewest(
      sessions.map(({ id, time }) => ({ sid: id, time, ...plain })),
      texts.map(({ id, time }) => ({ seq: id, time, ...plain })),
    );
  };
  const strict = await find("AND", to);
  if (strict.length > 0) return { hits: strict.slice(offset, to), relaxed: false };
  const any = await find("OR", to);
  return { hits: any.slice(offset, to), relaxed: any.length > 0 };
}

const sessionTimes = `SELECT s.sid AS id, s.created_at AS time FROM json_each(?) j CROSS JOIN sessions s ON s.sid = j.value
  ORDER BY s.sid DESC`;
const textTimes = `SELECT j.value AS id, coalesce(t.timestamp,
    strftime('%Y-%m-%dT%H:%M:%fZ', e.ts_ms / 1000.0, 'unixepoch'), '') AS time
  FROM json_each(?) j LEFT JOIN thoughts t ON t.seq = j.value LEFT JOIN memory_entries e ON e.seq = j.value
  ORDER BY j.value DESC`;

async function timed(read: WithConnection, ids: readonly number[], select: string) {
  if (ids.length === 0) return [];
  const rows = await read(({ sql }) => sql(select).all(JSON.stringify(ids)));
  return rows.map((row) => ({ id: Number(row["id"]), time: String(row["time"]) }));
}

/** Both lists keep their order of arrival, whatever the clock did; so every page starts where the last one ended. */
function mergeNewest(sessions: readonly Timed[], texts: readonly Timed[]): FoundHit[] {
  const merged: FoundHit[] = [];
  let next = 0;
  for (const text of texts) {
    for (let session = sessions[next]; session && session.time >= text.time; session = sessions[next]) {
      merged.push(session);
      next += 1;
    }
    merged.push(text);
  }
  return [...merged, ...sessions.slice(next)];
}

import type { StoryLine } from "../wire.ts";
import type { SessionColumns, ThoughtPlace } from "./session-columns.ts";
import { nameOf } from "./story.ts";

/** A thought in the period, without its session. `read` returns an empty string if the columns do not keep the text. */
export type Told = Omit<StoryLine, "text"> & {
  position: number;
  time: number;
  agent?: string;
  read(): string;
};

export type SessionNews = {
  thoughts: number;
  concluded: Told[];
  givenUp: { idea: Told; reason?: Told }[];
  contradicted: { old: Told; by: Told }[];
  unanswered: Told[];
};

/** How long a question may wait for an answer before it is reported as unanswered. */
const answerWithinMs = 120_000;

/** Returns the conclusions, dead ends, contradictions and open questions in a session since a time. */
export function newsOf(
  columns: SessionColumns,
  { since, now, hasEnded }: { since: number; now: number; hasEnded: boolean },
): SessionNews {
  const news: SessionNews = { thoughts: 0, concluded: [], givenUp: [], contradicted: [], unanswered: [] };
  const told = (place: ThoughtPlace): Told => {
    const agent = columns.authorOf(place.position);
    const { position, time } = place;
    const read = () => columns.lineAt(position);
    return { ...nameOf(columns, place), position, time, ...(agent !== undefined && { agent }), read };
  };
  const stands = ({ position, chain }: ThoughtPlace) =>
    !columns.isDropped(position) && !columns.isDeadEnd(chain);
  const recent = placesSince(columns, since);
  const disputed = new Set<number>();
  for (const place of recent) {
    const named = new Set<number>();
    for (const { relation, to, from = place.position } of place.links) {
      const old = relation === "contradicts" && !columns.isDropped(from) ? columns.at(to) : undefined;
      if (!old || (old.type !== "C" && old.type !== "P") || !stands(old) || named.has(to)) continue;
      named.add(to);
      disputed.add(to);
      news.contradicted.push({ old: told(old), by: told(place) });
    }
  }
  for (const place of recent) {
    if (place.type === "C" && stands(place) && !disputed.has(place.position))
      news.concluded.push(told(place));
    if (place.type === "Q" && now - place.time >= answerWithinMs && !columns.isAnswered(place.position))
      news.unanswered.push(told(place));
  }
  for (const [idea, reason] of rejections(columns, recent))
    news.givenUp.push({ idea: told(idea), ...(reason !== idea && { reason: told(reason) }) });
  const last = columns.at(columns.size);
  // Prose has no conclusions, so its last sentence is used.
  if (hasEnded && last?.type === "N" && last.time >= since)
    news.concluded.push({ ...told(last), read: () => columns.ending });
  return { ...news, thoughts: recent.length };
}

/**
 * Maps each rejected thought to the newest thought that rejects it. An X that marks no other thought rejects itself.
 */
function rejections(
  columns: SessionColumns,
  recent: readonly ThoughtPlace[],
): ReadonlyMap<ThoughtPlace, ThoughtPlace> {
  const found = new Map<ThoughtPlace, ThoughtPlace>();
  for (const place of recent) {
    for (const { relation, to } of place.links) {
      const idea = relation === "rejects" ? columns.at(to) : undefined;
      if (idea) found.set(idea, place);
    }
    const marksOthers =
      place.revises > 0 ||
      place.links.some(
        ({ relation, from }) =>
          from === undefined &&
          (relation === "rejects" || relation === "contradicts" || relation === "revises"),
      );
    if (place.type === "X" && !marksOthers) found.set(place, place);
  }
  return found;
}

/** Returns the thoughts since a time. Thoughts are in chronological order, so these are the last ones. */
export function placesSince(columns: SessionColumns, since: number): readonly ThoughtPlace[] {
  let from = columns.size + 1;
  while (from > 1 && (columns.at(from - 1)?.time ?? 0) >= since) from -= 1;
  return columns.slice(from, columns.size);
}

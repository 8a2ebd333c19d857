import { lastSignOf, livenessOf } from "../liveness.ts";
import { agentOf, NO_PROJECT } from "../sessions.ts";
import type { Session } from "../thought.ts";

export type Facet = "project" | "agent" | "model" | "state" | "tag";
export type Wish = Record<Facet, readonly string[]> & {
  from: string | undefined;
  to: string | undefined;
  sort: "last" | "started" | "thoughts" | "took" | "title" | "match" | undefined;
  isReversed: boolean;
};

export const FACETS = ["state", "project", "agent", "model", "tag"] as const satisfies readonly Facet[];

/** Tags for a session's project, task, aspect or model, which have their own filters. */
export const placeTag = /^(?:project|task|aspect|model):/;
const modelTag = /^model:/;

/** Returns the models used in the session, in the order of their first answers. */
export const modelsOf = ({ tags }: Pick<Session, "tags">): string[] =>
  tags.filter((tag) => modelTag.test(tag)).map((tag) => tag.replace(modelTag, ""));

const valuesOf = (session: Session, facet: Facet, now: number): readonly string[] => {
  switch (facet) {
    case "project":
      return [session.project];
    case "agent":
      return [agentOf(session) ?? []].flat();
    case "model":
      return modelsOf(session);
    case "state":
      return [livenessOf(session, now)];
    case "tag":
      return session.tags.filter((tag) => !placeTag.test(tag));
  }
};

const DAY = 24 * 60 * 60_000;
/** Returns midnight of a day in this browser's time zone. */
const startOf = (day: string): number => new Date(`${day}T00:00:00`).getTime();

function isWithin(session: Session, { from, to }: Pick<Wish, "from" | "to">): boolean {
  const at = lastSignOf(session);
  return (from === undefined || at >= startOf(from)) && (to === undefined || at < startOf(to) + DAY);
}

const passes = (session: Session, facet: Facet, wish: Wish, now: number): boolean =>
  wish[facet].length === 0 || valuesOf(session, facet, now).some((value) => wish[facet].includes(value));

export const matches = (session: Session, wish: Wish, now: number): boolean =>
  isWithin(session, wish) && FACETS.every((facet) => passes(session, facet, wish, now));

/**
 * Counts how many of these sessions each value of a facet would show with the other filters applied. The values and
 * their order come from `all`, so that a choice moves none of them: most frequent value first, and `No project` last.
 */
export function countValues(
  sessions: readonly Session[],
  facet: Facet,
  wish: Wish,
  now: number,
  all: readonly Session[] = sessions,
): [value: string, count: number][] {
  const counts = new Map<string, number>(wish[facet].map((value) => [value, 0]));
  const totals = new Map<string, number>();
  for (const session of all)
    for (const value of new Set(valuesOf(session, facet, now))) {
      counts.set(value, 0);
      totals.set(value, (totals.get(value) ?? 0) + 1);
    }
  const others = FACETS.filter((other) => other !== facet);
  for (const session of sessions) {
    if (!isWithin(session, wish) || !others.every((other) => passes(session, other, wish, now))) continue;
    for (const value of new Set(valuesOf(session, facet, now)))
      counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const isLast = (value: string) => Number(facet === "project" && value === NO_PROJECT);
  const totalOf = (value: string) => totals.get(value) ?? 0;
  return [...counts].sort(([a], [b]) => isLast(a) - isLast(b) || totalOf(b) - totalOf(a) || (a < b ? -1 : 1));
}

export const tookOf = ({ story, createdAt, updatedAt }: Session): number =>
  story
    ? Date.parse(story.lastAt) - Date.parse(story.firstAt)
    : Math.max(0, Date.parse(updatedAt) - Date.parse(createdAt));

/** Sorts as requested, newest first by default. */
export function sorted(sessions: readonly Session[], { sort, isReversed }: Wish): Session[] {
  const keys: Record<string, (session: Session) => number> = {
    last: (session) => -lastSignOf(session),
    started: ({ createdAt }) => -Date.parse(createdAt),
    thoughts: ({ thoughtCount }) => -thoughtCount,
    took: (session) => -tookOf(session),
  };
  const key = keys[sort ?? "last"] ?? keys["last"];
  const order =
    sort === "title"
      ? (a: Session, b: Session) => a.title.localeCompare(b.title)
      : (a: Session, b: Session) => (key?.(a) ?? 0) - (key?.(b) ?? 0) || (a.id < b.id ? -1 : 1);
  const list = sessions.toSorted(order);
  return isReversed ? list.reverse() : list;
}

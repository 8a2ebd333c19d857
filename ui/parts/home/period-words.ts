import type { HomeRoute } from "../../route-lists.ts";
import type { Period } from "../../state/pages/home.ts";
import { countOf } from "../../text/count-words.ts";
import { formatDay, formatDuration, formatMoment } from "../../text/time-words.ts";

/** Describes the period, such as `since 09:48`. On a browser's first visit, the period is today. */
export function periodWords({ since: chosen }: HomeRoute, since: number, now: number): string {
  const days = daysOf(chosen);
  if (days !== undefined) return `in the last ${days} days`;
  return since === midnightOf(now) ? "today" : `since ${formatMoment(since, now)}`;
}

/** Returns a period in words, such as `in 24 minutes`. */
export const inWords = ({ since: chosen }: HomeRoute, since: number, now: number): string =>
  daysOf(chosen) !== undefined
    ? `in ${daysOf(chosen)} days`
    : since === midnightOf(now)
      ? "today"
      : `in ${formatPeriod(now - since)}`;

const formatPeriod = (ms: number): string =>
  ms < 120_000 ? countOf(Math.max(1, Math.floor(ms / 1000)), "second") : formatDuration(ms);

/** Returns `7` for `7d`. */
const daysOf = (period: Period): string | undefined => /^(\d+)d$/.exec(period)?.[1];

export const midnightOf = (now: number): number => new Date(now).setHours(0, 0, 0, 0);

/** Returns a title, such as `The last 7 days`. `visit` is the title of the period since the last visit. */
export function titleOf(chosen: Period, visit: string, since: number): string {
  if (chosen === "visit") return visit;
  if (chosen === "today") return "Today";
  const days = daysOf(chosen);
  return days === undefined ? `Since ${formatDay(since)}` : `The last ${days} days`;
}

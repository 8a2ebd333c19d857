// Does not use Intl, because its first call takes up to 200 ms and these words are part of the design.
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const LONG_MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const two = (value: number): string => String(value).padStart(2, "0");

/** Formats a time of day, such as `09:25`. */
export function formatMinute(at: number): string {
  const date = new Date(at);
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Formats a time with seconds, such as `09:25:09`. */
export const formatClock = (at: number): string => `${formatMinute(at)}:${two(new Date(at).getSeconds())}`;

/** Formats a date in full, such as `12 November 2026`. */
export function formatDay(at: number): string {
  const date = new Date(at);
  return `${date.getDate()} ${LONG_MONTHS[date.getMonth()]} ${date.getFullYear()}`;
}

const startOfDay = (at: number): number => new Date(at).setHours(0, 0, 0, 0);
const daysBetween = (from: number, to: number): number =>
  Math.round((startOfDay(to) - startOfDay(from)) / DAY);

function formatRecent(at: number, now: number): string | undefined {
  const past = Math.max(0, now - at);
  if (past < MINUTE) return `${Math.floor(past / SECOND)} s`;
  if (past < HOUR) return `${Math.floor(past / MINUTE)} min`;
  if (daysBetween(at, now) === 0 || past < 6 * HOUR) return `${Math.floor(past / HOUR)} h`;
  return undefined;
}

/** Formats an age as `14 s`, `2 min`, `1 h`, `yesterday`, `Tue`, `6 Nov` or `6 Nov 2025`. */
export const formatAge = (at: number, now: number): string => formatRecent(at, now) ?? formatDate(at, now);

/** Formats a silence as `14 s`, `2 min`, `1 h`, `26 h` or `3 days`. */
export function formatSilence(ms: number): string {
  const past = Math.max(0, ms);
  if (past < MINUTE) return `${Math.floor(past / SECOND)} s`;
  if (past < HOUR) return `${Math.floor(past / MINUTE)} min`;
  return past < 2 * DAY ? `${Math.floor(past / HOUR)} h` : `${Math.floor(past / DAY)} days`;
}

/** Returns `24 min ago`, or a date. */
export function agoWords(at: number, now: number): string {
  const recent = formatRecent(at, now);
  return recent === undefined ? formatDate(at, now) : `${recent} ago`;
}

/** Formats a date as `yesterday`, `Tue`, `6 Nov` or `6 Nov 2025`. */
export function formatDate(at: number, now: number): string {
  const days = daysBetween(at, now);
  if (days === 1) return "yesterday";
  const date = new Date(at);
  if (days < 7) return (DAYS[date.getDay()] ?? "").slice(0, 3);
  const day = `${date.getDate()} ${MONTHS[date.getMonth()]}`;
  return date.getFullYear() === new Date(now).getFullYear() ? day : `${day} ${date.getFullYear()}`;
}

/** Formats a span as `6 s`, `3 min 8 s`, `7 min`, `26 min` or `3 h 10`. */
export function formatSpan(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / SECOND));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 600 && seconds % 60 > 0) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${two(minutes % 60)}` : `${Math.round(hours / 24)} days`;
}

/** Formats a duration as `24 minutes`, `1 hour` or `3 days`. */
export function formatDuration(ms: number): string {
  const words = (count: number, unit: string) => `${count} ${unit}${count === 1 ? "" : "s"}`;
  if (ms < HOUR) return words(Math.max(1, Math.floor(ms / MINUTE)), "minute");
  return ms < DAY ? words(Math.floor(ms / HOUR), "hour") : words(Math.floor(ms / DAY), "day");
}

/** Formats a time below a second as `240 ms`, and a longer one as a span. */
export const formatShort = (ms: number): string => (ms < SECOND ? `${Math.round(ms)} ms` : formatSpan(ms));

/** Returns `Tuesday 16:40` within a week, and `6 Nov 16:40` after that. */
export function formatWhen(at: number, now: number): string {
  const date = new Date(at);
  const day = daysBetween(at, now) < 7 ? DAYS[date.getDay()] : `${date.getDate()} ${MONTHS[date.getMonth()]}`;
  return `${day} ${formatMinute(at)}`;
}

/** Returns `14:16` today, `Thu 11:05` within a week, `6 Nov` this year, or `6 Nov 2025`. */
export function formatMoment(at: number, now: number): string {
  const days = daysBetween(at, now);
  if (days === 0) return formatMinute(at);
  const date = new Date(at);
  const day = (DAYS[date.getDay()] ?? "").slice(0, 3);
  return days < 7 ? `${day} ${formatMinute(at)}` : formatDate(at, now);
}

/** Returns `Today`, `Yesterday, Wed 11 Nov`, `Mon 9 Nov` or `9 November 2025`. */
export function formatDayWords(at: number, now: number): string {
  const days = daysBetween(at, now);
  const date = new Date(at);
  if (days === 0) return "Today";
  if (date.getFullYear() !== new Date(now).getFullYear()) return formatDay(at);
  const day = `${(DAYS[date.getDay()] ?? "").slice(0, 3)} ${date.getDate()} ${MONTHS[date.getMonth()]}`;
  return days === 1 ? `Yesterday, ${day}` : day;
}

const STEPS = [5, 10, 15, 30, 60, 120, 180, 360, 720, 1440].map((minutes) => minutes * MINUTE);
const MOST_TICKS = 6;
/** Ticks keep at least this share of the axis away from its ends. */
const CLEAR = 0.1;

/** Returns round times between two moments, including the moments themselves: `09:48 11:00 12:00 now`. */
export function axisTicks(from: number, now: number): { at: number; words: string }[] {
  const span = now - from;
  const step = STEPS.find((one) => span / one <= MOST_TICKS) ?? Math.ceil(span / MOST_TICKS / DAY) * DAY;
  const dayWords = (date: Date) =>
    span > 7 * DAY ? `${date.getDate()} ${MONTHS[date.getMonth()]}` : (DAYS[date.getDay()] ?? "").slice(0, 3);
  const words = (at: number) => (step >= DAY ? dayWords(new Date(at)) : formatMinute(at));
  const ticks = [{ at: from, words: words(from) }];
  for (let at = startOfDay(from); at < now; at += step)
    if (at > from + span * CLEAR && at < now - span * CLEAR) ticks.push({ at, words: words(at) });
  return [...ticks, { at: now, words: "now" }];
}

import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import type {
  Contradiction,
  DeadEnd,
  HomeAnswer,
  Lane,
  MovedTask,
  NewsConflict,
  NewsLine,
} from "../../../src/observatory/wire-home.ts";
import type { Environment } from "../environment.ts";
import type { Fetched, Get } from "../http.ts";
import type { Visit } from "./visit.ts";

export type { Contradiction, DeadEnd, Lane, MovedTask, NewsConflict, NewsLine };
export type HomeNews = HomeAnswer;

export const PERIODS = ["visit", "today", "7d", "30d", "90d"] as const;
/** One of the usual periods, or the first day of a period, such as `2026-11-02`. */
export type Period = (typeof PERIODS)[number] | `${number}-${number}-${number}`;

/** Returns whether the text is a date in the calendar, such as `2026-11-02`. */
export const isDay = (text: string): text is `${number}-${number}-${number}` =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true;

export type HomeWish = {
  period: Period;
  project: string | undefined;
  show: string | undefined;
  /** Whether home is shown. Other pages show only the badge, whose count may be older. */
  isShown: boolean;
};

type Needs = Pick<Environment, "now" | "after"> & {
  get: Get;
  visit: Visit;
  wish: ReadonlySignal<HomeWish>;
  /** A value that changes whenever a session changes. */
  changes: ReadonlySignal<unknown>;
};

const SECTIONS = ["concluded", "givenUp", "contradicted", "unanswered", "tasks", "conflicts"] as const;
const MOST_PAGES = 30;
const DAYS = { today: 1, "7d": 7, "30d": 30, "90d": 90 } as const;
const SOON = 1_500;
const LATER = 20_000;
/** The longest pause between reads in milliseconds. The memory sends no events. */
const AT_LEAST = 30_000;

/** Returns midnight on the first day of the period. */
function startOfPeriod(period: Exclude<Period, "visit">, now: number): number {
  if (isDay(period)) return Math.min(new Date(`${period}T00:00:00`).getTime(), now);
  const start = new Date(now);
  start.setHours(0, 0, 0, 0);
  return start.setDate(start.getDate() - DAYS[period] + 1);
}

/** Reads the news since a time. New rows wait until the user asks for them, so nothing moves while reading. */
export function createHome({ get, visit, wish, changes, now, after }: Needs) {
  const latest = signal<HomeNews | undefined>(undefined);
  const shown = signal<HomeNews | undefined>(undefined);
  const failure = signal<string | undefined>(undefined);
  const attempts = signal(0);
  const since = computed(() => {
    const { period } = wish.value;
    if (period === "visit") return visit.since.value;
    return startOfPeriod(period, now());
  });
  /** Identifies the request whose rows are shown. */
  let asked = "";
  /**
   * Whether the user has been on another page since the rows were read. In that case, rows can move, because
   * the user is not reading them.
   */
  let wasAway = true;

  const read = async (abort: AbortSignal) => {
    const { project, show } = wish.peek();
    const from = new Date(since.peek()).toISOString();
    const key = [from, project, show].join("\n");
    const fetched = await getWhole({ since: from, project, show }, abort);
    if (abort.aborted) return;
    if ("failed" in fetched) {
      failure.value = fetched.failed.message;
      return;
    }
    failure.value = undefined;
    latest.value = fetched.answer;
    const before = key === asked && !wasAway ? shown.peek() : undefined;
    asked = key;
    wasAway = !wish.peek().isShown;
    if (!before) shown.value = fetched.answer;
    else if (arrivedSince(before, fetched.answer) === 0)
      shown.value = { ...fetched.answer, ...inPlace(before, fetched.answer) };
    // New rows wait. Only rows that are already shown are updated.
    else shown.value = { ...before, ...inPlace(before, fetched.answer) };
  };

  /** Reads all pages of a list that is shown in full. */
  async function getWhole(
    query: Record<string, string | undefined>,
    abort: AbortSignal,
  ): Promise<Fetched<HomeNews>> {
    const fetched = await get<HomeNews>("/api/home", query, abort);
    const names = SECTIONS.filter((section) => query["show"]?.split(",").includes(section));
    if ("failed" in fetched) return fetched;
    const whole = fetched.answer;
    const isPart = () => names.some((name) => whole[name].length < whole.counts[name]);
    for (let turn = 0; turn < MOST_PAGES && isPart(); turn += 1) {
      const offset = Math.max(...names.map((name) => whole[name].length));
      const next = await get<HomeNews>("/api/home", { ...query, offset }, abort);
      if ("failed" in next || names.every((name) => next.answer[name].length === 0)) break;
      for (const name of names) (whole[name] as unknown[]).push(...next.answer[name]);
    }
    return fetched;
  }

  const stop = effect(() => {
    if (!wish.value.isShown) wasAway = true;
    since.value;
    attempts.value;
    const abort = new AbortController();
    let cancel = () => {};
    let isDue = false;
    const round = async () => {
      isDue = false;
      await read(abort.signal);
      if (!abort.signal.aborted && !isDue) cancel = after(AT_LEAST, () => void round());
    };
    void round();
    const stopHearing = effect(() => {
      changes.value;
      if (isDue) return;
      isDue = true;
      cancel();
      cancel = after(wish.peek().isShown ? SOON : LATER, () => void round());
    });
    return () => {
      stopHearing();
      cancel();
      abort.abort();
    };
  });

  return {
    since,
    latest,
    shown,
    failure,
    /** The number of rows that are waiting to be shown. */
    waiting: computed(() => arrivedSince(shown.value, latest.value)),
    /** The number of items that need a person, shown in the badge. */
    open: computed(() => {
      const counts = latest.value?.counts;
      return counts ? counts.contradicted + counts.unanswered + counts.conflicts : 0;
    }),
    update() {
      shown.value = latest.peek();
    },
    again() {
      attempts.value += 1;
    },
    stop,
  };
}

export type Home = ReturnType<typeof createHome>;

/** Updates lanes without moving them. */
function inPlace(
  before: HomeNews,
  { lanes, transcripts }: HomeNews,
): Pick<HomeNews, "lanes" | "transcripts"> {
  const fresh = new Map(lanes.map((lane) => [lane.session.id, lane]));
  return { transcripts, lanes: before.lanes.map((lane) => fresh.get(lane.session.id) ?? lane) };
}

const nameOf = ({ sessionId, branchId, thoughtNumber }: NewsLine): string =>
  `${sessionId}:${branchId ?? ""}:${thoughtNumber}`;

function rowsOf(news: HomeNews): string[] {
  return [
    ...[...news.concluded, ...news.givenUp, ...news.unanswered].map(nameOf),
    ...news.contradicted.map(({ old, by }) => `${nameOf(old)} ${nameOf(by)}`),
    ...news.tasks.map(({ workspace, id, to }) => `${workspace} ${id} ${to}`),
    ...news.conflicts.map(({ conflict_id }) => conflict_id),
  ];
}

/** Returns how many sessions would get a new lane. Old lanes are replaced only when the user asks. */
function newLanes(before: HomeNews, after: HomeNews): number {
  const had = new Set(before.lanes.map(({ session }) => session.id));
  return after.lanes.filter(({ session }) => !had.has(session.id)).length;
}

/** Returns the number of added and removed rows, and of new lanes. */
function arrivedSince(before: HomeNews | undefined, after: HomeNews | undefined): number {
  if (!before || !after || before === after) return 0;
  const [had, has] = [new Set(rowsOf(before)), new Set(rowsOf(after))];
  const rows =
    [...has].filter((row) => !had.has(row)).length + [...had].filter((row) => !has.has(row)).length;
  return rows + newLanes(before, after);
}

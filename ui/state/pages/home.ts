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
import type { Get } from "../http.ts";
import type { Visit } from "./visit.ts";

export type { Contradiction, DeadEnd, Lane, MovedTask, NewsConflict, NewsLine };
export type HomeNews = HomeAnswer;

export type HomeWish = {
  period: "visit" | "today" | "7d";
  project: string | undefined;
  show: string | undefined;
  /** Home is on the screen. Elsewhere only its count is, which may be older. */
  isShown: boolean;
};

type Needs = Pick<Environment, "now" | "after"> & {
  get: Get;
  visit: Visit;
  wish: ReadonlySignal<HomeWish>;
  /** Changes whenever a session does. */
  changes: ReadonlySignal<unknown>;
};

const DAY = 24 * 60 * 60_000;
const SOON = 1_500;
const LATER = 20_000;
/** The memory sends no events. */
const AT_LEAST = 30_000;

/** What happened since a time. What arrives waits until it is asked for: nothing moves under a reader. */
export function createHome({ get, visit, wish, changes, now, after }: Needs) {
  const latest = signal<HomeNews | undefined>(undefined);
  const shown = signal<HomeNews | undefined>(undefined);
  const failure = signal<string | undefined>(undefined);
  const attempts = signal(0);
  const since = computed(() => {
    const { period } = wish.value;
    if (period === "visit") return visit.since.value;
    const today = new Date(now()).setHours(0, 0, 0, 0);
    return period === "today" ? today : today - 6 * DAY;
  });
  /** Of the whole list that is shown, as far as it was asked for. */
  let asked = "";

  const read = async (abort: AbortSignal) => {
    const { project, show } = wish.peek();
    const from = new Date(since.peek()).toISOString();
    const key = [from, project, show].join("\n");
    const fetched = await get<HomeNews>("/api/home", { since: from, project, show }, abort);
    if (abort.aborted) return;
    if ("failed" in fetched) {
      failure.value = fetched.failed.message;
      return;
    }
    failure.value = undefined;
    latest.value = fetched.answer;
    const isSame = key === asked && shown.peek() !== undefined;
    if (isSame && arrivedSince(shown.peek(), fetched.answer) > 0) {
      // Figures change in place; rows wait.
      shown.value = { ...(shown.peek() as HomeNews), ...inPlace(fetched.answer) };
      return;
    }
    asked = key;
    shown.value = fetched.answer;
  };

  const stop = effect(() => {
    wish.value;
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
    /** Rows that wait to be shown. */
    waiting: computed(() => arrivedSince(shown.value, latest.value)),
    /** What waits for a person: the figure of the badge. */
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

const inPlace = ({ lanes, transcripts }: HomeNews) => ({ lanes, transcripts });

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

/** How many rows came or went. */
function arrivedSince(before: HomeNews | undefined, after: HomeNews | undefined): number {
  if (!before || !after || before === after) return 0;
  const [had, has] = [new Set(rowsOf(before)), new Set(rowsOf(after))];
  return [...has].filter((row) => !had.has(row)).length + [...had].filter((row) => !has.has(row)).length;
}

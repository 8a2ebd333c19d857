import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import type { MatchesAnswer, SearchAnswer, SearchHit } from "../../../src/observatory/wire.ts";
import type { Environment } from "../environment.ts";
import type { Get } from "../http.ts";

export type Hit = SearchHit;
/** The whole result: how many thoughts match in each session. */
export type Matches = { bySession: ReadonlyMap<string, number>; isRelaxed: boolean };
/** Sessions in the order of their best hits. A hit without a thought matches the session itself, such as its title. */
export type Ranked = { hits: readonly Hit[]; failed?: string };

type Needs = Pick<Environment, "after"> & { get: Get };

const DEBOUNCE = 150;
/**
 * How many hits are shown below a session until the user asks for more. One more is requested, because the
 * title may be a hit too.
 */
const BEST = 4;
const RANKED = 50;
const PAGE = 50;
const LAST_OFFSET = 10_000;
const AT_ONCE = 8;

/** Searches all sessions: the best hits at once, then the exact number of matches in every session. */
export function createFound({ get, after }: Needs, query: ReadonlySignal<string>) {
  /** The query that the signals below belong to. */
  const asked = signal("");
  const ranked = signal<Ranked | undefined>(undefined);
  const matches = signal<Matches | undefined>(undefined);
  /** Hits that were read for one session, best first, and the offset of those to read next. */
  const read = signal<ReadonlyMap<string, { hits: readonly Hit[]; next: number }>>(new Map());
  /** Sessions whose own hits have been read, or could not be read. */
  const arrived = signal<ReadonlySet<string>>(new Set());
  const attempts = signal(0);
  let abort = new AbortController();
  const wanted = new Set<string>();
  let running = 0;

  const stop = effect(() => {
    const q = query.value.trim();
    attempts.value;
    abort.abort();
    abort = new AbortController();
    const { signal: mine } = abort;
    wanted.clear();
    ranked.value = undefined;
    matches.value = undefined;
    read.value = new Map();
    arrived.value = new Set();
    asked.value = q;
    if (q === "") return;
    const cancel = after(DEBOUNCE, () => {
      const best = { q, limit: RANKED, perSession: BEST + 1, words: "all" };
      void get<SearchAnswer>("/api/search", best, mine).then((fetched) => {
        if (mine.aborted) return;
        ranked.value =
          "answer" in fetched ? { hits: fetched.answer.hits } : { hits: [], failed: fetched.failed.message };
      });
      void get<MatchesAnswer>("/api/search/sessions", { q }, mine).then((fetched) => {
        if (mine.aborted || !("answer" in fetched)) return;
        const { sessions, relaxed } = fetched.answer;
        matches.value = { bySession: new Map(sessions), isRelaxed: relaxed === true };
      });
    });
    return cancel;
  });

  const put = (id: string, hits: readonly Hit[], next = 0) => {
    read.value = new Map(read.peek()).set(id, { hits, next });
  };

  async function readBest(id: string, mine: AbortSignal) {
    running += 1;
    const best = { q: asked.peek(), session: id, limit: BEST + 1, words: "all" };
    const fetched = await get<SearchAnswer>("/api/search", best, mine);
    running -= 1;
    if (mine.aborted) return;
    arrived.value = new Set([...arrived.peek(), id]);
    if ("answer" in fetched) put(id, fetched.answer.hits.filter(({ thought }) => thought).slice(0, BEST));
    readNext();
  }

  function readNext() {
    for (const id of wanted) {
      if (running >= AT_ONCE) return;
      wanted.delete(id);
      void readBest(id, abort.signal);
    }
  }

  const hitsBySession = computed(() => {
    const found = new Map<string, Hit[]>();
    for (const hit of ranked.value?.hits ?? [])
      if (hit.thought) found.set(hit.sessionId, [...(found.get(hit.sessionId) ?? []), hit]);
    return found;
  });

  return {
    query: asked,
    ranked,
    matches,
    /** The hits shown for a session, best first. */
    hitsOf: (id: string): readonly Hit[] => {
      const own = read.value.get(id);
      return own?.hits ?? (hitsBySession.value.get(id) ?? []).slice(0, BEST);
    },
    /** How many hits of a session are still being read. */
    missing: (id: string): number => {
      const expected = Math.min(BEST, matches.value?.bySession.get(id) ?? 0);
      const known = read.value.get(id)?.hits ?? hitsBySession.value.get(id) ?? [];
      return arrived.value.has(id) ? 0 : Math.max(0, expected - known.length);
    },
    /** Whether the server can show more hits of a session. */
    hasMore: (id: string): boolean => (read.value.get(id)?.next ?? 0) <= LAST_OFFSET,
    /** Reads the best hits of these sessions if the first answer did not contain them. */
    want(ids: readonly string[]) {
      const counts = matches.peek()?.bySession;
      for (const id of ids) {
        const known = hitsBySession.peek().get(id)?.length ?? 0;
        if (known >= Math.min(BEST, counts?.get(id) ?? 0) || read.peek().has(id)) continue;
        put(id, hitsBySession.peek().get(id) ?? []);
        wanted.add(id);
      }
      readNext();
    },
    /** Reads more hits of a session, newest first, and shows them below the best ones. */
    async unfold(id: string): Promise<void> {
      const { signal: mine } = abort;
      const own = read.peek().get(id);
      const shown = own?.hits ?? (hitsBySession.peek().get(id) ?? []).slice(0, BEST);
      const names = new Set(shown.map(({ thought }) => thought?.id));
      for (let offset = own?.next ?? 0; offset <= LAST_OFFSET; offset += PAGE) {
        const page = { q: asked.peek(), session: id, limit: PAGE, offset, order: "newest" };
        const fetched = await get<SearchAnswer>("/api/search", page, mine);
        if (mine.aborted || !("answer" in fetched)) return;
        const { hits, hasMore } = fetched.answer;
        const more = hits.filter(({ thought }) => thought && !names.has(thought.id));
        if (more.length === 0 && hasMore) continue;
        return put(id, [...shown, ...more], hasMore ? offset + PAGE : LAST_OFFSET + 1);
      }
    },
    again() {
      attempts.value += 1;
    },
    stop: () => {
      stop();
      abort.abort();
    },
  };
}

export type Found = ReturnType<typeof createFound>;

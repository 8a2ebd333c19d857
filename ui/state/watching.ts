import { batch, computed, type ReadonlySignal, signal } from "@preact/signals";
import { createBeliefs, NOW } from "../model/beliefs.ts";
import { MAIN, MARKS, NONE } from "../model/columns.ts";
import { searchThoughts } from "../model/search.ts";
import { storyAt } from "../model/story.ts";
import type { OpenSession } from "./session.ts";
import type { Words } from "./words.ts";

/** A thought by branch and number, as in addresses. */
export type Named = { branch: string | undefined; number: number };

export type Looking = {
  thought: ReadonlySignal<Named | undefined>;
  /** Position of the last thought at the selected moment. Undefined means now. */
  moment: ReadonlySignal<number | undefined>;
  search: ReadonlySignal<string>;
};

/** All thoughts that the server found, ascending. `counting` while the server is still searching. */
export type RemoteHits = readonly number[] | "counting";

/** Creates the state of the view of a session: selection, moment, hits, and the beliefs at that moment. */
export function createWatching(session: OpenSession, words: Words, looking: Looking) {
  const beliefs = computed(() => createBeliefs(session.columns.value));
  /** Index of the last thought at the selected moment, or `NOW` if the view is live. */
  const moment = computed(() => {
    session.version.value;
    const position = looking.moment.value;
    return position === undefined || position >= session.columns.value.size ? NOW : Math.max(0, position - 1);
  });
  /** Everything that is drawn. Each change creates a new object. */
  const picture = computed(() => {
    session.version.value;
    const columns = session.columns.value;
    const then = beliefs.value;
    then.at(moment.value);
    return { columns, beliefs: then, moment: moment.value };
  });
  const selected = computed(() => {
    session.version.value;
    const named = looking.thought.value;
    const columns = session.columns.value;
    if (!named) return NONE;
    const chain = named.branch === undefined ? MAIN : columns.chainOf(named.branch);
    return chain === undefined ? NONE : columns.find(chain, named.number);
  });
  const story = computed(() => storyAt(picture.value.columns, picture.value.beliefs));
  /** Hits found by the server, if some text is not loaded. */
  const remoteHits = signal<RemoteHits | undefined>(undefined);
  const hits = computed((): readonly number[] | undefined => {
    if (looking.search.value.trim() === "") return undefined;
    const { columns, moment: until } = picture.value;
    const found = remoteHits.value;
    return found === undefined || found === "counting"
      ? searchThoughts(columns, looking.search.value, until)
      : found.filter((i) => i <= until);
  });
  /** The type codes to show. Empty shows all. */
  const onlyTypes = signal<ReadonlySet<number>>(new Set());
  const detailOpen = signal(looking.thought.peek() !== undefined);
  const commenting = signal(false);
  /** A link to a thought shows that thought, not the newest one. */
  const follow = signal(looking.thought.peek() === undefined);
  /** Whether the panel with the agent's actions is open while no thought is selected. */
  const deedsOpen = signal(true);
  /** Thoughts whose actions are expanded. */
  const unfolded = signal<ReadonlySet<number>>(new Set());

  /** The number of thoughts when the user went back in time. Later thoughts are shown as new. */
  let enteredAt: number | undefined;
  const sizeWhenPast = computed(() => {
    enteredAt = moment.value === NOW ? undefined : (enteredAt ?? session.columns.peek().size);
    return enteredAt;
  });
  /** Whether the newest thought announced that another will follow. */
  const isThinking = computed(() => {
    const { columns } = picture.value;
    return columns.size > 0 && ((columns.marks[columns.size - 1] ?? 0) & MARKS.noNextThought) === 0;
  });

  const nameOf = (index: number): Named => {
    const { chain, chains, number } = session.columns.peek();
    const branch = chains[chain[index] ?? MAIN]?.id;
    return { branch: branch || undefined, number: number[index] ?? 0 };
  };

  return {
    session,
    words,
    query: looking.search,
    beliefs,
    moment,
    picture,
    selected,
    story,
    remoteHits,
    hits,
    onlyTypes,
    detailOpen,
    commenting,
    follow,
    deedsOpen,
    unfolded,
    isThinking,
    sizeWhenPast,
    nameOf,
    /** Shows or hides the actions after one thought, or after all of them. */
    toggleActions(thought: number | "all") {
      const all = [...session.done.peek().after.keys()];
      const next = new Set(thought === "all" && unfolded.peek().size === 0 ? all : unfolded.peek());
      if (thought === "all") {
        if (unfolded.peek().size > 0) next.clear();
      } else if (!next.delete(thought)) next.add(thought);
      unfolded.value = next;
    },
    toggleType(code: number) {
      const next = new Set(onlyTypes.peek());
      if (!next.delete(code)) next.add(code);
      batch(() => {
        onlyTypes.value = next;
      });
    },
  };
}

export type Watching = ReturnType<typeof createWatching>;

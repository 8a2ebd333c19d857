import { batch, computed, effect, type ReadonlySignal, signal, untracked } from "@preact/signals";
import { NONE } from "./model/columns.ts";
import { type AddressBar, createNavigation } from "./navigation.ts";
import { type SessionRoute, sessionRoute } from "./route.ts";
import type { Connection } from "./state/connection.ts";
import type { Environment } from "./state/environment.ts";
import type { Get, Health, Post } from "./state/http.ts";
import type { Memory } from "./state/memory.ts";
import type { Home } from "./state/pages/home.ts";
import type { Repository } from "./state/pages/repository.ts";
import type { Visit } from "./state/pages/visit.ts";
import { createPlayer } from "./state/player.ts";
import type { Sessions } from "./state/sessions.ts";
import { createSettings } from "./state/settings.ts";
import type { Looking, Watching } from "./state/watching.ts";

/** Operations on the graph or outline that is shown. Other views have none. */
export type GraphControl = {
  fit: () => void;
  fullSize: () => void;
  zoomBy: (factor: number) => void;
  /** Returns the card below or above this one, or `NONE`. */
  neighbour: (from: number, step: 1 | -1) => number;
  page: (step: 1 | -1) => void;
  /** The whole graph as a PNG. The outline has no picture. */
  picture?: (title: string) => Promise<Blob>;
};
/** Actions for the keys on a page without a graph. */
export type PageControl = {
  /** Moves to the next or previous item: a block of a file, a hunk, a cell. */
  move?: (step: 1 | -1) => void;
  /** Moves to the next or previous line. */
  line?: (step: 1 | -1) => void;
  /** Moves to an older or newer version. */
  version?: (step: 1 | -1) => void;
  /** Opens the thought behind the selected item. */
  open?: () => void;
  /** What `y` copies instead of the link. `words` names the copied text in the message. */
  copy?: { words: string; text: () => string };
};
export type Overlay = "none" | "palette" | "keys" | "share" | "rail";
export type Toast = { title: string; words: string; good?: boolean };

/** Parts that need a server. A shared file has none of these parts. */
export type Server = {
  connection: Connection;
  sessions: Sessions;
  memory: Memory;
  home: Home;
  repository: Repository;
  visit: Visit;
  get: Get;
  post: Post;
  /** The server's health answer, or `undefined` until it arrives. */
  health: ReadonlySignal<Health | undefined>;
};

export type OpenWatching = (id: string, looking: Looking) => { watching: Watching; stop: () => void };

type Needs = {
  environment: Environment;
  address: AddressBar;
  narrow: ReadonlySignal<boolean>;
  open: OpenWatching;
};

const TOAST_FOR = 4_000;
const MOST_RECENT = 5;

/** For a session shown beside another: no selection, no search, and the present moment. */
const nowhere: Looking = { thought: signal(undefined), moment: signal(undefined), search: signal("") };

/** Creates the page's state and the actions on it. */
export function createObservatory({ environment, address, narrow, open }: Needs) {
  const navigation = createNavigation(address, environment);
  const { route } = navigation;
  const settings = createSettings(environment);
  const overlay = signal<Overlay>("none");
  const toast = signal<Toast | undefined>(undefined);
  /** The text for screen readers. */
  const said = signal("");
  const graph = signal<GraphControl | undefined>(undefined);
  const page = signal<PageControl | undefined>(undefined);
  const server = signal<Server | undefined>(undefined);
  const searching = signal(false);
  const recent = signal<readonly { session: string; index: number }[]>([]);
  /** The side that keys act on in the compare view. */
  const side = signal<"left" | "right">("left");

  const inSession = computed(() => (route.value.view === "session" ? route.value : undefined));
  const looking: Looking = {
    thought: computed(() => inSession.value?.thought),
    moment: computed(() => inSession.value?.moment),
    search: computed(() => inSession.value?.search ?? ""),
  };
  const sessionId = computed(() =>
    route.value.view === "session" || route.value.view === "compare" ? route.value.session : undefined,
  );
  const watching = signal<Watching | undefined>(undefined);
  effect(() => {
    const id = sessionId.value;
    if (id === undefined) {
      watching.value = undefined;
      return;
    }
    // Untracked, so that signals read while opening do not open it again.
    const opened = untracked(() => open(id, looking));
    watching.value = opened.watching;
    return opened.stop;
  });

  /** The other session in a comparison. */
  const beside = signal<Watching | undefined>(undefined);
  const otherId = computed(() => (route.value.view === "compare" ? route.value.other : undefined));
  effect(() => {
    const id = otherId.value;
    if (id === undefined) {
      beside.value = undefined;
      return;
    }
    const opened = untracked(() => open(id, nowhere));
    beside.value = opened.watching;
    return opened.stop;
  });

  effect(() => {
    // A link to a thought opens it.
    if (navigation.arrivals.value === 0) return;
    const here = watching.peek();
    if (here && looking.thought.peek()) here.detailOpen.value = true;
  });

  const folded = computed<ReadonlySet<string>>(() => new Set(inSession.value?.folded ?? []));
  /** The outline is the default view on narrow screens, where the graph would be too small. */
  const view = computed(() => inSession.value?.as ?? (narrow.value ? "outline" : "graph"));

  const look = (patch: Partial<Omit<SessionRoute, "view" | "session">>) => {
    const now = route.peek();
    if (now.view === "session") navigation.go({ ...now, ...patch });
    else if (now.view === "compare") navigation.go(sessionRoute(now.session, patch));
  };
  const player = createPlayer({
    after: environment.after,
    watching,
    speed: settings.speed,
    setMoment: (moment) => look({ moment }),
  });

  let endToast = () => {};
  return {
    environment,
    navigation,
    route,
    settings,
    overlay,
    toast,
    said,
    graph,
    page,
    server,
    searching,
    recent,
    side,
    narrow,
    watching,
    beside,
    folded,
    view,
    player,
    look,
    /** Selects a thought in the open session. `NONE` clears the selection. */
    select(index: number, { open: isOpening = false } = {}) {
      const here = watching.peek();
      if (!here) return;
      batch(() => {
        if (isOpening) here.detailOpen.value = index !== NONE;
        look({ thought: index === NONE ? undefined : here.nameOf(index) });
        if (index === NONE) return;
        const others = recent.peek().filter((one) => one.index !== index || one.session !== here.session.id);
        recent.value = [{ session: here.session.id, index }, ...others].slice(0, MOST_RECENT);
      });
    },
    tell(next: Toast) {
      endToast();
      toast.value = next;
      endToast = environment.after(TOAST_FOR, () => {
        toast.value = undefined;
      });
    },
  };
}

export type Observatory = ReturnType<typeof createObservatory>;

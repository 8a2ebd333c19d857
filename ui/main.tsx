import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/rail.css";
import "./styles/notices.css";
import "./styles/narrow.css";
import "./styles/graph.css";
import "./styles/session.css";
import "./styles/timeline.css";
import "./styles/outline.css";
import "./styles/detail.css";
import "./styles/remarks.css";
import "./styles/dialogs.css";
import "./styles/sessions.css";
import "./styles/first-run.css";
import "./styles/compare.css";
import "./styles/tasks.css";
import "./styles/board.css";
import "./styles/signals.css";
import "./styles/pages.css";
import "./styles/lanes.css";
import "./styles/home.css";
import "./styles/actions.css";
import "./styles/memory-board.css";
import "./styles/notebooks.css";
import "./styles/files.css";
import { computed, effect, signal } from "@preact/signals";
import { render } from "preact";
import { announce } from "./announce.ts";
import { App } from "./app.tsx";
import type { Command } from "./command.ts";
import { createCommands } from "./commands.ts";
import { listenToKeys } from "./key-listener.ts";
import { browserAddressBar } from "./navigation.ts";
import { giveNotices } from "./notices.ts";
import { createObservatory, type OpenWatching } from "./observatory.ts";
import { PageContext } from "./parts/basics/context.ts";
import { createHands } from "./parts/basics/hands.ts";
import { sessionRoute } from "./route.ts";
import { SAMPLE_ID, sampleSession } from "./sample/sample-session.ts";
import { buildFile } from "./share/build-file.ts";
import { checkChain } from "./state/checking.ts";
import { createConnection } from "./state/connection.ts";
import { browserEnvironment } from "./state/environment.ts";
import { findRemotely } from "./state/finding.ts";
import { createGet, createPost, type Health, proofProtocols } from "./state/http.ts";
import { createMemory } from "./state/memory.ts";
import { followActions } from "./state/pages/actions.ts";
import { createHome } from "./state/pages/home.ts";
import { createRepository } from "./state/pages/repository.ts";
import { createVisit } from "./state/pages/visit.ts";
import { followRemarks } from "./state/remarks.ts";
import { createSession, watchSession } from "./state/session.ts";
import { createSessions } from "./state/sessions.ts";
import { createWatching } from "./state/watching.ts";
import { createWords, localWords } from "./state/words.ts";
import { countOf } from "./text/count-words.ts";

const environment = browserEnvironment();
const get = createGet(location.origin);
const connection = createConnection({
  ...environment,
  open: () => new WebSocket(location.origin.replace(/^http/, "ws"), proofProtocols()),
  isRefused: async () => {
    const fetched = await get("/api/health");
    return "failed" in fetched && fetched.failed.status === 401;
  },
});

/**
 * Loaded while the server is running. The page uses it to show how to start the server after it has stopped.
 */
const health = signal<Health>();
effect(() => {
  if (connection.state.value !== "open") return;
  void get<Health>("/api/health").then((fetched) => {
    if ("answer" in fetched) health.value = fetched.answer;
  });
});

const openWatching: OpenWatching = (id, looking) => {
  const session = createSession(id);
  if (id === SAMPLE_ID) {
    const { session: info, thoughts } = sampleSession(environment.now());
    session.load(info, thoughts);
    return { watching: createWatching(session, localWords(session), looking), stop: () => undefined };
  }
  const watching = createWatching(session, createWords(session, get), looking);
  const stopSearch = findRemotely(watching, looking.search, { ...environment, get });
  const stopChecking = checkChain(session, { ...environment, get });
  const stopRemarks = followRemarks(session, get);
  const stopActions = followActions(session, { ...environment, get });
  const stopWatching = watchSession(session, {
    connection,
    now: environment.now,
    onBack: (thoughts) =>
      observatory.tell({
        title: "Back",
        words:
          thoughts > 0
            ? `${countOf(thoughts, "thought")} arrived in the meantime. ${thoughts === 1 ? "It is" : "They are"} marked.`
            : "Nothing was missed.",
        good: true,
      }),
  });
  return {
    watching,
    stop: () => {
      stopSearch();
      stopChecking();
      stopActions();
      stopRemarks();
      stopWatching();
    },
  };
};

const narrowScreen = matchMedia("(max-width: 640px)");
const narrow = signal(narrowScreen.matches);
narrowScreen.addEventListener("change", () => {
  narrow.value = narrowScreen.matches;
});

const observatory = createObservatory({
  environment,
  address: browserAddressBar(),
  narrow,
  open: openWatching,
});
const { route } = observatory;
const visible = signal(document.visibilityState === "visible");
document.addEventListener("visibilitychange", () => {
  visible.value = document.visibilityState === "visible";
});
const sessions = createSessions({ connection, get });
const visit = createVisit(environment, visible);
const home = createHome({
  ...environment,
  get,
  visit,
  changes: sessions.byId,
  wish: computed(() => {
    const at = route.value;
    return at.view === "home"
      ? { period: at.since, project: at.project, show: at.show, isShown: true }
      : { period: "visit", project: undefined, show: undefined, isShown: false };
  }),
});
observatory.server.value = {
  connection,
  get,
  post: createPost(location.origin),
  health,
  sessions,
  visit,
  home,
  repository: createRepository({ get }),
  memory: createMemory(
    { ...environment, get },
    computed(() => (route.value.view === "memory" ? (route.value.workspace ?? "") : undefined)),
  ),
};

const commands: Command[] = [];
const keys = listenToKeys(observatory, commands);
commands.push(...createCommands(observatory, createHands(observatory, keys.awaitType, buildFile)));
announce(observatory);
giveNotices(observatory, (title, body, session) => {
  if (!observatory.settings.notify.peek() || visible.peek() || Notification.permission !== "granted") return;
  const notice = new Notification(title, { body, tag: session });
  notice.onclick = () => {
    window.focus();
    observatory.navigation.go(sessionRoute(session));
  };
});
// On narrow screens the rail is a sheet, which closes after a choice.
effect(() => {
  route.value;
  if (observatory.overlay.peek() === "rail") observatory.overlay.value = "none";
});

const host = document.getElementById("app");
if (host)
  render(
    <PageContext.Provider value={{ observatory, commands }}>
      <App />
    </PageContext.Provider>,
    host,
  );
connection.connect();

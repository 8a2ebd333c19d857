import { backOut, compare, openDetail } from "./acts.ts";
import type { Command, Hands } from "./command.ts";
import type { Observatory } from "./observatory.ts";
import { sessionRoute } from "./route.ts";
import { homeRoute, memoryRoute, SORTS, sessionsRoute, withoutLastFilter } from "./route-lists.ts";
import type { Theme } from "./state/settings.ts";
import {
  graphCommands,
  hasSelection,
  inSession,
  memoryCommands,
  moveCommands,
  pageCommands,
  remarkCommands,
} from "./view-commands.ts";

export function createCommands(o: Observatory, hands: Hands): readonly Command[] {
  return [
    ...moveCommands(o, hands),
    ...homeCommands(o, hands),
    ...graphCommands(o),
    ...remarkCommands(o),
    ...memoryCommands(o, hands),
    ...pageCommands(o, hands),
    ...timeCommands(o),
    ...goCommands(o, hands),
    ...exportCommands(o, hands),
    ...settingCommands(o),
  ];
}

function homeCommands(o: Observatory, hands: Hands): Command[] {
  const atHome = () => o.route.value.view === "home";
  return [
    {
      id: "home",
      words: "Go home",
      icon: "home",
      isOffered: () => o.server.value !== undefined,
      run: () => o.navigation.go(homeRoute()),
    },
    {
      id: "notebooks",
      words: "Go to notebooks",
      icon: "notebook",
      isOffered: () => o.server.value !== undefined,
      run: () => o.navigation.go({ view: "notebooks", notebook: undefined, cell: undefined }),
    },
    {
      id: "files",
      words: "Go to files",
      icon: "file",
      isOffered: () => o.server.value !== undefined,
      run: () => o.navigation.go({ view: "files", path: undefined, line: undefined }),
    },
    {
      id: "mark-seen",
      words: "Mark everything as seen",
      icon: "check",
      isOffered: atHome,
      run: () => o.server.peek()?.visit.markSeen(),
    },
    {
      id: "filter",
      run: () => {
        if (o.route.peek().view === "sessions") hands.focusFilters();
      },
    },
    { id: "open-hit", run: () => firstHit()?.click() },
    {
      id: "open-hit-in-tab",
      run: () => {
        const hit = firstHit();
        if (hit) window.open(hit.href, "_blank", "noopener");
      },
    },
    {
      id: "drop-filter",
      run: () => {
        const at = o.route.peek();
        if (at.view === "sessions") o.navigation.go(withoutLastFilter(at));
      },
    },
    {
      id: "sort",
      run: () => {
        const at = o.route.peek();
        if (at.view !== "sessions") return;
        const choices = SORTS.filter((sort) => sort !== "match" || at.search !== "");
        const now = choices.indexOf(at.sort ?? (at.search === "" ? "last" : "match"));
        o.navigation.go({ ...at, sort: choices[(now + 1) % choices.length], isReversed: false });
      },
    },
    ...[1, 2, 3].map((nth) => ({
      id: `agent-${nth}`,
      run: () => document.querySelectorAll<HTMLElement>(".nows > a")[nth - 1]?.click(),
    })),
  ];
}

const firstHit = () => document.querySelector<HTMLAnchorElement>(".hitrow.next");

function timeCommands(o: Observatory): Command[] {
  const isPast = () => inSession(o) && o.watching.value?.moment.value !== Number.POSITIVE_INFINITY;
  return [
    { id: "play", run: () => inSession(o) && o.player.toggle() },
    { id: "step-back", run: () => inSession(o) && o.player.step(-1) },
    { id: "step-forth", run: () => inSession(o) && o.player.step(1) },
    {
      id: "follow",
      words: "Follow",
      icon: "arrow",
      isOffered: () => inSession(o) && !isPast(),
      run: () => {
        const here = o.watching.peek();
        if (here) here.follow.value = !here.follow.peek();
      },
    },
    {
      id: "replay-here",
      words: "Replay from here",
      icon: "clock",
      isOffered: () => hasSelection(o),
      run: () => {
        o.player.to(o.watching.peek()?.selected.peek() ?? 0);
        o.player.playing.value = true;
      },
    },
    { id: "to-now", words: "Go to now", icon: "clock", isOffered: isPast, run: () => o.player.toNow() },
  ];
}

function goCommands(o: Observatory, hands: Hands): Command[] {
  return [
    {
      id: "palette",
      run: () => {
        o.overlay.value = o.overlay.peek() === "palette" ? "none" : "palette";
      },
    },
    {
      id: "keys",
      words: "Keys",
      icon: "outline",
      run: () => {
        o.overlay.value = "keys";
      },
    },
    { id: "search", words: "Search", icon: "search", run: hands.focusSearch },
    { id: "only-type", run: hands.awaitType },
    { id: "open-detail", run: () => openDetail(o) },
    { id: "back-out", run: () => backOut(o) },
    {
      id: "plain-text",
      words: "Thoughts as written ↔ formatted",
      icon: "outline",
      isOffered: () => inSession(o),
      run: () => {
        o.settings.plain.value = !o.settings.plain.peek();
      },
    },
    {
      id: "sessions",
      words: "Go to sessions",
      icon: "sessions",
      isOffered: () => o.server.value !== undefined,
      run: () => o.navigation.go(sessionsRoute()),
    },
    {
      id: "memory",
      words: "Go to memory",
      icon: "memory",
      isOffered: () => o.server.value !== undefined,
      run: () => o.navigation.go(memoryRoute()),
    },
    {
      id: "other-view",
      words: "Graph ↔ outline",
      icon: "outline",
      isOffered: () => inSession(o),
      run: () => o.look({ as: o.view.peek() === "graph" ? "outline" : "graph" }),
    },
    {
      id: "compare",
      words: "Compare …",
      icon: "compare",
      isOffered: () => inSession(o),
      run: () => compare(o),
    },
    {
      id: "sample",
      words: "Sample session",
      icon: "graph",
      isOffered: () => o.server.value !== undefined,
      run: () => o.navigation.go(sessionRoute("sample")),
    },
  ];
}

function exportCommands(o: Observatory, hands: Hands): Command[] {
  const here = () => inSession(o);
  const selected = () => hasSelection(o);
  const hasServer = () => here() && o.server.value !== undefined;
  const isStored = () => hasServer() && o.watching.value?.session.isLocal.value === false;
  return [
    {
      id: "share",
      run: () => {
        if (hasServer()) o.overlay.value = "share";
      },
    },
    { id: "share-html", words: "Share as HTML", icon: "share", isOffered: isStored, run: hands.saveHtml },
    { id: "save-png", words: "Save PNG", icon: "share", isOffered: here, run: hands.savePng },
    { id: "copy-mermaid", words: "Copy Mermaid", icon: "copy", isOffered: here, run: hands.copyMermaid },
    { id: "copy-link", words: "Copy link", icon: "link", run: hands.copyLink },
    { id: "copy-thought", words: "Copy thought", icon: "copy", isOffered: selected, run: hands.copyThought },
    { id: "copy-json", words: "Copy JSON", icon: "braces", isOffered: selected, run: hands.copyJson },
    {
      id: "copy-verify",
      words: "Copy verify call",
      icon: "check",
      isOffered: isStored,
      run: hands.copyVerify,
    },
  ];
}

const settingCommands = (o: Observatory): Command[] =>
  (["system", "dark", "light"] as const satisfies readonly Theme[]).map((theme) => ({
    id: `theme-${theme}`,
    words: `Theme ${theme}`,
    icon: "sun",
    run: () => {
      o.settings.theme.value = theme;
    },
  }));

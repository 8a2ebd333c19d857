import { useEffect, useLayoutEffect } from "preact/hooks";
import type { Observatory } from "./observatory.ts";
import { useObservatory } from "./parts/basics/context.ts";
import { useSettledTheme } from "./parts/basics/theme-of-page.ts";
import { ConnectionBanner } from "./parts/frame/connection-banner.tsx";
import { KeySheet } from "./parts/frame/key-sheet.tsx";
import { Palette } from "./parts/frame/palette.tsx";
import { ShareMenu } from "./parts/frame/share-menu.tsx";
import { Tabs } from "./parts/frame/tabs.tsx";
import { Toaster } from "./parts/frame/toast.tsx";
import type { Route } from "./route.ts";
import { FilesView } from "./views/files.tsx";
import { FirstRun, useFirstThought } from "./views/first-run.tsx";
import { HomeView } from "./views/home.tsx";
import { MemoryView } from "./views/memory.tsx";
import { NotebooksView } from "./views/notebooks.tsx";
import { SessionView } from "./views/session.tsx";
import { SessionsView } from "./views/sessions.tsx";

/** Shows the view for the current address, with banners and dialogs above it. */
export function App() {
  const o = useObservatory();
  const theme = useSettledTheme();
  const title = o.watching.value?.session.info.value?.title ?? pageTitles[o.route.value.view];
  const open = o.server.value?.home.open.value ?? 0;
  // This layout effect sets the theme before other effects draw with the page's colours.
  useLayoutEffect(() => {
    document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  useEffect(() => {
    document.title = `${open > 0 ? `(${open}) ` : ""}${title === undefined ? "" : `${title} – `}Thoughtbox`;
  }, [title, open]);
  const overlay = o.overlay.value;
  return (
    <>
      <button type="button" class="skip" onClick={() => skipToContent(o)}>
        {o.route.value.view === "session" ? "Read as outline" : "Skip to content"}
      </button>
      <CurrentView />
      {o.server.value && <Tabs />}
      <ConnectionBanner />
      <Toaster />
      {overlay === "palette" && <Palette />}
      {overlay === "keys" && <KeySheet />}
      {overlay === "share" && <ShareMenu />}
      <div class="off-screen" aria-live="polite">
        {o.said.value}
      </div>
    </>
  );
}

const pageTitles: Partial<Record<Route["view"], string>> = {
  home: "Home",
  sessions: "Sessions",
  memory: "Memory",
  notebooks: "Notebooks",
  files: "Files",
};

function skipToContent(o: Observatory) {
  if (o.route.peek().view === "session") o.look({ as: "outline" });
  requestAnimationFrame(() => {
    const content = document.querySelector<HTMLElement>("[role=tree]") ?? document.querySelector("main");
    if (!content) return;
    if (!content.hasAttribute("tabindex")) content.tabIndex = -1;
    content.focus();
  });
}

function FirstRunView() {
  useFirstThought();
  return <FirstRun />;
}

function CurrentView() {
  const o = useObservatory();
  const route = o.route.value;
  const watching = o.watching.value;
  switch (route.view) {
    case "first":
      return <FirstRunView />;
    case "home":
      return <HomeView route={route} />;
    case "sessions":
      return <SessionsView route={route} />;
    case "files":
      return <FilesView route={route} />;
    case "notebooks":
      return <NotebooksView route={route} />;
    case "memory":
      return <MemoryView route={route} />;
    case "session":
    case "compare":
      return watching ? <SessionView route={route} watching={watching} /> : null;
  }
}

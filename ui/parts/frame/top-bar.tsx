import type { ComponentChildren } from "preact";
import { keysOf, showKey } from "../../keys.ts";
import { formatRoute } from "../../route.ts";
import { homeRoute } from "../../route-lists.ts";
import { useCommand, useObservatory } from "../basics/context.ts";
import { Icon, Logo } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { isMac } from "../basics/platform.ts";
import { useSettledTheme } from "../basics/theme-of-page.ts";

type Props = {
  title: string;
  project?: string | undefined;
  /** The folders between the project and the title. */
  within?: readonly string[];
  badge?: ComponentChildren;
  /** Shown before the search, such as the views of a session. */
  children?: ComponentChildren;
  /** Shown after the search, such as the actions that this page offers. */
  acts?: ComponentChildren;
};

/** Shows the current place, and the controls that are always available. */
export function TopBar({ title, project, within = [], badge, children, acts }: Props) {
  const o = useObservatory();
  const places = [...(project ? [project] : []), ...within];
  const phase = o.watching.value?.session.phase.value;
  return (
    <header class="top">
      {o.server.value && (
        <button
          type="button"
          class="ib rail-button"
          aria-label="Sessions and memory"
          onClick={() => {
            o.overlay.value = "rail";
          }}
        >
          <Icon name="menu" />
        </button>
      )}
      <a class="brand" href={formatRoute(homeRoute())} aria-label="Thoughtbox">
        <Logo />
        <span>Thoughtbox</span>
      </a>
      <div class="crumb">
        {places.map((place, at) => (
          <span key={at} class="p">
            <PlainText text={place} />
            <span aria-hidden="true">/</span>
          </span>
        ))}
        <h1 class="t" title={title}>
          <PlainText text={title} />
        </h1>
        {badge}
      </div>
      {children}
      <Find />
      {acts}
      {o.server.value && (phase === "ready" || phase === "loading") && <ShareButton />}
      <ThemeButton />
    </header>
  );
}

function Find() {
  const run = useCommand();
  return (
    <button type="button" class="find" onClick={() => run("palette")}>
      <Icon name="search" />
      <span>Search or jump</span>
      <kbd aria-hidden="true">{showKey(keysOf("palette")[0] ?? "", isMac())}</kbd>
    </button>
  );
}

function ShareButton() {
  const o = useObservatory();
  return (
    <button
      type="button"
      class="btn share-button"
      aria-haspopup="dialog"
      onClick={() => {
        o.overlay.value = "share";
      }}
    >
      <Icon name="share" />
      Share
    </button>
  );
}

export function ThemeButton() {
  const { settings } = useObservatory();
  const theme = useSettledTheme();
  const other = theme === "dark" ? "light" : "dark";
  return (
    <button
      type="button"
      class="ib theme-button"
      aria-label={`Use ${other} colours`}
      title={`Use ${other} colours`}
      onClick={() => {
        settings.theme.value = other;
      }}
    >
      <Icon name="sun" />
    </button>
  );
}

import type { ComponentChildren } from "preact";
import { formatRoute, sessionRoute } from "../../route.ts";
import { livenessOf } from "../../state/liveness.ts";
import type { Session } from "../../state/thought.ts";
import { countOf, formatCount } from "../../text/count-words.ts";
import { formatAge } from "../../text/time-words.ts";
import { useNow } from "../basics/clock.ts";
import { useObservatory } from "../basics/context.ts";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { FingerprintBar } from "../session/fingerprint-bar.tsx";
import { ConnectionBadge, LivenessMark } from "./badge.tsx";

const MOST_EARLIER = 30;

export type Place = "home" | "sessions" | "memory" | "notebook" | "file";

/** Returns the places listed in the rail, and in the tabs at the bottom of a narrow page. */
export function usePlaces(): readonly {
  name: Place;
  words: string;
  href: string;
  count: string;
  isNew: boolean;
}[] {
  const server = useObservatory().server.value;
  const open = server?.home.open.value ?? 0;
  const notebooks = server?.home.latest.value?.notebooks ?? 0;
  const workspaces = server?.memory.workspaces.value.length ?? 0;
  return [
    { name: "home", words: "Home", href: "#/", count: open > 0 ? formatCount(open) : "", isNew: open > 0 },
    {
      name: "sessions",
      words: "Sessions",
      href: "#/sessions",
      count: server?.sessions.loaded.value ? formatCount(server.sessions.total.value) : "–",
      isNew: false,
    },
    {
      name: "memory",
      words: "Memory",
      href: "#/m",
      count: workspaces > 0 ? formatCount(workspaces) : "",
      isNew: false,
    },
    {
      name: "notebook",
      words: "Notebooks",
      href: "#/n",
      count: notebooks > 0 ? formatCount(notebooks) : "",
      isNew: false,
    },
    { name: "file", words: "Files", href: "#/f", count: "", isNew: false },
  ];
}

/** Shows the places at the top, the connection at the bottom, and the view's own content between them. */
export function Rail({ on, children }: { on: Place | undefined; children?: ComponentChildren }) {
  const o = useObservatory();
  const server = o.server.value;
  const places = usePlaces();
  if (!server) return null;
  return (
    <nav class={o.overlay.value === "rail" ? "side open" : "side"} aria-label="Main">
      <div class="nav">
        {places.map(({ name, words, href, count, isNew }) => (
          <a
            key={name}
            class={on === name ? "on" : ""}
            href={href}
            aria-current={on === name ? "page" : undefined}
          >
            <Icon name={name} />
            {words}
            <span class="num">
              {count}
              {isNew && <i class="new" />}
            </span>
          </a>
        ))}
      </div>
      {children ?? <SessionRail />}
      <ConnectionBadge state={server.connection.state.value} host={location.host} />
    </nav>
  );
}

function SessionRail() {
  const o = useObservatory();
  const list = o.server.value?.sessions.list.value ?? [];
  const now = useNow();
  const inState = (...states: readonly string[]) =>
    list.filter((session) => states.includes(livenessOf(session, now)));
  const groups = [
    { name: "Thinking", sessions: inState("thinking") },
    { name: "Open", sessions: inState("open") },
    { name: "Earlier", sessions: inState("quiet", "ended").slice(0, MOST_EARLIER) },
  ];
  return (
    <div class="slist" tabIndex={0} role="group" aria-label="Sessions">
      {groups.map(
        ({ name, sessions }) => sessions.length > 0 && <Group key={name} name={name} sessions={sessions} />,
      )}
    </div>
  );
}

const Group = ({ name, sessions }: { name: string; sessions: readonly Session[] }) => (
  <>
    <h2 class="sgroup eyebrow">{name}</h2>
    {sessions.map((session) => (
      <Row key={session.id} session={session} />
    ))}
  </>
);

function Row({ session }: { session: Session }) {
  const o = useObservatory();
  const now = useNow();
  const isHere = o.watching.value?.session.id === session.id;
  return (
    <a
      class={isHere ? "srow on" : "srow"}
      href={formatRoute(sessionRoute(session.id))}
      aria-current={isHere ? "true" : undefined}
    >
      <b>
        <PlainText text={session.title} />
      </b>
      <FingerprintBar types={session.story?.fingerprint ?? ""} />
      <span class="l2">
        <LivenessMark state={livenessOf(session, now)} />
        <span class="counts">
          <span>{countOf(session.thoughtCount, "thought")}</span>
          {session.branchCount > 0 && <span>{countOf(session.branchCount, "branch", "branches")}</span>}
        </span>
        <span>{formatAge(Date.parse(session.story?.lastAt ?? session.updatedAt), now)}</span>
      </span>
    </a>
  );
}

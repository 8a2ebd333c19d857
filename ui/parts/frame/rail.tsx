import type { ComponentChildren } from "preact";
import { formatRoute, sessionRoute } from "../../route.ts";
import { stateOf } from "../../state/sessions.ts";
import type { Session } from "../../state/thought.ts";
import { countOf, formatCount } from "../../text/count-words.ts";
import { formatAge } from "../../text/time-words.ts";
import { useNow } from "../basics/clock.ts";
import { useObservatory } from "../basics/context.ts";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { FingerprintBar } from "../session/fingerprint-bar.tsx";
import { ConnectionBadge } from "./badge.tsx";

const MOST_EARLIER = 30;

/** Sessions and memory, with whatever the view puts between the two and the connection. */
export function Rail({
  on,
  children,
}: {
  on: "sessions" | "memory" | undefined;
  children?: ComponentChildren;
}) {
  const o = useObservatory();
  const server = o.server.value;
  if (!server) return null;
  const workspaces = server.memory.workspaces.value.length;
  return (
    <nav class={o.overlay.value === "rail" ? "side open" : "side"} aria-label="Sessions and memory">
      <div class="nav">
        <a
          class={on === "sessions" ? "on" : ""}
          href="#/"
          aria-current={on === "sessions" ? "page" : undefined}
        >
          <Icon name="sessions" />
          Sessions<span class="num">{formatCount(server.sessions.total.value)}</span>
        </a>
        <a class={on === "memory" ? "on" : ""} href="#/m" aria-current={on === "memory" ? "page" : undefined}>
          <Icon name="memory" />
          Memory{workspaces > 1 && <span class="num">{workspaces}</span>}
        </a>
      </div>
      {children ?? <SessionRail />}
      <ConnectionBadge state={server.connection.state.value} host={location.host} />
    </nav>
  );
}

function SessionRail() {
  const o = useObservatory();
  const list = o.server.value?.sessions.list.value ?? [];
  const live = list.filter((session) => stateOf(session) === "live");
  const earlier = list.filter((session) => stateOf(session) !== "live").slice(0, MOST_EARLIER);
  return (
    <div class="slist" tabIndex={0} role="group" aria-label="Sessions">
      {live.length > 0 && <Group name="Live" sessions={live} />}
      {earlier.length > 0 && <Group name="Earlier" sessions={earlier} />}
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
  const state = stateOf(session);
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
        {state !== "done" && <i class={state === "live" ? "dot on" : "dot off"} />}
        <span>{countOf(session.thoughtCount, "thought")}</span>
        {session.branchCount > 0 && (
          <span class="branches">{countOf(session.branchCount, "branch", "branches")}</span>
        )}
        <span class="ago">{formatAge(Date.parse(session.story?.lastAt ?? session.updatedAt), now)}</span>
      </span>
    </a>
  );
}

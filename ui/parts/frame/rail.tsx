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
        <span>{countOf(session.thoughtCount, "thought")}</span>
        {session.branchCount > 0 && (
          <span class="branches">{countOf(session.branchCount, "branch", "branches")}</span>
        )}
        <span class="ago">{formatAge(Date.parse(session.story?.lastAt ?? session.updatedAt), now)}</span>
      </span>
    </a>
  );
}

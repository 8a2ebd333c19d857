import { useRef } from "preact/hooks";
import { gist } from "../../model/gist.ts";
import { formatRoute, sessionRoute } from "../../route.ts";
import { sessionsRoute } from "../../route-lists.ts";
import { asksUser, lastSignOf, livenessOf, runningOf } from "../../state/liveness.ts";
import { agentOf, projectOf } from "../../state/sessions.ts";
import type { Session } from "../../state/thought.ts";
import { agentName } from "../../text/agent-names.ts";
import { countOf } from "../../text/count-words.ts";
import { formatAge } from "../../text/time-words.ts";
import { runningIcon } from "../actions/between.tsx";
import { Chip } from "../basics/chip.tsx";
import { useNow } from "../basics/clock.ts";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { SessionBadge } from "../frame/badge.tsx";

const CARDS = 3;

/**
 * Returns active sessions: thinking, then open. In each group, the session that is silent longest is first.
 */
export function agentsNow(sessions: readonly Session[], now: number): Session[] {
  const inState = (state: string) =>
    sessions
      .filter((session) => livenessOf(session, now) === state)
      .sort((a, b) => lastSignOf(a) - lastSignOf(b));
  return [...inState("thinking"), ...inState("open")];
}

/**
 * Returns the sessions to show as cards: all of them if there are at most three, and two if there are more. A
 * card stays in its place while its agent is working. If the agent stops, the next one takes that place.
 */
export function placeCards(shown: readonly string[], working: readonly Session[]): readonly Session[] {
  const room = working.length > CARDS ? CARDS - 1 : working.length;
  const byId = new Map(working.map((session) => [session.id, session]));
  const kept = new Set(shown.slice(0, room).filter((id) => byId.has(id)));
  const waiting = working.filter(({ id }) => !kept.has(id));
  return Array.from({ length: room }, (_, place) => {
    const id = shown[place];
    return (id !== undefined && kept.has(id) ? byId.get(id) : waiting.shift()) as Session;
  });
}

export function AgentsNow({ working, now }: { working: readonly Session[]; now: number }) {
  const shown = useRef<readonly string[]>([]);
  const cards = placeCards(shown.current, working);
  shown.current = cards.map(({ id }) => id);
  if (working.length === 0) return null;
  const rest = working.length - cards.length;
  const all = sessionsRoute({ state: ["thinking", "open"] });
  return (
    <section class="nows" aria-label="Agents now">
      {cards.map((session) => (
        <AgentCard key={session.id} session={session} now={now} />
      ))}
      {rest > 0 && (
        <a class="nc more-agents" href={formatRoute(all)} data-row>
          <b>{countOf(rest, "more agent")}</b>
          <span class="meta">Open the sessions</span>
        </a>
      )}
    </section>
  );
}

function AgentCard({ session, now }: { session: Session; now: number }) {
  const last = session.story?.last;
  const agent = agentOf(session);
  const project = projectOf(session);
  const running = runningOf(session, now);
  const isAsking = asksUser(session, now);
  const asks = isAsking || (last?.type === "Q" && livenessOf(session, now) === "open");
  return (
    <a
      class={`nc tcard k-${last?.type ?? "N"}${last?.type === "C" ? " C" : ""}`}
      href={formatRoute(sessionRoute(session.id))}
      data-row
    >
      <span class="h">
        <b class="ell">
          <PlainText text={session.title} />
        </b>
        <SessionBadge session={session} />
      </span>
      <span class="meta">
        {project !== "" && <PlainText text={project} />}
        {project !== "" && agent !== undefined && <span class="sep">·</span>}
        {agent !== undefined && <PlainText text={agentName(agent)} />}
      </span>
      {last && (
        <span class="say">
          <Chip type={last.type} />
          <span class="num">{last.thoughtNumber}</span>
          <p>
            <PlainText text={gist(last.text)} />
          </p>
        </span>
      )}
      {running && !isAsking ? (
        <RunningNow running={running} />
      ) : asks ? (
        <span class="do">
          <Icon name="user" />
          <span class="ell">Waiting for your answer</span>
          <span class="num">{formatAge(running ? Date.parse(running.at) : lastSignOf(session), now)}</span>
        </span>
      ) : null}
    </a>
  );
}

function RunningNow({ running }: { running: { command: string; at: string } }) {
  const now = useNow(1_000);
  return (
    <span class="do">
      <Icon name={runningIcon(running.command)} />
      <code class="ell">
        <PlainText text={running.command} />
      </code>
      <span class="num">{formatAge(Date.parse(running.at), now)}</span>
    </span>
  );
}

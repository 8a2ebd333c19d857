import { tellStory } from "../../model/pages/told.ts";
import { formatRoute, sessionRoute } from "../../route.ts";
import { lastSignOf, livenessOf } from "../../state/liveness.ts";
import { modelsOf, placeTag, tookOf } from "../../state/pages/listing.ts";
import { agentOf, projectOf } from "../../state/sessions.ts";
import type { Session } from "../../state/thought.ts";
import { agentName } from "../../text/agent-names.ts";
import { formatCount } from "../../text/count-words.ts";
import { formatMinute, formatMoment, formatSpan } from "../../text/time-words.ts";
import { Chip } from "../basics/chip.tsx";
import { useNow } from "../basics/clock.ts";
import { PlainText } from "../basics/plain-text.tsx";
import { SessionBadge } from "../frame/badge.tsx";
import { FingerprintBar } from "../session/fingerprint-bar.tsx";

type Props = {
  session: Session;
  /** Whether a heading above the row shows the day. The row then shows only the time. */
  isUnderDay?: boolean;
};

/** Shows one session: its title, its story, its fingerprint and its figures. */
export function SessionRow({ session, isUnderDay = false }: Props) {
  const now = useNow();
  const { story } = session;
  const project = projectOf(session);
  const agent = agentOf(session);
  const [model] = modelsOf(session);
  const last = lastSignOf(session);
  return (
    <a class="tr" href={formatRoute(sessionRoute(session.id))} data-row>
      <span class="ti">
        <span class="t1">
          <b>
            <PlainText text={session.title} />
          </b>
          <span class="tags">
            {project !== "" && (
              <span>
                <PlainText text={project} />
              </span>
            )}
            {session.tags
              .filter((tag) => !placeTag.test(tag))
              .slice(0, 4)
              .map((tag) => (
                <span key={tag} class="tag">
                  <PlainText text={tag} />
                </span>
              ))}
          </span>
        </span>
        <StoryLine session={session} />
      </span>
      <FingerprintBar types={story?.fingerprint ?? ""} />
      <span class="who2 c-agent">
        {agent !== undefined && <PlainText text={agentName(agent)} />}
        {model !== undefined && (
          <span class="model">
            <PlainText text={model} />
          </span>
        )}
      </span>
      <span class="num rt">
        {formatCount(session.thoughtCount)}
        <span class="off-screen">{session.thoughtCount === 1 ? " thought" : " thoughts"}</span>
      </span>
      <span class="num rt c-took">{story ? formatSpan(tookOf(session)) : "–"}</span>
      <span class="c-state">
        <SessionBadge session={session} />
      </span>
      <span class="rt dim c-last">{isUnderDay ? formatMinute(last) : formatMoment(last, now)}</span>
    </a>
  );
}

function StoryLine({ session }: { session: Session }) {
  const state = livenessOf(session, useNow());
  const { story, thoughtCount } = session;
  if (!story) return <span class="t2 dim">{thoughtCount === 0 ? "no thoughts yet" : " "}</span>;
  const { lead, type, text } = tellStory(story, state === "thinking" || state === "open");
  return (
    <span class="t2">
      {type && <Chip type={type} size="s" />}
      {lead !== undefined && <span class="lead">{lead}</span>}
      <span class="words">
        <PlainText text={text} />
      </span>
    </span>
  );
}

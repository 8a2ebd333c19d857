import { gist } from "../../model/gist.ts";
import { formatRoute, sessionRoute } from "../../route.ts";
import type { Hit } from "../../state/search.ts";
import { projectOf } from "../../state/sessions.ts";
import type { Session } from "../../state/thought.ts";
import { formatCount } from "../../text/count-words.ts";
import { formatAgo, formatSpan } from "../../text/time-words.ts";
import { Chip } from "../basics/chip.tsx";
import { useNow } from "../basics/clock.ts";
import { PlainText } from "../basics/plain-text.tsx";
import { SessionBadge } from "../frame/badge.tsx";
import { FingerprintBar } from "./fingerprint-bar.tsx";

/** One session: its title, its newest conclusion, its fingerprint and its figures. */
export function SessionRow({ session }: { session: Session }) {
  const now = useNow();
  const { story } = session;
  const project = projectOf(session);
  const took = story ? Date.parse(story.lastAt) - Date.parse(story.firstAt) : 0;
  return (
    <a class="tr" href={formatRoute(sessionRoute(session.id))}>
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
            {session.tags.slice(0, 4).map((tag) => (
              <span key={tag} class="tag">
                <PlainText text={tag} />
              </span>
            ))}
          </span>
        </span>
        <span class="t2">
          {story?.stands ? (
            <>
              <Chip type={story.stands.type} size="s" />
              <span class="words">
                <PlainText text={gist(story.stands.text)} />
              </span>
            </>
          ) : (
            <span class="dim">no conclusion yet</span>
          )}
        </span>
      </span>
      <FingerprintBar types={story?.fingerprint ?? ""} />
      <span class="num rt">
        {formatCount(session.thoughtCount)}
        <span class="off-screen"> thoughts</span>
      </span>
      <span class="num rt c-branches">{session.branchCount || "–"}</span>
      <span class="num rt c-took">{story ? formatSpan(took) : "–"}</span>
      <span class="c-state">
        <SessionBadge session={session} />
      </span>
      <span class="rt dim">{formatAgo(Date.parse(story?.lastAt ?? session.updatedAt), now)}</span>
    </a>
  );
}

/** The server marks what it found like «this». */
const Snippet = ({ text }: { text: string }) => (
  <>
    {text.split(/«([^»]*)»/).map((part, at) =>
      at % 2 === 1 ? (
        <mark key={at}>
          <PlainText text={part} />
        </mark>
      ) : (
        <PlainText key={at} text={part} />
      ),
    )}
  </>
);

export const HitRows = ({ hits, query }: { hits: readonly Hit[]; query: string }) => (
  <>
    {hits.map(
      ({ sessionId, thought, snippet }) =>
        thought && (
          <a
            key={thought.id}
            class="hitrow"
            href={formatRoute(
              sessionRoute(sessionId, {
                thought: { branch: thought.branchId, number: thought.thoughtNumber },
                search: query,
              }),
            )}
          >
            <span class="num">{thought.thoughtNumber}</span>
            <span>
              {thought.branchId !== undefined && (
                <span class="mono dim">
                  <PlainText text={thought.branchId} />{" "}
                </span>
              )}
              <Snippet text={gist(snippet)} />
            </span>
          </a>
        ),
    )}
  </>
);

import { Fragment } from "preact";
import { gist } from "../../model/gist.ts";
import { formatRoute, sessionRoute } from "../../route.ts";
import { sessionsRoute } from "../../route-lists.ts";
import { LIVENESS, lastSignOf, livenessOf, livenessWords } from "../../state/liveness.ts";
import { agentOf, projectOf } from "../../state/sessions.ts";
import type { Session } from "../../state/thought.ts";
import { agentName } from "../../text/agent-names.ts";
import { formatCount } from "../../text/count-words.ts";
import { formatMoment } from "../../text/time-words.ts";
import { Chip } from "../basics/chip.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { LivenessMark } from "../frame/badge.tsx";

const MOST = 5;

type Props = { sessions: readonly Session[]; project: string | undefined; now: number };

/** Shown if nothing happened: the sessions that are still open, and the latest conclusions. */
export function NothingNew({ sessions, project, now }: Props) {
  const open = sessions.filter((session) => livenessOf(session, now) !== "ended");
  const settled = sessions.find(({ story }) => story?.stands);
  return (
    <div class="nothing-new">
      {open.length > 0 && (
        <section>
          <h3 class="h">
            Still open <span class="num">{open.length}</span>
          </h3>
          <div class="rows">
            {open.slice(0, MOST).map((session) => (
              <Open key={session.id} session={session} now={now} />
            ))}
          </div>
          {open.length > MOST && (
            <a
              class="more"
              href={formatRoute(
                sessionsRoute({
                  state: LIVENESS.filter((state) => state !== "ended"),
                  project: project === undefined ? [] : [project],
                }),
              )}
            >
              {formatCount(open.length - MOST)} more
            </a>
          )}
        </section>
      )}
      {settled?.story?.stands && (
        <section>
          <h3 class="h">Recently settled</h3>
          <div class="rows">
            <a
              class="ev C"
              data-row
              href={formatRoute(
                sessionRoute(settled.id, {
                  thought: {
                    branch: settled.story.stands.branchId,
                    number: settled.story.stands.thoughtNumber,
                  },
                }),
              )}
            >
              <Chip type="C" />
              <p>
                <PlainText text={gist(settled.story.stands.text)} />
              </p>
              <span class="tm">{formatMoment(lastSignOf(settled), now)}</span>
              <span class="meta">
                <span class="ell">
                  <PlainText text={settled.title} />
                </span>
                {[projectOf(settled), agentName(agentOf(settled) ?? "")]
                  .filter((words) => words !== "")
                  .map((words) => (
                    <Fragment key={words}>
                      <span class="sep">·</span>
                      <PlainText text={words} />
                    </Fragment>
                  ))}
              </span>
            </a>
          </div>
        </section>
      )}
    </div>
  );
}

function Open({ session, now }: { session: Session; now: number }) {
  const last = session.story?.last;
  return (
    <a class="ev" href={formatRoute(sessionRoute(session.id))} data-row>
      <LivenessMark state={livenessOf(session, now)} />
      <p>
        <PlainText text={session.title} />
      </p>
      <span class="tm">{livenessWords(session, now)}</span>
      {last && (
        <span class="meta">
          <span class="ell">
            {last.type === "Q" ? "Asked you: " : "Last: "}
            <PlainText text={gist(last.text)} />
          </span>
        </span>
      )}
    </a>
  );
}

import { useLayoutEffect, useRef } from "preact/hooks";
import { gist } from "../../model/gist.ts";
import { formatRoute, sessionRoute } from "../../route.ts";
import { lastSignOf } from "../../state/liveness.ts";
import type { Found, Hit } from "../../state/pages/found.ts";
import type { Session } from "../../state/thought.ts";
import { formatCount } from "../../text/count-words.ts";
import { formatMinute, formatMoment } from "../../text/time-words.ts";
import { Chip } from "../basics/chip.tsx";
import { useNow } from "../basics/clock.ts";
import { PlainText } from "../basics/plain-text.tsx";

/** Shows a snippet, in which the server marks matches like «this». */
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

type Props = {
  session: Session;
  found: Found;
  query: string;
  /** Whether this session's first hit is the list's first hit, which Enter opens while no row has the focus. */
  isFirst: boolean;
};

/** Shows the best hits in a session, each linked to its thought. A button shows the others. */
export function HitRows({ session: shown, found, query, isFirst }: Props) {
  const session = shown.id;
  const box = useRef<HTMLDivElement>(null);
  /** How many hits were shown before the user asked for more. The first new hit gets the focus. */
  const asked = useRef<number | undefined>(undefined);
  const hits = found.hitsOf(session);
  const total = found.matches.value?.bySession.get(session);
  const rest = total === undefined ? 0 : total - hits.length;
  useLayoutEffect(() => {
    const first = asked.current;
    if (first === undefined || hits.length <= first) return;
    asked.current = undefined;
    box.current?.querySelectorAll<HTMLElement>("[data-hit]")[first]?.focus();
  });
  const missing = found.missing(session);
  if (hits.length + missing === 0) return <div class="hits" />;
  const unfold = () => {
    asked.current = hits.length;
    void found.unfold(session);
  };
  return (
    <div class="hits" ref={box}>
      {hits.map((hit, at) => (
        <HitRow
          key={hit.thought?.id}
          hit={hit}
          query={query}
          day={lastSignOf(shown)}
          isNext={isFirst && at === 0}
        />
      ))}
      {Array.from({ length: missing }, (_, n) => (
        <div key={n} class="hitrow" aria-hidden="true" />
      ))}
      {rest - missing > 0 && found.hasMore(session) && (
        <button type="button" class="hitrow more-hits" data-row data-hit onClick={unfold}>
          <span />
          <span />
          <span>{formatCount(rest - missing)} more in this session</span>
        </button>
      )}
    </div>
  );
}

type RowProps = {
  hit: Hit;
  query: string;
  /** Any time on the day that the session's row shows. */
  day: number;
  isNext: boolean;
};

function HitRow({ hit, query, day, isNext }: RowProps) {
  const { sessionId, thought, snippet, type, isGone } = hit;
  const now = useNow();
  const at = Date.parse(hit.timestamp);
  const isSameDay = new Date(at).toDateString() === new Date(day).toDateString();
  if (!thought) return null;
  return (
    <a
      class={`hitrow${isGone ? " gone" : ""}${isNext ? " next" : ""}`}
      data-row
      data-hit
      href={formatRoute(
        sessionRoute(sessionId, {
          thought: { branch: thought.branchId, number: thought.thoughtNumber },
          search: query,
        }),
      )}
    >
      {type ? <Chip type={type} hollow={isGone === true} /> : <span />}
      <span class="num">
        {thought.thoughtNumber}
        {thought.branchId !== undefined && (
          <span class="dim">
            {" "}
            <PlainText text={thought.branchId} />
          </span>
        )}
      </span>
      <span class="ell">
        <Snippet text={gist(snippet)} />
      </span>
      <span class="tm">{isSameDay ? formatMinute(at) : formatMoment(at, now)}</span>
    </a>
  );
}

import { gist } from "../../model/gist.ts";
import { formatRoute, sessionRoute } from "../../route.ts";
import type { Hit } from "../../state/search.ts";
import { formatMoment } from "../../text/time-words.ts";
import { Chip } from "../basics/chip.tsx";
import { useNow } from "../basics/clock.ts";
import { PlainText } from "../basics/plain-text.tsx";

const MOST = 4;

/** The server marks matches like «this». */
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

/** The best hits in a session, each linked to its thought. */
export function HitRows({ hits, query }: { hits: readonly Hit[]; query: string }) {
  const thoughts = hits.filter(({ thought }) => thought);
  const rest = thoughts.length - MOST;
  return (
    <div class="hits">
      {thoughts.slice(0, MOST).map((hit) => (
        <HitRow key={hit.thought?.id} hit={hit} query={query} />
      ))}
      {rest > 0 && thoughts[0] && (
        <a
          class="hitrow more-hits"
          href={formatRoute(sessionRoute(thoughts[0].sessionId, { search: query }))}
          data-row
        >
          <span />
          <span />
          <span>{rest} more in this session</span>
        </a>
      )}
    </div>
  );
}

function HitRow({
  hit: { sessionId, thought, snippet, type, isGone, timestamp },
  query,
}: {
  hit: Hit;
  query: string;
}) {
  const now = useNow();
  if (!thought) return null;
  return (
    <a
      class={isGone ? "hitrow gone" : "hitrow"}
      data-row
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
      <span class="tm">{formatMoment(Date.parse(timestamp), now)}</span>
    </a>
  );
}

import { useRef } from "preact/hooks";
import { NOW } from "../../model/beliefs.ts";
import { suggestWord } from "../../model/search.ts";
import type { Watching } from "../../state/watching.ts";
import { countOf } from "../../text/count-words.ts";
import { formatMinute, formatWhen } from "../../text/time-words.ts";
import { useNow } from "../basics/clock.ts";
import { useCommand, useObservatory } from "../basics/context.ts";
import { Icon } from "../basics/icon.tsx";

/** Shows the search, the selected moment, or how long the session has been quiet, above the timeline. */
export function StagePill({ watching }: { watching: Watching }) {
  const o = useObservatory();
  const { columns, moment } = watching.picture.value;
  if (o.searching.value || watching.query.value !== "") return <Searching watching={watching} />;
  if (moment === NOW) return <Quiet watching={watching} />;
  return (
    <div class="pill" role="status">
      <b>{formatMinute(columns.time[moment] ?? 0)}</b> what the agent believed then
    </div>
  );
}

const HOUR = 3_600_000;
const countHours = (hours: number): string =>
  hours < 48 ? countOf(Math.floor(hours), "hour") : countOf(Math.floor(hours / 24), "day");

function Quiet({ watching }: { watching: Watching }) {
  const now = useNow(60_000);
  const { columns } = watching.picture.value;
  const last = columns.time[columns.size - 1];
  if (watching.session.info.value?.status !== "abandoned" || last === undefined) return null;
  return (
    <div class="pill quiet" role="status">
      <b>Quiet for {countHours((now - last) / HOUR)}</b>
      <span>
        No thought since {formatWhen(last, now)}. The session stays open: a new thought continues it.
      </span>
    </div>
  );
}

function Searching({ watching }: { watching: Watching }) {
  const o = useObservatory();
  const run = useCommand();
  const input = useRef<HTMLInputElement>(null);
  const query = watching.query.value;
  const hits = watching.hits.value ?? [];
  const isCounting = watching.remoteHits.value === "counting";
  const close = () => {
    o.searching.value = false;
    o.look({ search: "" });
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Escape") close();
    if (event.key === "Enter") {
      run(event.shiftKey ? "previous-hit" : "next-hit");
      o.searching.value = false;
      document.querySelector<HTMLElement>("[data-stage], [role=tree]")?.focus();
    }
    if (event.key === "Escape" || event.key === "Enter") event.stopPropagation();
  };
  const { columns } = watching.picture.value;
  const other =
    hits.length === 0 && !isCounting && query.length > 2 ? suggestWord(columns, query) : undefined;
  return (
    <div class="pill search" role="search">
      <Icon name="search" size={13} />
      <input
        ref={input}
        type="text"
        data-search
        aria-label="Search this session"
        value={query}
        maxLength={200}
        onInput={(event) => o.look({ search: event.currentTarget.value })}
        onKeyDown={press}
      />
      {query !== "" && (
        <span role="status">
          {isCounting ? (
            <b>– thoughts</b>
          ) : hits.length > 0 ? (
            <b>{countOf(hits.length, "thought")}</b>
          ) : other === undefined ? (
            <>No thought contains “{query}”</>
          ) : (
            <>
              No thought contains “{query}”. Did you mean{" "}
              <button type="button" class="did" onClick={() => o.look({ search: other })}>
                {other}
              </button>
              ?
            </>
          )}
        </span>
      )}
      {hits.length > 0 && (
        <>
          <kbd>n</kbd>
          <kbd>N</kbd>
        </>
      )}
      <button type="button" class="ib" aria-label="End search" onClick={close}>
        <Icon name="close" size={12} />
      </button>
    </div>
  );
}

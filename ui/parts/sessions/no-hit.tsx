import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { suggestFrom } from "../../model/search.ts";
import { createFound } from "../../state/pages/found.ts";
import type { Session } from "../../state/thought.ts";
import { countOf, formatCount } from "../../text/count-words.ts";
import { useObservatory } from "../basics/context.ts";

type Props = {
  search: string;
  all: readonly Session[];
  /** How many thoughts would match without the filters. */
  elsewhere: number;
  onDropFilters: () => void;
  onSearch: (search: string) => void;
};

/** Shown if no thought contains the words. Offers a similar word, or the search without filters. */
export function NoHit({ search, all, elsewhere, onDropFilters, onSearch }: Props) {
  const suggestion = useMemo(
    () => (elsewhere > 0 ? undefined : suggestFrom(wordsOf(all), search)),
    [all, search, elsewhere],
  );
  const thoughts = useThoughtsWith(suggestion);
  return (
    <div class="cen" role="status">
      <h2>
        {elsewhere > 0 ? "No thought that matches these filters contains" : "No thought contains"} “{search}”
      </h2>
      {elsewhere > 0 ? (
        <button type="button" class="btn" onClick={onDropFilters}>
          Search without filters ({formatCount(elsewhere)})
        </button>
      ) : suggestion !== undefined && thoughts !== undefined && thoughts > 0 ? (
        <p>
          Did you mean{" "}
          <button type="button" class="suggestion" onClick={() => onSearch(suggestion)}>
            {suggestion}
          </button>
          ? {countOf(thoughts, "thought")} {thoughts === 1 ? "contains" : "contain"} it.
        </p>
      ) : (
        <p>Try fewer or different words.</p>
      )}
    </div>
  );
}

/** Yields text that the page has already loaded: titles and stories. */
function* wordsOf(sessions: readonly Session[]): Generator<string> {
  for (const { title, story } of sessions) {
    yield title;
    if (!story) continue;
    yield story.began.text;
    yield story.last.text;
    if (story.stands) yield story.stands.text;
  }
}

function useThoughtsWith(word: string | undefined): number | undefined {
  const o = useObservatory();
  const server = o.server.value;
  const query = useSignal(word ?? "");
  query.value = word ?? "";
  const found = useMemo(
    () => server && createFound({ ...o.environment, get: server.get }, query),
    [o, server, query],
  );
  useEffect(() => found?.stop, [found]);
  return useComputed(() => {
    const counts = found?.matches.value?.bySession;
    return counts && [...counts.values()].reduce((sum, thoughts) => sum + thoughts, 0);
  }).value;
}

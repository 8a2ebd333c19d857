import { effect } from "@preact/signals";
import type { SearchAnswer } from "../../src/observatory/wire.ts";
import { MAIN, NONE } from "../model/columns.ts";
import type { Environment } from "./environment.ts";
import type { Get } from "./http.ts";
import type { Looking, Watching } from "./watching.ts";

const DEBOUNCE = 150;

const PAGE = 50;
/** The highest offset that the server accepts. */
const LAST_OFFSET = 10_000;

/** If some texts of a session are not loaded, lets the server search it, page by page until there are no more hits. */
export function findRemotely(
  { session, remoteHits }: Watching,
  search: Looking["search"],
  { get, after }: Pick<Environment, "after"> & { get: Get },
): () => void {
  const areWordsHere = () => {
    const { text, size } = session.columns.peek();
    for (let i = 0; i < size; i++) if (text[i] === undefined) return false;
    return true;
  };
  const indexOf = (thought: { thoughtNumber: number; branchId?: string }): number => {
    const columns = session.columns.peek();
    const chain = thought.branchId === undefined ? MAIN : columns.chainOf(thought.branchId);
    return chain === undefined ? NONE : columns.find(chain, thought.thoughtNumber);
  };

  async function findAll(q: string, signal: AbortSignal) {
    const found: number[] = [];
    for (let offset = 0; offset <= LAST_OFFSET; offset += PAGE) {
      const query = { q, session: session.id, limit: PAGE, offset };
      const fetched = await get<SearchAnswer>("/api/search", query, signal);
      if (signal.aborted || !("answer" in fetched)) return;
      const { hits, hasMore } = fetched.answer;
      found.push(...hits.flatMap(({ thought }) => (thought ? [indexOf(thought)] : [])).filter((i) => i >= 0));
      const isLast = !hasMore || offset === LAST_OFFSET;
      remoteHits.value = {
        found: found.toSorted((a, b) => a - b),
        is: isLast ? (hasMore ? "cut" : "whole") : "counting",
      };
      if (isLast) return;
    }
  }

  return effect(() => {
    const q = search.value.trim();
    remoteHits.value = undefined;
    if (q === "" || areWordsHere()) return;
    const abort = new AbortController();
    const cancel = after(DEBOUNCE, () => void findAll(q, abort.signal));
    return () => {
      cancel();
      abort.abort();
    };
  });
}

import { effect, type ReadonlySignal, signal } from "@preact/signals";
import type { SearchAnswer, SearchHit } from "../../src/observatory/wire.ts";
import type { Environment } from "./environment.ts";
import type { Get } from "./http.ts";

export type Hit = SearchHit;
type Found = { query: string; hits: readonly Hit[]; hasMore: boolean; took: number; failed?: string };

const DEBOUNCE = 150;
const nothing: Found = { query: "", hits: [], hasMore: false, took: 0 };

/** Searches the text of every session on the server, shortly after the last key press. */
export function createSearch(
  { get, after, now }: Pick<Environment, "after" | "now"> & { get: Get },
  query: ReadonlySignal<string>,
) {
  const found = signal<Found>(nothing);
  const searching = signal(false);
  const stop = effect(() => {
    const q = query.value.trim();
    if (q === "") {
      found.value = nothing;
      searching.value = false;
      return;
    }
    searching.value = true;
    const abort = new AbortController();
    const cancel = after(DEBOUNCE, () => {
      const began = now();
      void get<SearchAnswer>("/api/search", { q, limit: 50 }, abort.signal).then((fetched) => {
        if (abort.signal.aborted) return;
        searching.value = false;
        found.value =
          "answer" in fetched
            ? { query: q, hits: fetched.answer.hits, hasMore: fetched.answer.hasMore, took: now() - began }
            : { ...nothing, query: q, failed: fetched.failed.message };
      });
    });
    return () => {
      cancel();
      abort.abort();
    };
  });
  return { found, searching, stop };
}

import { effect } from "@preact/signals";
import type { SearchAnswer } from "../../src/observatory/wire.ts";
import { MAIN, NONE } from "../model/columns.ts";
import type { Environment } from "./environment.ts";
import type { Get } from "./http.ts";
import type { Looking, Watching } from "./watching.ts";

const DEBOUNCE = 150;

/** Sessions of which not all words are here are searched by the server. The result stops it. */
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
  return effect(() => {
    const q = search.value.trim();
    remoteHits.value = undefined;
    if (q === "" || areWordsHere()) return;
    const abort = new AbortController();
    const cancel = after(DEBOUNCE, () => {
      void get<SearchAnswer>("/api/search", { q, session: session.id, limit: 50 }, abort.signal).then(
        (fetched) => {
          if (abort.signal.aborted || !("answer" in fetched)) return;
          const found = fetched.answer.hits.flatMap(({ thought }) => (thought ? [indexOf(thought)] : []));
          remoteHits.value = found.filter((i) => i >= 0).sort((a, b) => a - b);
        },
      );
    });
    return () => {
      cancel();
      abort.abort();
    };
  });
}

import { effect } from "@preact/signals";
import type { PositionsAnswer } from "../../src/observatory/wire.ts";
import type { Environment } from "./environment.ts";
import type { Get } from "./http.ts";
import type { Looking, Watching } from "./watching.ts";

const DEBOUNCE = 150;
/** Milliseconds before new thoughts are searched. */
const AGAIN = 1_000;

/** Lets the server search a session whose text is not all loaded, so that every match is found. */
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

  async function findAll(q: string, signal: AbortSignal) {
    const path = `/api/sessions/${encodeURIComponent(session.id)}/matches`;
    const fetched = await get<PositionsAnswer>(path, { q }, signal);
    if (signal.aborted || !("answer" in fetched)) return;
    remoteHits.value = fetched.answer.positions.map((position) => position - 1);
  }

  /** The query that `remoteHits` belongs to. */
  let found = "";
  return effect(() => {
    const q = search.value.trim();
    const isReady = session.phase.value === "ready";
    session.arrived.value;
    if (q !== found) remoteHits.value = undefined;
    found = q;
    if (q === "" || !isReady || areWordsHere()) return;
    const isFirst = remoteHits.peek() === undefined;
    if (isFirst) remoteHits.value = "counting";
    const abort = new AbortController();
    const cancel = after(isFirst ? DEBOUNCE : AGAIN, () => void findAll(q, abort.signal));
    return () => {
      cancel();
      abort.abort();
    };
  });
}

import { batch, effect } from "@preact/signals";
import type { ActionsAnswer, ObservatoryAction } from "../../../src/observatory/wire-home.ts";
import { NONE } from "../../model/columns.ts";
import { placeActions } from "../../model/pages/actions.ts";
import type { Environment } from "../environment.ts";
import type { Fetched, Get } from "../http.ts";
import type { OpenSession } from "../session.ts";

const SOON = 3_000;
/** The maximum number of actions shown for a session. */
const MOST = 20_000;

/**
 * Reads the actions of a session's agent, and new ones as its transcript grows. Returns a function that stops
 * reading.
 */
export function followActions(
  session: OpenSession,
  { get, after }: Pick<Environment, "after"> & { get: Get },
): () => void {
  const abort = new AbortController();
  const found: ObservatoryAction[] = [];
  let last = 0;
  let waits = false;
  let cancel = () => {};
  let reading = Promise.resolve();
  const read = async () => {
    const path = `/api/sessions/${encodeURIComponent(session.id)}/actions`;
    const known = found.length;
    for (let isMore = true; isMore && found.length < MOST; ) {
      const fetched: Fetched<ActionsAnswer> = await get<ActionsAnswer>(path, { after: last }, abort.signal);
      if (abort.signal.aborted || !("answer" in fetched)) return;
      found.push(...fetched.answer.actions);
      last = fetched.answer.last ?? last;
      isMore = fetched.answer.nextAfter !== undefined;
    }
    batch(() => {
      if (found.length > known || hasMoved())
        session.done.value = placeActions(session.columns.peek(), found.map(toAction));
      session.hasReadActions.value = true;
    });
  };
  /** Returns whether an action was read before the thought that it follows. */
  const hasMoved = () => session.done.peek().all.some(({ after: thought }) => thought === NONE);
  const stop = effect(() => {
    session.version.value;
    session.info.value;
    if (session.phase.value !== "ready" || waits) return;
    waits = true;
    cancel = after(session.hasReadActions.peek() ? SOON : 0, () => {
      waits = false;
      reading = reading.then(read);
    });
  });
  return () => {
    stop();
    cancel();
    abort.abort();
  };
}

export const toAction = (action: ObservatoryAction) => ({
  type: action.type,
  call: action.call,
  at: Date.parse(action.at),
  follows: action.after,
  branch: action.branchId,
  took: action.took,
  path: action.path,
  paths: action.paths ?? [],
  change: action.change,
  written: action.written ?? 0,
  removed: action.removed ?? 0,
  command: action.command ?? (["record", "fork", "commit"].includes(action.type) ? action.summary : ""),
  failed: action.failed === true,
  exit: action.exit,
  tests: action.tests === true,
  results: action.results,
  commit: action.commit,
  said: action.said ?? action.recorded?.thought ?? "",
});

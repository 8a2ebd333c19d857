import { effect } from "@preact/signals";
import type { ActionsAnswer, ObservatoryAction } from "../../../src/observatory/wire-home.ts";
import { placeActions } from "../../model/pages/actions.ts";
import type { Environment } from "../environment.ts";
import type { Fetched, Get } from "../http.ts";
import type { OpenSession } from "../session.ts";

const SOON = 3_000;
/** The maximum number of actions shown for a session. */
const MOST = 20_000;

/** Reads the actions of a session's agent, and again after new thoughts. Returns a function that stops it. */
export function followActions(
  session: OpenSession,
  { get, after }: Pick<Environment, "after"> & { get: Get },
): () => void {
  const abort = new AbortController();
  let waits = false;
  let cancel = () => {};
  const read = async () => {
    const found: ObservatoryAction[] = [];
    for (let from: number | undefined = 0; from !== undefined && found.length < MOST; ) {
      const path = `/api/sessions/${encodeURIComponent(session.id)}/actions`;
      const fetched: Fetched<ActionsAnswer> = await get<ActionsAnswer>(path, { after: from }, abort.signal);
      if (abort.signal.aborted || !("answer" in fetched)) return;
      found.push(...fetched.answer.actions);
      from = fetched.answer.nextAfter;
    }
    if (found.length > 0) session.done.value = placeActions(session.columns.peek(), found.map(toAction));
  };
  const stop = effect(() => {
    session.version.value;
    if (session.phase.value !== "ready" || waits) return;
    waits = true;
    cancel = after(session.arrived.peek() > 0 ? SOON : 0, () => {
      waits = false;
      void read();
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
  path: action.path,
  change: action.change,
  written: action.written ?? 0,
  removed: action.removed ?? 0,
  command: action.command ?? (["record", "fork", "commit"].includes(action.type) ? action.summary : ""),
  failed: action.failed === true,
  exit: action.exit,
  tests: action.tests === true,
  commit: action.commit,
  said: action.said ?? action.recorded?.thought ?? "",
});

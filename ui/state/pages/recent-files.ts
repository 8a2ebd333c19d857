import type { ActionsAnswer } from "../../../src/observatory/wire-home.ts";
import type { Action } from "../../model/pages/actions.ts";
import type { Get } from "../http.ts";
import { toAction } from "./actions.ts";

/** Reads the actions of some sessions, to list the files they changed. */
export async function recentFiles(get: Get, ids: readonly string[], abort: AbortSignal): Promise<Action[]> {
  const actions: Action[] = [];
  for (const id of ids) {
    const fetched = await get<ActionsAnswer>(`/api/sessions/${encodeURIComponent(id)}/actions`, {}, abort);
    if (abort.aborted) return [];
    if ("answer" in fetched)
      actions.push(...fetched.answer.actions.map((action) => ({ ...toAction(action), took: 0, after: -1 })));
  }
  return actions;
}

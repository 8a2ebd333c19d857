import { effect } from "@preact/signals";
import type { Observatory } from "./observatory.ts";
import { type Liveness, livenessOf } from "./state/liveness.ts";
import { toVisible } from "./text/visible-text.ts";

const LOOK_EVERY = 5_000;

export type Notify = (title: string, words: string, session: string) => void;

/** Sends system notifications when an agent stops, finishes or contradicts itself while the page is hidden. */
export function giveNotices(o: Observatory, notify: Notify): void {
  let known = new Map<string, Liveness>();
  const look = () => {
    const now = o.environment.now();
    const list = o.server.peek()?.sessions.list.peek() ?? [];
    const states = new Map(list.map((session) => [session.id, livenessOf(session, now)]));
    for (const { id, title, story } of list) {
      const [before, state] = [known.get(id), states.get(id)];
      if (before !== "thinking" || state === "thinking" || state === undefined) continue;
      const words =
        state === "ended"
          ? "has ended"
          : story?.last.type === "Q"
            ? "is waiting for your answer"
            : "has stopped";
      notify(toVisible(title), words, id);
    }
    known = states;
    o.environment.after(LOOK_EVERY, look);
  };
  look();
  let seen: ReadonlySet<string> | undefined;
  effect(() => {
    const pairs = o.server.value?.home.latest.value?.contradicted;
    if (!pairs) return;
    const before = seen;
    seen = new Set(pairs.map(({ by }) => `${by.sessionId} ${by.thoughtNumber} ${by.branchId ?? ""}`));
    if (!before) return;
    for (const { by } of pairs)
      if (!before.has(`${by.sessionId} ${by.thoughtNumber} ${by.branchId ?? ""}`))
        notify(toVisible(by.sessionTitle), "contradicts itself", by.sessionId);
  });
}

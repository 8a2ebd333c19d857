import { effect } from "@preact/signals";
import type { VerifyAnswer } from "../../src/observatory/wire.ts";
import type { Environment } from "./environment.ts";
import type { Get } from "./http.ts";
import type { OpenSession } from "./session.ts";

/** Checking so many thoughts takes the server a while. What was in order is asked again a day later. */
const LARGE = 5_000;
const DAY = 24 * 60 * 60 * 1_000;
const CHECKED = "thoughtbox.checked";
const MOST_REMEMBERED = 100;

/** First everything is shown; then there is time to check it. */
const CHECK_AFTER = 1_000;

type Memory = Pick<Environment, "now" | "storage">;

/** When large sessions were last found in order, by ID, the latest last. */
function readChecked({ storage }: Memory): [string, number][] {
  try {
    const kept: unknown = JSON.parse(storage.getItem(CHECKED) ?? "[]");
    if (!Array.isArray(kept)) return [];
    return kept.filter(
      (one) => Array.isArray(one) && typeof one[0] === "string" && typeof one[1] === "number",
    );
  } catch {
    return [];
  }
}

function wasChecked(id: string, memory: Memory): boolean {
  const [, at = 0] = readChecked(memory).find(([known]) => known === id) ?? [];
  return memory.now() - at < DAY;
}

function rememberChecked(id: string, memory: Memory): void {
  const others = readChecked(memory).filter(([known]) => known !== id);
  const kept = [...others, [id, memory.now()]].slice(-MOST_REMEMBERED);
  memory.storage.setItem(CHECKED, JSON.stringify(kept));
}

/**
 * Has the server check the session's hash chain once, when all of it is here. A large one is not checked at every visit.
 * The result stops it.
 */
export function checkChain(
  session: OpenSession,
  { get, after, ...memory }: Pick<Environment, "after"> & Memory & { get: Get },
): () => void {
  const abort = new AbortController();
  const stop = effect(() => {
    if (session.phase.value !== "ready") return;
    return after(CHECK_AFTER, () => {
      stop();
      const isLarge = session.total.peek() >= LARGE;
      if (isLarge && wasChecked(session.id, memory)) return;
      const path = `/api/sessions/${encodeURIComponent(session.id)}/verify`;
      void get<VerifyAnswer>(path, {}, abort.signal).then((fetched) => {
        if (!("answer" in fetched)) return;
        if (!fetched.answer.valid) session.setDamage(fetched.answer);
        else if (isLarge) rememberChecked(session.id, memory);
      });
    });
  });
  return () => {
    stop();
    abort.abort();
  };
}

import { effect } from "@preact/signals";
import type { VerifyAnswer } from "../../src/observatory/wire.ts";
import type { Environment } from "./environment.ts";
import type { Get } from "./http.ts";
import type { OpenSession } from "./session.ts";

/** Number of thoughts from which a valid result is reused for a day, because the check takes a while. */
const LARGE = 5_000;
const DAY = 24 * 60 * 60 * 1_000;
const CHECKED = "thoughtbox.checked";
const MOST_REMEMBERED = 100;

/** Milliseconds before the check, so that the session is shown first. */
const CHECK_AFTER = 1_000;

type Memory = Pick<Environment, "now" | "storage">;

/** Reads when large sessions were last found valid, by ID, with the latest at the end. */
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
 * Asks the server to check the session's hash chain once, after the session has loaded. A large session is checked
 * at most once a day. Returns a function that stops the check.
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

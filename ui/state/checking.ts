import { effect } from "@preact/signals";
import type { VerifyAnswer } from "../../src/observatory/wire.ts";
import type { Environment } from "./environment.ts";
import type { Get } from "./http.ts";
import type { OpenSession } from "./session.ts";

/** First everything is shown; then there is time to check it. */
const CHECK_AFTER = 1_000;

/** Has the server check the session's hash chain once, when all of it is here. The result stops it. */
export function checkChain(
  session: OpenSession,
  { get, after }: Pick<Environment, "after"> & { get: Get },
): () => void {
  const abort = new AbortController();
  const stop = effect(() => {
    if (session.phase.value !== "ready") return;
    return after(CHECK_AFTER, () => {
      stop();
      const path = `/api/sessions/${encodeURIComponent(session.id)}/verify`;
      void get<VerifyAnswer>(path, {}, abort.signal).then((fetched) => {
        if ("answer" in fetched && !fetched.answer.valid) session.setDamage(fetched.answer);
      });
    });
  });
  return () => {
    stop();
    abort.abort();
  };
}

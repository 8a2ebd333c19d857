import { effect, type ReadonlySignal, signal } from "@preact/signals";
import type { Environment } from "../environment.ts";

const KEY = "thoughtbox.visit";
/** A visit ends once every tab has been hidden for this many milliseconds. */
const ENDS_AFTER = 10 * 60_000;
const BEAT = 60_000;

type Kept = { since: number; seen: number };

/** Stores when the last visit ended, in this browser only. */
export function createVisit(
  { storage, now, after }: Pick<Environment, "storage" | "now" | "after">,
  visible: ReadonlySignal<boolean>,
) {
  const since = signal(read(storage, now()).since);
  const keep = () => {
    try {
      storage.setItem(KEY, JSON.stringify({ since: since.peek(), seen: now() }));
    } catch {
      // If local storage is not available, every visit starts at midnight today.
    }
  };
  effect(() => {
    if (!visible.value) return;
    since.value = read(storage, now()).since;
    let cancel = () => {};
    const beat = () => {
      keep();
      cancel = after(BEAT, beat);
    };
    beat();
    return () => {
      cancel();
      keep();
    };
  });
  return {
    since,
    markSeen() {
      since.value = now();
      keep();
    },
  };
}

function read(storage: Environment["storage"], now: number): Kept {
  const fresh = { since: new Date(now).setHours(0, 0, 0, 0), seen: now };
  try {
    const kept = JSON.parse(storage.getItem(KEY) ?? "null") as Partial<Kept> | null;
    if (!kept || !Number.isFinite(kept.since) || !Number.isFinite(kept.seen)) return fresh;
    const { since, seen } = kept as Kept;
    return now - seen > ENDS_AFTER ? { since: seen, seen: now } : { since, seen };
  } catch {
    return fresh;
  }
}

export type Visit = ReturnType<typeof createVisit>;

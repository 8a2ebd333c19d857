import { effect, type ReadonlySignal, signal } from "@preact/signals";
import { NOW } from "../model/beliefs.ts";
import type { Environment } from "./environment.ts";
import type { Speed } from "./settings.ts";
import type { Watching } from "./watching.ts";

const STEP: Readonly<Record<Exclude<Speed, "real">, number>> = { "1": 1000, "4": 250, "16": 62 };
const LONGEST_PAUSE = 3_000;

type Needs = Pick<Environment, "after"> & {
  watching: ReadonlySignal<Watching | undefined>;
  speed: ReadonlySignal<Speed>;
  /** Sets the selected moment. `undefined` means now. */
  setMoment: (position: number | undefined) => void;
};

/** Replays a session thought by thought. */
export function createPlayer({ after, watching, speed, setMoment }: Needs) {
  const playing = signal(false);

  const last = () => (watching.peek()?.session.columns.peek().size ?? 0) - 1;
  const here = () => Math.min(watching.peek()?.moment.peek() ?? NOW, last());

  /** Moves to a thought by index. The last thought means now. */
  const to = (index: number) => setMoment(index >= last() ? undefined : Math.max(0, index) + 1);

  const pauseAfter = (index: number): number => {
    const pace = speed.peek();
    if (pace !== "real") return STEP[pace];
    const time = watching.peek()?.session.columns.peek().time;
    return Math.min(LONGEST_PAUSE, Math.max(50, (time?.[index + 1] ?? 0) - (time?.[index] ?? 0)));
  };

  effect(() => {
    if (!playing.value) return;
    speed.value;
    let cancel = () => {};
    const go = () => {
      if (here() >= last()) {
        playing.value = false;
        return;
      }
      to(here() + 1);
      cancel = after(pauseAfter(here()), go);
    };
    cancel = after(pauseAfter(here()), go);
    return () => cancel();
  });

  return {
    playing,
    to,
    step: (by: number) => {
      playing.value = false;
      to(here() + by);
    },
    toggle() {
      if (last() < 1) return;
      if (!playing.peek() && here() >= last()) to(0);
      playing.value = !playing.peek();
    },
    toNow() {
      playing.value = false;
      setMoment(undefined);
    },
  };
}

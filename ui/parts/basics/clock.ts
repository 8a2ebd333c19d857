import { useEffect, useState } from "preact/hooks";
import { useObservatory } from "./context.ts";

/**
 * Returns the current second. The value changes at the same moment in every part of the page, so that two
 * counts never differ.
 */
export function useSecond(): number {
  const { environment } = useObservatory();
  const current = () => Math.floor(environment.now() / 1_000) * 1_000;
  const [second, setSecond] = useState(current);
  useEffect(() => {
    let cancel = () => {};
    const wait = () => {
      cancel = environment.after(1_000 - (environment.now() % 1_000), () => {
        setSecond(current());
        wait();
      });
    };
    wait();
    return () => cancel();
  }, [environment]);
  return second;
}

/** Returns the current time, updated while the page is visible. `every` is the interval in milliseconds. */
export function useNow(every = 5_000): number {
  const { environment } = useObservatory();
  const [now, setNow] = useState(environment.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(environment.now()), every);
    return () => clearInterval(timer);
  }, [environment, every]);
  return now;
}

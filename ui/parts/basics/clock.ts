import { useEffect, useState } from "preact/hooks";
import { useObservatory } from "./context.ts";

/** The current time, updated every `every` milliseconds while the page is visible. */
export function useNow(every = 5_000): number {
  const { environment } = useObservatory();
  const [now, setNow] = useState(environment.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(environment.now()), every);
    return () => clearInterval(timer);
  }, [environment, every]);
  return now;
}

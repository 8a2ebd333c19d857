/** SQLite's own waiting starves late-comers; short random pauses share a lock evenly. */
export function pause(): Promise<void> {
  const ms = 0.2 + Math.random() * 1.5;
  return new Promise((resolve) => (ms < 0.7 ? setImmediate(resolve) : setTimeout(resolve, ms)));
}

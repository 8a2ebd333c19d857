/** What the stores need from the browser; tests and the shared file bring their own. */
export type Environment = {
  now: () => number;
  /** Calls back after `ms`; the result cancels it. */
  after: (ms: number, call: () => void) => () => void;
  /** From 0 to 1. */
  random: () => number;
  storage: Pick<Storage, "getItem" | "setItem">;
};

export function browserEnvironment(): Environment {
  return {
    now: () => Date.now(),
    after: (ms, call) => {
      const timer = setTimeout(call, ms);
      return () => clearTimeout(timer);
    },
    random: () => Math.random(),
    storage: storageOf(window),
  };
}

/** Storage may be forbidden; then nothing is kept. */
function storageOf(window: Window): Environment["storage"] {
  try {
    return window.localStorage;
  } catch {
    return { getItem: () => null, setItem: () => undefined };
  }
}

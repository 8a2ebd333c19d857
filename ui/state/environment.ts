/** The browser functions that stores need. Tests and the shared file provide their own. */
export type Environment = {
  now: () => number;
  /** Calls `call` after `ms` milliseconds. Returns a function that cancels the call. */
  after: (ms: number, call: () => void) => () => void;
  /** Returns a random number from 0 to 1. */
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

/** Returns local storage, or storage that saves nothing if the browser forbids local storage. */
function storageOf(window: Window): Environment["storage"] {
  try {
    return window.localStorage;
  } catch {
    return { getItem: () => null, setItem: () => undefined };
  }
}

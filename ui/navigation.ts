import { batch, signal } from "@preact/signals";
import { formatRoute, isNewPlace, parseRoute, type Route } from "./route.ts";
import type { Environment } from "./state/environment.ts";

/** How a list looked when it was left: how many rows were loaded, how far it was scrolled, and the focused row. */
export type KeptPlace = { hash: string; rows: number; top: number; row: string | undefined };

/** The parts of `window` that handle the address. */
export type AddressBar = {
  hash: () => string;
  /** Returns the state kept with the history entry, which Back and reload find, but a new visit does not. */
  state: () => unknown;
  keep: (state: KeptPlace) => void;
  push: (hash: string) => void;
  replace: (hash: string) => void;
  onChange: (call: () => void) => void;
};

export const browserAddressBar = (): AddressBar => ({
  hash: () => location.hash,
  state: () => history.state,
  keep: (state) => history.replaceState(state, ""),
  push: (hash) => history.pushState(null, "", hash),
  replace: (hash) => history.replaceState(null, "", hash),
  onChange: (call) => {
    addEventListener("popstate", call);
    addEventListener("hashchange", call);
  },
});

/** Milliseconds before the address changes. Browsers refuse more than about 20 changes per second. */
const SETTLE = 150;

export function createNavigation(address: AddressBar, { after }: Pick<Environment, "after">) {
  const route = signal<Route>(parseRoute(address.hash()));
  /** How many times the user followed a link or went back. */
  const arrivals = signal(0);
  let cancel = () => {};

  const settle = () => {
    cancel();
    const hash = formatRoute(route.peek());
    if (hash !== address.hash()) address.replace(hash);
  };
  address.onChange(() => {
    cancel();
    const there = parseRoute(address.hash());
    if (formatRoute(there) === formatRoute(route.peek())) return;
    batch(() => {
      route.value = there;
      arrivals.value = arrivals.peek() + 1;
    });
  });

  return {
    route,
    arrivals,
    /** Goes to an address. A new place adds a history entry. Other changes soon replace the current entry. */
    go(to: Route) {
      const from = route.peek();
      if (formatRoute(from) === formatRoute(to)) return;
      if (isNewPlace(from, to)) {
        settle();
        address.push(formatRoute(to));
        route.value = to;
        return;
      }
      route.value = to;
      cancel();
      cancel = after(SETTLE, settle);
    },
    settle,
    /** Remembers how the list at this address looks. */
    keep(place: Omit<KeptPlace, "hash">) {
      const hash = formatRoute(route.peek());
      // After a click on a link, the address is already that of the next page.
      if (hash === (address.hash() || "#/")) address.keep({ hash, ...place });
    },
    /** Returns how the list at this address looked when it was left. */
    kept(): KeptPlace | undefined {
      const state = address.state() as Partial<KeptPlace> | null;
      return state?.hash === address.hash() ? (state as KeptPlace) : undefined;
    },
  };
}

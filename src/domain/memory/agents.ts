import { defaultBranch } from "./limits.ts";

/**
 * The caller. A store finds an agent by `keys`: first the name that the agent gave itself, then its conversation or
 * connection.
 */
export type Agent = { name: string | undefined; keys: readonly string[] };

/** An agent's focus and checkout. `agentId` is the agent's name, if it gave one. */
export type AgentPlaces = {
  key: string;
  agentId: string | undefined;
  focus: string | undefined;
  /** The former focus, if another agent completed or cancelled it. */
  cleared: string | undefined;
  checkout: string | undefined;
};

type Newest = { focus: string | undefined; checkout: string };

/**
 * `foreign` is true for a focus or checkout that belongs to another agent and is used because the caller has
 * none.
 */
export type Places = Newest & {
  foreign: { focus: boolean; checkout: boolean };
  /**
   * The caller's former focus, if another agent completed or cancelled it and the caller has not been
   * notified.
   */
  cleared: string | undefined;
};

/** Returns the caller's own focus and checkout. If either is not set, returns the workspace's newest one. */
export function choosePlaces(newest: Newest, known: readonly AgentPlaces[], { name, keys }: Agent): Places {
  // Named sub-agents may share a conversation, but each has its own focus and checkout.
  const isOwn = ({ key, agentId }: AgentPlaces) =>
    keys.includes(key) && (name === undefined || agentId === undefined || agentId === name);
  const own = known.filter(isOwn).toSorted((one, other) => keys.indexOf(one.key) - keys.indexOf(other.key));
  const others = known.filter((one) => !isOwn(one));
  const focus = own.find((one) => one.focus !== undefined)?.focus;
  const checkout = own.find((one) => one.checkout !== undefined)?.checkout;
  return {
    focus: focus ?? newest.focus,
    checkout: checkout ?? newest.checkout,
    cleared: focus === undefined ? own.find((one) => one.cleared !== undefined)?.cleared : undefined,
    foreign: {
      focus:
        focus === undefined && newest.focus !== undefined && others.some((one) => one.focus === newest.focus),
      // Every agent starts on the default branch, so no agent chose that checkout.
      checkout:
        checkout === undefined &&
        newest.checkout !== defaultBranch &&
        others.some((one) => one.checkout === newest.checkout),
    },
  };
}

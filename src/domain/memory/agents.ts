import { defaultBranch } from "./limits.ts";

/**
 * Who calls. `keys` are what a store knows an agent by: first the name that it gives itself, then its conversation or
 * connection.
 */
export type Agent = { name: string | undefined; keys: readonly string[] };

/** What a store keeps of an agent. `agentId` is the name of who set focus and checkout. */
export type AgentPlaces = {
  key: string;
  agentId: string | undefined;
  focus: string | undefined;
  checkout: string | undefined;
};

type Newest = { focus: string | undefined; checkout: string };

/** `foreign`: the caller has none, and the newest of the workspace belongs to another agent. */
export type Places = Newest & { foreign: { focus: boolean; checkout: boolean } };

/** The caller's own focus and checkout, else the newest of the workspace. */
export function choosePlaces(newest: Newest, known: readonly AgentPlaces[], { name, keys }: Agent): Places {
  // Sub-agents with names may share a conversation: what one of them set is not the other's.
  const isOwn = ({ key, agentId }: AgentPlaces) =>
    keys.includes(key) && (name === undefined || agentId === undefined || agentId === name);
  const own = known.filter(isOwn).toSorted((one, other) => keys.indexOf(one.key) - keys.indexOf(other.key));
  const others = known.filter((one) => !isOwn(one));
  const focus = own.find((one) => one.focus !== undefined)?.focus;
  const checkout = own.find((one) => one.checkout !== undefined)?.checkout;
  return {
    focus: focus ?? newest.focus,
    checkout: checkout ?? newest.checkout,
    foreign: {
      focus:
        focus === undefined && newest.focus !== undefined && others.some((one) => one.focus === newest.focus),
      // Every agent starts on the first branch, so no agent chose it for another.
      checkout:
        checkout === undefined &&
        newest.checkout !== defaultBranch &&
        others.some((one) => one.checkout === newest.checkout),
    },
  };
}

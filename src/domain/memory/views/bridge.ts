export type ScopeContents = { notes: boolean; cards: boolean };

export type Bridge = {
  checkout: string;
  docs: { notes: string; trace: string; graph: string };
  has: ScopeContents;
};

/** The way to what is there, for a target of which nothing is recorded while the checkout is in use. */
export function bridgeTo(
  target: ScopeContents,
  checkout: { branch: string; docs: Bridge["docs"]; has: ScopeContents } | undefined,
): Bridge | undefined {
  if (target.notes || target.cards || !checkout) return undefined;
  if (!checkout.has.notes && !checkout.has.cards) return undefined;
  return { checkout: checkout.branch, docs: checkout.docs, has: checkout.has };
}

export type Tally = { readonly [kind: string]: number };

const maxKinds = 20;

/** Counts by kind. Kinds come from files, so only plain names are shown, and not endlessly many. */
export function createTally() {
  const counts = new Map<string, number>();
  function add(kind: string, count = 1): void {
    const plain = /^[a-z][a-z0-9_-]{0,39}$/.test(kind) && !(kind in {}) ? kind : "other";
    const name = counts.has(plain) || counts.size < maxKinds ? plain : "other";
    counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return {
    add,
    addAll(tally: Partial<Tally>): void {
      for (const [kind, count] of Object.entries(tally)) add(kind, count);
    },
    /** Sorted by name, so that the same files give the same bytes. */
    counts: (): Tally => Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

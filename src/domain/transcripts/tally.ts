export type Tally = Readonly<Record<string, number>>;

const mostKinds = 20;

/** Counts by kind. Kinds come from files, so only plain names are shown, and not endlessly many. */
export function createTally() {
  const counts = new Map<string, number>();
  return {
    add(kind: string, count = 1): void {
      const plain = /^[a-z][a-z0-9_-]{0,39}$/.test(kind) ? kind : "other";
      const name = counts.has(plain) || counts.size < mostKinds ? plain : "other";
      counts.set(name, (counts.get(name) ?? 0) + count);
    },
    /** Sorted by name, so that the same files give the same bytes. */
    counts: (): Tally => Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Notes to copy: each once, and none that the target shows already, itself or as a copy. */
export function chooseNotes<Note extends { origin: number }>(
  candidates: readonly Note[],
  held: ReadonlySet<number>,
): Note[] {
  const seen = new Set(held);
  return candidates.filter(({ origin }) => {
    if (seen.has(origin)) return false;
    seen.add(origin);
    return true;
  });
}

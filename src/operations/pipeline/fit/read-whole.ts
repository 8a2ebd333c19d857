type Part = { nextOffset?: number | undefined };

/**
 * Reads all parts of a text and returns it with the first answer. `undefined` means that there is nothing to read. If
 * `versionOf` changes in between, reading starts again.
 */
export async function readWhole<Answer extends Part>(
  ask: (offset: number) => Promise<Answer | undefined>,
  textOf: (answer: Answer) => string,
  versionOf: (answer: Answer) => string | number,
): Promise<{ answer: Answer; text: string } | undefined> {
  const first = await ask(0);
  if (!first) return undefined;
  let text = textOf(first);
  let last = first;
  while (last.nextOffset !== undefined) {
    const next = await ask(last.nextOffset);
    if (!next) return undefined;
    if (versionOf(next) !== versionOf(first)) return readWhole(ask, textOf, versionOf);
    text += textOf(next);
    last = next;
  }
  return { answer: first, text };
}

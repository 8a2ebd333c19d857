/** A part of a comment for a pull request: a line of Markdown, and a list below it. */
export type Section = { kind: string; title: string; items: readonly string[]; more?: number };
export type CommentParts = { intro: string; sections: readonly Section[] };

/** A comment in a pull request is read only if it is short. */
export const longestComment = 1_200;
const mostReasons = 5;

/** Writes the chosen sections. Items that do not fit are left out from the end and counted. At least one is shown. */
export function writeComment(
  { intro, sections }: CommentParts,
  isIncluded: (kind: string) => boolean,
): string {
  const chosen = sections.filter(({ kind }) => isIncluded(kind));
  const shown = chosen.map(({ kind, items }) =>
    kind === "reasons" ? Math.min(items.length, mostReasons) : items.length,
  );
  const write = () =>
    [intro, ...chosen.map((section, at) => writeSection(section, shown[at] ?? 0))].join("\n\n");
  for (let at = chosen.length - 1; at >= 0; at -= 1)
    while ((shown[at] ?? 0) > (at === 0 ? 1 : 0) && write().length > longestComment)
      shown[at] = (shown[at] ?? 0) - 1;
  return write();
}

function writeSection({ title, items, more = 0 }: Section, shown: number): string {
  const left = items.length - shown + more;
  const list = items.slice(0, shown).map((item) => `- ${item}`);
  const lines = [...list, ...(left > 0 ? [`- … and ${left} more`] : [])].join("\n");
  return title === "" ? lines : `${title}\n\n${lines}`;
}

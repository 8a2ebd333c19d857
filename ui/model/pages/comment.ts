/** A part of a comment for a pull request: a line of Markdown, and a list below it. */
export type Section = { kind: string; title: string; items: readonly string[]; more?: number };

/** What a range of commits changed, in numbers. */
export type Counts = {
  files: number;
  added: number;
  explained: number;
  /** How many files the other figures leave out, because they are too large. */
  large?: number;
};

/** The maximum length in characters, because people read only short pull request comments. */
export const longestComment = 1_200;
const mostReasons = 5;

/**
 * Writes the chosen sections. Trailing items that do not fit are replaced by a count. At least one item is
 * shown.
 */
export function writeComment(
  counts: Counts,
  sections: readonly Section[],
  isIncluded: (kind: string) => boolean,
): string {
  const chosen = sections.filter(({ kind }) => isIncluded(kind));
  const shown = chosen.map(({ kind, items }) =>
    kind === "reasons" ? Math.min(items.length, mostReasons) : items.length,
  );
  const intro = writeIntro(counts);
  const write = () =>
    [intro, ...chosen.map((section, at) => writeSection(section, shown[at] ?? 0))].join("\n\n");
  for (let at = chosen.length - 1; at >= 0; at -= 1)
    while ((shown[at] ?? 0) > (at === 0 ? 1 : 0) && write().length > longestComment)
      shown[at] = (shown[at] ?? 0) - 1;
  return write();
}

const figure = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
const count = (value: number, word: string): string => `${figure(value)} ${word}${value === 1 ? "" : "s"}`;

function writeIntro({ files, added, explained, large = 0 }: Counts): string {
  const without = added - explained;
  const rest = without === 0 ? "" : `, ${figure(without)} ${without === 1 ? "does" : "do"} not`;
  const reasons = `**${figure(explained)} ${explained === 1 ? "has" : "have"} a reason**${rest}`;
  const left = large === 0 ? "" : ` Not counted: ${count(large, "large file")}.`;
  return `### Why these lines\n\n${count(files, "file")}, ${count(added, "added line")}: ${reasons}.${left}`;
}

function writeSection({ title, items, more = 0 }: Section, shown: number): string {
  const left = items.length - shown + more;
  const list = items.slice(0, shown).map((item) => `- ${item}`);
  const lines = [...list, ...(left > 0 ? [`- … and ${left} more`] : [])].join("\n");
  return title === "" ? lines : `${title}\n\n${lines}`;
}

/** A run of text in the preview. */
export type Words = { text: string; look: "plain" | "strong" | "code" };
export type Line = { kind: "heading" | "text" | "item"; words: Words[] };

/**
 * Returns the comment as a code host shows it. The parser reads only the Markdown that comments contain:
 * headings, lists, bold text, code and escaped characters.
 */
export function previewComment(text: string): Line[] {
  return text.split("\n").flatMap((line): Line[] => {
    if (line === "") return [];
    if (line.startsWith("### ")) return [{ kind: "heading", words: previewWords(line.slice(4)) }];
    if (line.startsWith("- ")) return [{ kind: "item", words: previewWords(line.slice(2)) }];
    return [{ kind: "text", words: previewWords(line) }];
  });
}

const piece =
  /\*\*(?<strong>(?:`[^`]*`|[^*])+)\*\*|`(?<code>[^`]*)`|\\(?<escaped>.)|&(?<entity>amp|lt);|\u200b/gu;

function previewWords(text: string): Words[] {
  const words: Words[] = [];
  const put = (run: string, look: Words["look"]) => {
    const before = words.at(-1);
    if (run === "") return;
    if (before?.look === look) before.text += run;
    else words.push({ text: run, look });
  };
  let last = 0;
  for (const match of text.matchAll(piece)) {
    put(text.slice(last, match.index), "plain");
    last = match.index + match[0].length;
    const { strong, code, escaped, entity } = match.groups ?? {};
    if (strong !== undefined)
      for (const inner of previewWords(strong)) put(inner.text, inner.look === "code" ? "code" : "strong");
    else if (code !== undefined) put(code, "code");
    else if (escaped !== undefined) put(escaped, "plain");
    else if (entity !== undefined) put(entity === "lt" ? "<" : "&", "plain");
  }
  put(text.slice(last), "plain");
  return words;
}

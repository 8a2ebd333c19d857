import type { Secret } from "./secrets.ts";

/** A text as it reads without its disguise, and where each of its characters is in the original. */
type Plain = { text: string; starts: Uint32Array; ends: Uint32Array };

/** Characters that nobody sees, and full-width letters that stand for those of ASCII. */
const unseenOrWide = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff\uff01-\uff5e]/g;
const encoded = /%(?:2[0-9a-f]|[3-6][0-9a-f]|7[0-9a-e])/gi;
/** A line end inside a run of letters, with the indentation, quotation or continuation that editors and mails add. */
const brokenLine = /(?<=[\w-]{4})\\?\r?\n[ \t>|]{0,40}(?=[\w-]{6})/g;

const widthOffset = 0xfee0;

type Disguise = {
  /** What every such disguise holds. */
  needs?: string;
  /** Cheap: whether the text may be disguised this way. */
  marks: RegExp;
  pattern: RegExp;
  show(match: string): string;
  /** Only what the disguise runs through counts; the rest is found without. */
  mustSpan?: true;
};

const disguises: readonly Disguise[] = [
  {
    marks: /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff\uff01-\uff5e]/,
    pattern: unseenOrWide,
    show: (character) =>
      character >= "\uff01" && character <= "\uff5e"
        ? String.fromCharCode(character.charCodeAt(0) - widthOffset)
        : "",
  },
  {
    needs: "%",
    marks: /%[2-7][0-9a-f]/i,
    pattern: encoded,
    show: (triplet) => String.fromCharCode(Number.parseInt(triplet.slice(1), 16)),
  },
  {
    needs: "\n",
    marks:
      /(?<![A-Za-z0-9])(?:gh[oprsu]_|github_pat_|sk-|A[KS]IA|xox[abeoprs]-|AIza|[rs]k_live_|npm_|glpat-|hf_|SG\.|eyJ|ya29\.)/,
    pattern: brokenLine,
    show: () => "",
    mustSpan: true,
  },
];

/**
 * Secrets that are split by line ends or unseen characters, or written in full-width letters or as in a URL. `find`
 * looks through a plain text; of a broken line only for `whole` kinds, which are known by their first letters.
 */
export function findDisguised(
  text: string,
  find: (plain: string, isBroken: boolean) => readonly Secret[],
): readonly Secret[] {
  let found: readonly Secret[] = [];
  for (const disguise of disguises) {
    const { needs, marks, pattern } = disguise;
    if (needs !== undefined && !text.includes(needs)) continue;
    if (marks.test(text) && text.search(pattern) !== -1)
      found = [...found, ...findBehind(text, disguise, find)];
  }
  return found;
}

function findBehind(
  text: string,
  { pattern, show, mustSpan }: Disguise,
  find: (plain: string, isBroken: boolean) => readonly Secret[],
): Secret[] {
  const plain = undo(text, pattern, show);
  return find(plain.text, mustSpan === true)
    .map(({ kind, start, end }) => ({
      kind,
      start: plain.starts[start] ?? 0,
      end: plain.ends[end - 1] ?? text.length,
      length: end - start,
    }))
    .filter(({ start, end, length }) => !mustSpan || end - start > length)
    .map(({ kind, start, end }) => ({ kind, start, end }));
}

function undo(text: string, pattern: RegExp, show: (match: string) => string): Plain {
  const plain = { text: "", starts: new Uint32Array(text.length), ends: new Uint32Array(text.length) };
  const parts: string[] = [];
  let [done, written] = [0, 0];
  const write = (start: number, end: number) => {
    plain.starts[written] = start;
    plain.ends[written] = end;
    written += 1;
  };
  const copy = (until: number) => {
    parts.push(text.slice(done, until));
    for (let at = done; at < until; at += 1) write(at, at + 1);
  };
  for (const match of text.matchAll(pattern)) {
    copy(match.index);
    done = match.index + match[0].length;
    const shown = show(match[0]);
    if (shown !== "") write(match.index, done);
    parts.push(shown);
  }
  copy(text.length);
  return { ...plain, text: parts.join("") };
}

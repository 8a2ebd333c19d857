import {
  type CipherReference,
  type CipherStatement,
  cipherTypes,
  largestStepNumber,
  longestRange,
  type ReferenceTarget,
  type Span,
} from "./notation.ts";

const typeLetters = Object.keys(cipherTypes).join("");

/**
 * `S12|H|` or `12|H|` at the start of a line: indentation, number, type. Up to three spaces of indentation are
 * forgiven and four make it text, as in Markdown. Fifteen digits always fit a number exactly.
 */
export const stepHeader = new RegExp(
  `(?<![^\\n])( {0,3})S?(\\d{1,15})[ \\t]*\\|[ \\t]*([${typeLetters}])[ \\t]*\\|`,
  "gi",
);

const listItem = /\s*((\^?)(\[?)(S?)(\d{1,15})(?:-S?(\d{1,15}))?(\]?))\s*(?:,|$)/giy;

/** Steps that somebody meant to name, with signs between them that no list has. */
const looseList = /^\s*\^?\[?S\d{1,15}\]?(?:[\s;,/&+]+(?:and\s+)?\^?\[?S\d{1,15}\]?)+\s*$/i;

/** Upper case only: `cells[s1]` is more likely code than a reference. */
const inlineReference = /(\^?)\[S(\d{1,15})(?:-S(\d{1,15}))?\]/g;

const longestLooseList = 400;

export type ReferenceFault = Span & {
  code: "reference-out-of-range" | "range-too-long" | "descending-range" | "unreadable-references";
};

type ReferencesFound = { references: CipherReference[]; faults: ReferenceFault[] };

/** `length` counts the characters that belong to the field, its closing bar included; 0 when there is no field. */
type ReferenceField = ReferencesFound & { length: number };

type Mark = Span & { first: number; last: number; revises: boolean; inline: boolean };

/**
 * Reads the field after the type, which is a reference field when it is empty or wholly a list of references.
 * A list with a member that cannot be followed stays text, so that nothing written is lost. Numbers without S count
 * only before a bar: `S4|O|42` observes 42.
 */
export function readReferenceField(rest: string, offset: number): ReferenceField {
  const bar = rest.indexOf("|");
  const field = bar === -1 ? rest : rest.slice(0, bar);
  if (field.trim() === "") return { references: [], faults: [], length: bar + 1 };

  const marks = readList(field.trimEnd(), offset, bar !== -1);
  if (marks === undefined) {
    const span = { start: offset, end: offset + field.trimEnd().length };
    const isMeant = bar !== -1 && field.length <= longestLooseList && looseList.test(field);
    return { references: [], faults: isMeant ? [{ code: "unreadable-references", ...span }] : [], length: 0 };
  }
  const { references, faults } = judgeMarks(marks);
  if (references.length < marks.length) return { references: [], faults, length: 0 };
  return { references, faults, length: bar === -1 ? rest.length : bar + 1 };
}

export function findInlineReferences(content: string, offset: number): ReferencesFound {
  const marks: Mark[] = [];
  for (const match of content.matchAll(inlineReference)) {
    const [mark, caret, first, last] = match;
    const start = offset + match.index;
    marks.push({
      first: Number(first),
      last: Number(last ?? first),
      revises: caret === "^",
      inline: true,
      start,
      end: start + mark.length,
    });
  }
  return judgeMarks(marks);
}

function readList(field: string, offset: number, mayBeBare: boolean): Mark[] | undefined {
  const marks: Mark[] = [];
  let read = 0;
  for (const match of field.matchAll(listItem)) {
    const [item, mark = "", caret, open, letter, first, last, close] = match;
    if ((open === "[") !== (close === "]") || (letter === "" && !mayBeBare)) return undefined;
    const start = offset + match.index + item.indexOf(mark);
    marks.push({
      first: Number(first),
      last: Number(last ?? first),
      revises: caret === "^",
      inline: false,
      start,
      end: start + mark.length,
    });
    read += item.length;
  }
  return read === field.length ? marks : undefined;
}

/** A descending range is only written the wrong way round; with any other fault the mark is no reference. */
function judgeMarks(marks: readonly Mark[]): ReferencesFound {
  const references: CipherReference[] = [];
  const faults: ReferenceFault[] = [];
  for (const mark of marks) {
    const code = findFault(mark);
    if (code !== undefined) faults.push({ code, start: mark.start, end: mark.end });
    if (code === undefined || code === "descending-range") references.push(toReference(mark));
  }
  return { references, faults };
}

function findFault({ first, last }: Mark): ReferenceFault["code"] | undefined {
  if (Math.min(first, last) < 1 || Math.max(first, last) > largestStepNumber) return "reference-out-of-range";
  if (Math.abs(last - first) >= longestRange) return "range-too-long";
  return last < first ? "descending-range" : undefined;
}

function toReference({ first, last, revises, inline, start, end }: Mark): CipherReference {
  if (first === last) return { number: first, revises, inline, start, end };
  return { number: Math.min(first, last), to: Math.max(first, last), revises, inline, start, end };
}

/** Inverse of `parseCipher` for any statement that it could have read; see `protectContent` for the others. */
export function formatStep({ number, type, references, content }: CipherStatement): string {
  const text = protectContent(content.trim());
  const field = references.filter((reference) => !reference.inline).map(formatReference);
  if (field.length > 0) return `S${number}|${type}|${field.join(",")}|${text}`;

  const [firstLine = ""] = text.split("\n", 1);
  const wouldReadAsField = readReferenceField(firstLine, 0).length > 0;
  return `S${number}|${type}|${wouldReadAsField ? "|" : ""}${text}`;
}

function formatReference({ number, to, revises }: ReferenceTarget): string {
  return `${revises ? "^" : ""}S${number}${to === undefined ? "" : `-S${to}`}`;
}

/** Prose may hold a line that looks like a step; indented, it stays content of this one. The first line is safe. */
function protectContent(content: string): string {
  return content.replace(stepHeader, "    $&").trimStart();
}

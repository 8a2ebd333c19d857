import { readContradictions } from "./contradictions.ts";
import {
  type CipherOperator,
  type CipherReference,
  type CipherStatement,
  type CipherStep,
  type CipherType,
  cipherOperators,
  cipherTypes,
  largestStepNumber,
  longestRange,
  type ReferenceTarget,
  type Span,
} from "./notation.ts";

const warningMessages = {
  "duplicate-step": "This step number is already used in the same text.",
  "step-out-of-range": `Step numbers run from 1 to ${largestStepNumber}.`,
  "self-reference": "A step cannot refer to itself.",
  "reference-out-of-range": `References run from S1 to S${largestStepNumber}. This reference stays plain text.`,
  "range-too-long": `A range can cover at most ${longestRange} steps. This range stays plain text.`,
  "unreadable-references":
    "Separate references with commas, for example S1,S2. These references stay plain text.",
  "inline-list":
    "Write inline references one by one, for example [S1] [S2]. These references stay plain text.",
  "bare-contradiction":
    "⊖ links a step only if it is in brackets and has a capital S, for example [S3] ⊖ [S2]. These steps stay plain text.",
  "unclear-contradiction":
    "There is other text between ⊖ and this reference, so no link was created. Write ⊖ [S2], or end the sentence before it.",
  "forward-reference":
    "The step refers to a later one. The reference becomes a link only if that step already exists.",
  "descending-range": "The range runs backwards. It was reversed.",
  "empty-content": "The step is empty.",
  "revision-without-target": "A revision marks the step it corrects with ^, for example ^S3.",
} as const;

export type CipherWarningCode = keyof typeof warningMessages;
export type CipherWarning = Span & { code: CipherWarningCode; message: string; line: number };
export type CipherParse = { steps: CipherStep[]; warnings: CipherWarning[] };

/** The maximum per text. A hostile text could produce several warnings per line. */
const maxWarnings = 100;

const operatorSymbols = Object.keys(cipherOperators) as CipherOperator[];

type Finding = Span & { code: CipherWarningCode };
type StepReading = { step: CipherStep; faults: ReferenceFault[] };

/**
 * Returns `undefined` for prose: text whose first non-blank line is not a step. Lines between two steps belong
 * to the first step. Reads each character a bounded number of times, so hostile text takes linear time.
 */
export function parseCipher(text: string): CipherParse | undefined {
  // Detects prose first, because most texts are prose. Unlike `matchAll`, `search` does not copy the pattern.
  if (text.search(stepHeader) === -1) return undefined;
  const headers = [...text.matchAll(stepHeader)];
  const first = headers[0];
  if (first === undefined || text.slice(0, first.index).trim() !== "") return undefined;

  const steps: CipherStep[] = [];
  const warnings: CipherWarning[] = [];
  const taken = new Set<number>();
  let line = 1 + countNewlines(text, 0, first.index);
  for (const [position, header] of headers.entries()) {
    const bodyEnd = headers[position + 1]?.index ?? text.length;
    const { step, faults } = readStep(text, header, bodyEnd, line);
    for (const { code, start, end } of [...findDoubts(step, taken), ...faults]) {
      if (warnings.length === maxWarnings) break;
      const warningLine = line + countNewlines(text, step.start, start);
      warnings.push({ code, message: warningMessages[code], line: warningLine, start, end });
    }
    steps.push(step);
    taken.add(step.number);
    line += countNewlines(text, header.index, bodyEnd);
  }
  return { steps, warnings };
}

function readStep(text: string, header: RegExpExecArray, bodyEnd: number, line: number): StepReading {
  const [written, indentation = "", number, letter = ""] = header;
  const bodyStart = header.index + written.length;
  const body = text.slice(bodyStart, bodyEnd);
  const newline = body.indexOf("\n");
  const field = readReferenceField(newline === -1 ? body : body.slice(0, newline), bodyStart);

  const content = body.slice(field.length).trim();
  const end = bodyStart + body.trimEnd().length;
  const inline = findInlineReferences(content, end - content.length);
  const step = {
    number: Number(number),
    type: letter.toUpperCase() as CipherType,
    references: [...field.references, ...inline.references],
    content,
    operators: operatorSymbols.filter((symbol) => content.includes(symbol)),
    line,
    start: header.index + indentation.length,
    end,
  };
  const reported = field.faults.at(-1)?.end ?? 0;
  const others = inline.faults.filter(
    ({ code, start }) => code !== "bare-contradiction" || start >= reported,
  );
  return { step, faults: [...field.faults, ...others] };
}

function findDoubts(step: CipherStep, taken: ReadonlySet<number>): Finding[] {
  const { number, type, references, content, start, end } = step;
  const doubts: Finding[] = [];
  if (taken.has(number)) doubts.push({ code: "duplicate-step", start, end });
  if (number < 1 || number > largestStepNumber) doubts.push({ code: "step-out-of-range", start, end });
  if (content === "") doubts.push({ code: "empty-content", start, end });
  if (type === "R" && !references.some((reference) => reference.revises)) {
    doubts.push({ code: "revision-without-target", start, end });
  }
  for (const reference of references) {
    // Each chain has its own numbering, so references to other chains cannot be out of order.
    if (reference.branchId !== undefined) continue;
    const [from, to] = [reference.number, reference.to ?? reference.number];
    if (from <= number && number <= to) {
      doubts.push({ code: "self-reference", start: reference.start, end: reference.end });
    }
    if (to > number && !taken.has(to)) {
      doubts.push({ code: "forward-reference", start: reference.start, end: reference.end });
    }
  }
  return doubts;
}

function countNewlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

const typeLetters = Object.keys(cipherTypes).join("");

/**
 * `S12|H|` or `12|H|` at the start of a line: indentation, number, type. As in Markdown, up to three spaces
 * of indentation are allowed. A line indented by four spaces is text. Fifteen digits still fit exactly into a
 * JavaScript number.
 */
export const stepHeader = new RegExp(
  `(?<![^\\n])( {0,3})S?(\\d{1,15})[ \\t]*\\|[ \\t]*([${typeLetters}])[ \\t]*\\|`,
  "gi",
);

/** The optional branch name of a step, for example `alt:` in `alt:S3`. */
const branchName = "(?:([a-z\\d-]{1,64}):)?";

const listItem = new RegExp(
  `\\s*((\\^?)(\\[?)${branchName}(S?)(\\d{1,15})(?:-S?(\\d{1,15}))?(\\]?))\\s*(?:,|$)`,
  "giy",
);

const looseStep = "\\^?\\[?(?:(?:[a-z\\d-]{1,64}:\\s{0,3})?S|[a-z][a-z\\d-]{0,63}:)\\d{1,15}\\]?";
const nextLooseStep = new RegExp(looseStep, "iy");
const looseSeparator = /[\s;,./&+–—−→←∴∵∧∨¬⊕⊖-]+(?:and\s+)?/iy;
/** Match numbers without S, and lists that begin with a valid step but have an invalid member. */
const looseNumbers = /^\s*\d{1,15}(?:(?:\s*;\s*|\s+)\d{1,15})+\s*$/;
const looseMember = new RegExp(`^\\s*${looseStep}\\s*,`, "i");

/** Matches only an upper-case `S`, because `cells[s1]` is more likely code than a reference. */
const inlineBranch = "(?:([A-Za-z\\d-]{1,64}):)?";
const inlineReference = new RegExp(`(\\^?)\\[${inlineBranch}S(\\d{1,15})(?:-S(\\d{1,15}))?\\]`, "g");

/** Several steps in one pair of brackets. Bounded repetition keeps hostile text cheap. */
const inlineList = new RegExp(
  `\\^?\\[${branchName}S\\d{1,15}(?:(?:\\s{0,3}[,;/&+]\\s{0,3}|\\s{1,3}(?:and\\s{1,3})?)${branchName}S\\d{1,15}){1,50}\\]`,
  "g",
);

/**
 * A step next to `⊖` that is not a reference, because it has no brackets or no S. The bounds keep hostile text cheap.
 */
const bareStep = "(?:(?<![\\w:[^-])S\\d{1,15}(?![\\w\\]-])|\\[s?\\d{1,15}\\])";
const bareContradiction = new RegExp(`${bareStep}\\s{0,3}⊖|⊖\\s{0,3}${bareStep}`, "g");

const longestLooseList = 400;
const isLooseList = (field: string): boolean =>
  hasOnlyLooseSteps(field.trim()) || looseNumbers.test(field) || looseMember.test(field);

/**
 * True if the text looks like a list of steps with wrong separators. Reads from left to right without backtracking,
 * because one expression for the whole list would take exponential time.
 */
function hasOnlyLooseSteps(text: string): boolean {
  for (let at = 0; at < text.length; ) {
    nextLooseStep.lastIndex = at;
    if (!nextLooseStep.test(text)) return false;
    looseSeparator.lastIndex = nextLooseStep.lastIndex;
    if (looseSeparator.lastIndex === text.length) return true;
    if (!looseSeparator.test(text)) return false;
    at = looseSeparator.lastIndex;
  }
  return true;
}

export type ReferenceFault = Span & {
  code:
    | "reference-out-of-range"
    | "range-too-long"
    | "descending-range"
    | "unreadable-references"
    | "inline-list"
    | "bare-contradiction"
    | "unclear-contradiction";
};

type ReferencesFound = { references: CipherReference[]; faults: ReferenceFault[] };

/** `length` counts the characters of the field including its closing bar. 0 if there is no field. */
type ReferenceField = ReferencesFound & { length: number };

type Mark = Span & Omit<ReferenceTarget, "number" | "to"> & { first: number; last: number };

/**
 * Reads the field after the type. The field is a reference field if it is empty or contains only references.
 * A list with an invalid member remains text, so nothing is lost. Numbers without S and steps of other
 * branches are references only before a bar: in `S4|O|42`, 42 is the observation.
 */
export function readReferenceField(rest: string, offset: number): ReferenceField {
  const bar = rest.indexOf("|");
  const field = bar === -1 ? rest : rest.slice(0, bar);
  if (field.trim() === "") return { references: [], faults: [], length: bar + 1 };

  const marks = readList(field.trimEnd(), offset, bar !== -1);
  if (marks === undefined) {
    const span = { start: offset, end: offset + field.trimEnd().length };
    // References in brackets become links even if the field is read as text.
    const isUnlinked = /\d/.test(field.replace(inlineReference, ""));
    const isMeant = bar !== -1 && field.length <= longestLooseList && isUnlinked && isLooseList(field);
    return { references: [], faults: isMeant ? [{ code: "unreadable-references", ...span }] : [], length: 0 };
  }
  const { references, faults } = judgeMarks(marks);
  if (references.length < marks.length) return { references: [], faults, length: 0 };
  return { references, faults, length: bar === -1 ? rest.length : bar + 1 };
}

export function findInlineReferences(content: string, offset: number): ReferencesFound {
  const marks: Mark[] = [];
  for (const match of content.matchAll(inlineReference)) {
    const [mark, caret, branchId, first, last] = match;
    const start = offset + match.index;
    marks.push({
      first: Number(first),
      last: Number(last ?? first),
      ...(branchId !== undefined && { branchId: branchId.toLowerCase() }),
      revises: caret === "^",
      inline: true,
      start,
      end: start + mark.length,
    });
  }
  const { references, faults } = judgeMarks(marks);
  const all = (code: ReferenceFault["code"], pattern: RegExp): ReferenceFault[] =>
    [...content.matchAll(pattern)].map(({ 0: text, index }) => ({
      code,
      start: offset + index,
      end: offset + index + text.length,
    }));
  const { sides } = readContradictions(content, offset, references);
  const unclear = references.filter((reference) => sides.get(reference) === "unclear");
  return {
    references,
    faults: [
      ...faults,
      ...all("inline-list", inlineList),
      ...all("bare-contradiction", bareContradiction),
      ...unclear.map(({ start, end }) => ({ code: "unclear-contradiction" as const, start, end })),
    ],
  };
}

function readList(field: string, offset: number, mayBeBare: boolean): Mark[] | undefined {
  const marks: Mark[] = [];
  let read = 0;
  for (const match of field.matchAll(listItem)) {
    const [item, mark = "", caret, open, branchId, letter, first, last, close] = match;
    if ((open === "[") !== (close === "]")) return undefined;
    if (!mayBeBare && (letter === "" || branchId !== undefined)) return undefined;
    // `10:30` is a time, not step 30 of a branch named `10`.
    if (branchId !== undefined && letter === "") return undefined;
    const start = offset + match.index + item.indexOf(mark);
    marks.push({
      first: Number(first),
      last: Number(last ?? first),
      ...(branchId !== undefined && { branchId: branchId.toLowerCase() }),
      revises: caret === "^",
      inline: false,
      start,
      end: start + mark.length,
    });
    read += item.length;
  }
  return read === field.length ? marks : undefined;
}

/** Swaps the ends of a descending range. A reference with any other fault remains text. */
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

function toReference({ first, last, ...mark }: Mark): CipherReference {
  if (first === last) return { number: first, ...mark };
  return { number: Math.min(first, last), to: Math.max(first, last), ...mark };
}

/**
 * Reverses `parseCipher` for every statement that `parseCipher` can return. For other statements,
 * `protectContent` may change the content.
 */
export function formatStep({ number, type, references, content }: CipherStatement): string {
  const text = protectContent(content.trim());
  const field = references.filter((reference) => !reference.inline).map(formatReference);
  if (field.length > 0) return `S${number}|${type}|${field.join(",")}|${text}`;

  const [firstLine = ""] = text.split("\n", 1);
  const wouldReadAsField = readReferenceField(firstLine, 0).length > 0;
  return `S${number}|${type}|${wouldReadAsField ? "|" : ""}${text}`;
}

export function formatReference({ number, to, branchId, revises }: ReferenceTarget): string {
  const branch = branchId === undefined ? "" : `${branchId}:`;
  return `${revises ? "^" : ""}${branch}S${number}${to === undefined ? "" : `-S${to}`}`;
}

/** Indents lines that look like steps. They then remain content. The first line needs no indentation. */
function protectContent(content: string): string {
  return content.replace(stepHeader, "    $&").trimStart();
}

import { findInlineReferences, type ReferenceFault, readReferenceField, stepHeader } from "./grammar.ts";
import {
  type CipherOperator,
  type CipherStep,
  type CipherType,
  cipherOperators,
  largestStepNumber,
  longestRange,
  type Span,
} from "./notation.ts";

const warningMessages = {
  "duplicate-step": "This step number is already taken in the same text.",
  "step-out-of-range": `Step numbers run from 1 to ${largestStepNumber}.`,
  "self-reference": "A step cannot rest on itself.",
  "reference-out-of-range": `References run from S1 to S${largestStepNumber}; this one stays plain text.`,
  "range-too-long": `A range covers at most ${longestRange} steps; this one stays plain text.`,
  "unreadable-references": "Separate references with commas, for example S1,S2. These stay plain text.",
  "forward-reference":
    "The step names one that comes after it. It is linked only if that step already exists.",
  "descending-range": "The range runs backwards; it is read the right way round.",
  "empty-content": "The step says nothing.",
  "revision-without-target": "A revision names the step it corrects with ^, for example ^S3.",
} as const;

export type CipherWarningCode = keyof typeof warningMessages;
export type CipherWarning = Span & { code: CipherWarningCode; message: string; line: number };
export type CipherParse = { steps: CipherStep[]; warnings: CipherWarning[] };

/** Enough to repair a text by; a hostile one would otherwise earn more warnings than it has lines. */
const maxWarnings = 100;

const operatorSymbols = Object.keys(cipherOperators) as CipherOperator[];

type Finding = Span & { code: CipherWarningCode };
type StepReading = { step: CipherStep; faults: ReferenceFault[] };

/**
 * `undefined` means prose: the first line that says anything is not a step. Lines between two steps continue the
 * first of them. Every character is looked at a bounded number of times, so hostile text costs no more than its length.
 */
export function parseCipher(text: string): CipherParse | undefined {
  // Most texts are prose, and `search` asks without the copy of the pattern that `matchAll` makes.
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
  return { step, faults: [...field.faults, ...inline.faults] };
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
    const [from, to] = [reference.number, reference.to ?? reference.number];
    if (from <= number && number <= to) {
      doubts.push({ code: "self-reference", start: reference.start, end: reference.end });
    } else if (to > number && !taken.has(to)) {
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

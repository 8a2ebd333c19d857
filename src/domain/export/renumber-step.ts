import { largest } from "../../kernel/numbers.ts";
import type { Steps } from "../../kernel/steps.ts";
import { createStepChains, type FoundStep } from "../analysis/rejections.ts";
import { type CipherEdge, deriveEdges } from "../cipher/edges.ts";
import {
  type CipherReference,
  type CipherStatement,
  type CipherStep,
  largestStepNumber,
  longestRange,
  type ReferenceTarget,
} from "../cipher/notation.ts";
import { parseCipher } from "../cipher/parse.ts";
import type { ChainedThought, Thought } from "../ledger/thought.ts";
import { type Address, nodeId } from "../ledger/thought.ts";

/** A thought in a cipher document. `steps` is empty for prose. */
export type DocumentThought = {
  data: Thought;
  steps: readonly CipherStep[];
  /** Finds the step that a number in the text refers to. `branchId` is the branch in the reference, if any. */
  findStep(number: number, branchId?: string): FoundStep | undefined;
};

/** The numbering of a cipher document, in which every step of every chain has its own number. */
export type DocumentNumbers = {
  /** Returns the number of a step or, for a whole thought, the numbers of all its steps. */
  of(address: Address, step?: number): readonly number[];
  /** Returns an unused step number, for references without a target. */
  nowhere(number: number): number;
};

const keyOf = ({ branchId, thoughtNumber }: Address): string => nodeId("", { branchId, thoughtNumber });

/**
 * Resolves references in order of arrival. Returns the main chain sorted by number, then the branches in order of
 * arrival.
 */
export function* readDocument(thoughts: readonly ChainedThought[]): Steps<DocumentThought[]> {
  const chains = createStepChains();
  const main: DocumentThought[] = [];
  const branches: DocumentThought[] = [];
  for (const { data } of thoughts) {
    yield;
    const steps = data.cipher ? (parseCipher(data.thought)?.steps ?? []) : [];
    chains.open(data);
    const own = new Set(steps.map(({ number }) => number));
    const isOwn = (number: number, branch = data.branchId) => branch === data.branchId && own.has(number);
    const named = new Map<string, FoundStep | undefined>();
    for (const [name, { number, branch }] of namedBy(steps))
      if (!isOwn(number, branch)) named.set(name, chains.find(branch ?? data.branchId, number));
    chains.add(data, steps);
    const findStep = (number: number, branch?: string): FoundStep | undefined =>
      isOwn(number, branch) ? { to: data, step: number } : named.get(stepName(number, branch));
    (data.branchId === undefined ? main : branches).push({ data, steps, findStep });
  }
  return [...main.sort((a, b) => a.data.thoughtNumber - b.data.thoughtNumber), ...branches];
}

const stepName = (number: number, branch = ""): string => `${branch}:${number}`;

function namedBy(steps: readonly CipherStep[]) {
  const named = new Map<string, { number: number; branch: string | undefined }>();
  for (const { references } of steps)
    for (const { number: first, to = first, branchId: branch } of references)
      for (let number = first; number <= to; number += 1)
        named.set(stepName(number, branch), { number, branch });
  return named;
}

/**
 * Numbers the steps. Thoughts of the main chain keep their numbers, unless the highest number would become
 * too large. The second and later steps of these thoughts, and all thoughts on branches, get higher numbers.
 */
export function* numberDocument(document: readonly DocumentThought[]): Steps<DocumentNumbers> {
  const numbers = new Map<string, Map<number | undefined, number>>();
  const total = document.reduce((sum, { steps }) => sum + Math.max(1, steps.length), 0);
  const highest = largest(
    document.flatMap(({ data }) => (data.branchId === undefined ? [data.thoughtNumber] : [])),
  );
  const keeps = highest + total <= largestStepNumber;
  let next = keeps ? highest : 0;
  const taken = new Set<number>();
  for (const { data, steps } of document) {
    yield;
    const own = new Map<number | undefined, number>();
    for (const step of steps.length > 0 ? steps.map(({ number }) => number) : [undefined]) {
      if (own.has(step)) continue;
      const kept = keeps && own.size === 0 && data.branchId === undefined;
      if (!kept) next += 1;
      own.set(step, kept ? data.thoughtNumber : next);
      taken.add(kept ? data.thoughtNumber : next);
    }
    numbers.set(keyOf(data), own);
  }
  return {
    of: (address, step) => {
      const own = numbers.get(keyOf(address));
      const one = own?.get(step);
      return one === undefined ? [...(own?.values() ?? [])] : [one];
    },
    nowhere: (number) => (taken.has(number) ? Math.min(next + 1, largestStepNumber) : number),
  };
}

/** Maps a step number in a text, and its branch if given, to document numbers. */
type Translate = (number: number, branch: string | undefined) => readonly number[];

/** Returns a step for the document, with its own number and all references renumbered. */
export function renumberStep(
  thought: DocumentThought,
  step: CipherStep,
  numbers: DocumentNumbers,
): CipherStatement {
  const translate: Translate = (number, branch) => {
    const found = thought.findStep(number, branch);
    return found ? numbers.of(found.to, found.step) : [];
  };
  const [number = step.number] = numbers.of(thought.data, step.number);
  const inline = step.references.filter((reference) => reference.inline);
  const runs = inline.map((reference) => runsOf(reference, translate, numbers));
  if (runs.every((members) => members.length === 1)) {
    const references = fieldOf(step).flatMap((reference) =>
      runsOf({ ...reference, inline: false }, translate, numbers),
    );
    const content = replaceInline(step, inline, (_, index) => runs[index]?.map(formatInline).join() ?? "");
    return { number, type: step.type, references: distinct(references), content };
  }
  return spellOut({ number, step, inline, runs }, translate, numbers);
}

/**
 * Returns the reference field. An X step without a field rejects the steps that its text refers to, so it
 * gets a field. The field preserves these rejections even if the text changes.
 */
function fieldOf({ type, references }: CipherStep): readonly CipherReference[] {
  const field = references.filter(({ inline }) => !inline);
  return type === "X" && field.length === 0 ? references.filter(({ revises }) => !revises) : field;
}

/**
 * Returns the members of a reference in document numbers, with adjacent numbers joined into ranges. Drops
 * members without a target. If no member has a target, returns an unused number.
 */
function runsOf(
  { number, to = number, branchId, revises, inline }: ReferenceTarget,
  translate: Translate,
  { nowhere }: DocumentNumbers,
): ReferenceTarget[] {
  const members: number[] = [];
  for (let member = number; member <= to; member += 1)
    for (const found of translate(member, branchId)) members.push(found);
  if (members.length === 0) return [{ number: nowhere(number), revises, inline }];
  const runs: ReferenceTarget[] = [];
  for (const member of [...new Set(members)].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    const end = last ? (last.to ?? last.number) : 0;
    if (last && member === end + 1 && member - last.number < longestRange) last.to = member;
    else runs.push({ number: member, revises, inline });
  }
  return runs;
}

function distinct(references: readonly ReferenceTarget[]): ReferenceTarget[] {
  const formatted = new Map(references.map((reference) => [formatInline(reference), reference]));
  return [...formatted.values()];
}

const formatInline = ({ number, to, revises }: ReferenceTarget): string =>
  `${revises ? "^" : ""}[S${number}${to === undefined ? "" : `-S${to}`}]`;

function replaceInline(
  { content, end }: CipherStep,
  inline: readonly CipherReference[],
  replace: (reference: CipherReference, index: number) => string,
): string {
  const start = end - content.length;
  let [text, read] = ["", 0];
  for (const [index, reference] of inline.entries()) {
    text += content.slice(read, reference.start - start) + replace(reference, index);
    read = reference.end - start;
  }
  return text + content.slice(read);
}

type Spelling = {
  number: number;
  step: CipherStep;
  inline: readonly CipherReference[];
  runs: readonly ReferenceTarget[][];
};

/**
 * Writes the numbers in the text without brackets and adds the links separately. Needed if a range is not
 * contiguous after renumbering. Listing the range's members in brackets would not work, because `⊖` applies
 * only to the next reference.
 */
function spellOut(
  { number, step, inline, runs }: Spelling,
  translate: Translate,
  { nowhere }: DocumentNumbers,
): CipherStatement {
  const content = replaceInline(step, inline, (_, index) =>
    (runs[index] ?? []).map((run) => formatInline(run).replace(/[[\]]/g, "")).join(", "),
  );
  const links = deriveEdges([step]).flatMap((edge) => translateEdge(edge, step, number, translate));
  const own = (relation: CipherEdge["relation"]) =>
    links.flatMap(({ from, to, relation: said }) => (from === number && said === relation ? [to] : []));
  const target = (revises: boolean) => (to: number) => ({ number: to, revises, inline: false });
  const rests = own("supports");
  const field = [
    ...own("revises").map(target(true)),
    ...own("rejects").map(target(false)),
    ...(step.type === "X" ? [] : rests.map(target(false))),
  ];
  // An X step without a field would reject every step it cites, so it gets a field.
  const cites = step.type === "X" ? rests : [];
  if (cites.length > 0 && field.length === 0) field.push(target(false)(nowhere(number)));
  const said = [
    ...cites.map((to) => `see [S${to}]`),
    ...own("contradicts").map((to) => `⊖ [S${to}] ⊖`),
    ...links.flatMap(({ from, to }) => (from === number ? [] : [`[S${from}] ⊖ [S${to}]`])),
  ];
  const references = distinct(field);
  return { number, type: step.type, references, content: [content, ...said].join("; ") };
}

function translateEdge(
  { from, fromBranch, to, toBranch, relation }: CipherEdge,
  step: CipherStep,
  number: number,
  translate: Translate,
): CipherEdge[] {
  const isOwn = from === step.number && fromBranch === undefined;
  const sources = isOwn ? [number] : translate(from, fromBranch);
  return sources.flatMap((source) =>
    translate(to, toBranch).flatMap((target) =>
      source === target ? [] : [{ from: source, to: target, relation }],
    ),
  );
}

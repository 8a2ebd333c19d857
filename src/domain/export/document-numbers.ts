import { largest } from "../../kernel/numbers.ts";
import type { Steps } from "../../kernel/steps.ts";
import { createStepChains, type FoundStep } from "../analysis/step-chains.ts";
import { type CipherStep, largestStepNumber } from "../cipher/notation.ts";
import { parseCipher } from "../cipher/parse.ts";
import { type Address, nodeId } from "../ledger/address.ts";
import type { ChainedThought, Thought } from "../ledger/thought.ts";

/** A thought on its way into a cipher document; prose has no steps. */
export type DocumentThought = {
  data: Thought;
  steps: readonly CipherStep[];
  /** What a number in its text means. */
  findStep(number: number): FoundStep | undefined;
};

/** Numbers of a cipher document, where every step of every chain has one of its own. */
export type DocumentNumbers = {
  /** Of a step; of the thought as a whole all its steps. */
  of(address: Address, step?: number): readonly number[];
  /** For what refers to nothing: a number that no step of the document has. */
  nowhere(number: number): number;
};

const keyOf = ({ branchId, thoughtNumber }: Address): string => nodeId("", { branchId, thoughtNumber });

/** Steps and what they refer to, resolved in the order of arrival; then the main chain by number, and branches as they came. */
export function* readDocument(thoughts: readonly ChainedThought[]): Steps<DocumentThought[]> {
  const chains = createStepChains();
  const main: DocumentThought[] = [];
  const branches: DocumentThought[] = [];
  for (const { data } of thoughts) {
    yield;
    const steps = data.cipher ? (parseCipher(data.thought)?.steps ?? []) : [];
    chains.open(data);
    const own = new Set(steps.map(({ number }) => number));
    const named = new Map<number, FoundStep | undefined>();
    for (const number of namedBy(steps))
      if (!own.has(number)) named.set(number, chains.find(data.branchId, number));
    chains.add(data, steps);
    const findStep = (number: number): FoundStep | undefined =>
      own.has(number) ? { to: data, step: number } : named.get(number);
    (data.branchId === undefined ? main : branches).push({ data, steps, findStep });
  }
  return [...main.sort((a, b) => a.data.thoughtNumber - b.data.thoughtNumber), ...branches];
}

function namedBy(steps: readonly CipherStep[]): Set<number> {
  const named = new Set<number>();
  for (const { references } of steps)
    for (const { number, to = number } of references)
      for (let member = number; member <= to; member += 1) named.add(member);
  return named;
}

/** Thoughts of the main chain keep their numbers; further steps of theirs and branches, whose numbers repeat, follow. */
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

import { type CipherParse, parseCipher } from "../cipher/parse.ts";
import type { StoredStep } from "./thought.ts";

/** A hostile text can name a quarter of a million references; nobody reads more than these. */
const max = { steps: 200, references: 64 };

/** The steps of a thought written in cipher, `undefined` for prose. The contents stay in the text itself. */
export function readCipher(text: string): StoredStep[] | undefined {
  const parsed = parseCipher(text);
  return parsed && keepSteps(parsed);
}

/** What is stored of a parse. */
export function keepSteps({ steps }: CipherParse): StoredStep[] {
  return steps.slice(0, max.steps).map(({ number, type, references }) => ({
    number,
    type,
    references: references.slice(0, max.references).map(({ number: target, to, revises }) => ({
      number: target,
      ...(to !== undefined && { to }),
      ...(revises && { revises: true as const }),
    })),
  }));
}

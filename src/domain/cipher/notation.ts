export const cipherTypes = {
  H: { name: "Hypothesis", meaning: "A claim that could turn out wrong." },
  E: { name: "Evidence", meaning: "A fact that bears on the referenced steps." },
  C: { name: "Conclusion", meaning: "What follows from the referenced steps." },
  Q: { name: "Question", meaning: "Something still to find out." },
  R: { name: "Revision", meaning: "A correction of the step marked with ^." },
  P: { name: "Plan", meaning: "What will be done, in order." },
  O: { name: "Observation", meaning: "Something seen, not yet interpreted." },
  A: { name: "Assumption", meaning: "Taken as true without proof." },
  X: { name: "Rejected", meaning: "The referenced steps are rejected." },
} as const;

export const cipherOperators = {
  "→": "implies, leads to",
  "←": "derived from, because of",
  "∴": "therefore",
  "∵": "because",
  "∧": "and",
  "∨": "or",
  "¬": "not",
  "⊕": "supports",
  "⊖": "contradicts",
} as const;

export type CipherType = keyof typeof cipherTypes;
export type CipherOperator = keyof typeof cipherOperators;

export const largestStepNumber = 1_000_000;
export const longestRange = 200;

/** UTF-16 offsets into the parsed text, `end` exclusive. */
export type Span = { start: number; end: number };

/**
 * One step, or every step from `number` to `to`. A range is expanded only when its members are needed. If
 * `branchId` is set, the numbers refer to steps of that branch. The referring step may be in another chain.
 */
export type ReferenceTarget = {
  number: number;
  to?: number;
  branchId?: string;
  revises: boolean;
  inline: boolean;
};
export type CipherReference = ReferenceTarget & Span;

/**
 * The meaning of a step, independent of its place in a text. Inline references are part of `content` and are listed for
 * convenience.
 */
export type CipherStatement = {
  number: number;
  type: CipherType;
  references: readonly ReferenceTarget[];
  content: string;
};

/** A statement found in a text. `content` is the source text. The span ends where `content` ends. */
export type CipherStep = Omit<CipherStatement, "references"> &
  Span & {
    references: readonly CipherReference[];
    operators: readonly CipherOperator[];
    line: number;
  };

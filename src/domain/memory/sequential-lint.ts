import type { Meta } from "./entry.ts";

export type SequentialWarning = {
  code: "SEQUENTIAL_META_INCOMPLETE" | "SEQUENTIAL_META_INVALID";
  message: string;
};

const numbers = ["thoughtNumber", "totalThoughts", "branchFromThought", "revisesThought"] as const;
const keys = [...numbers, "branchId", "isRevision", "nextThoughtNeeded"] as const;

/** So that one entry does not drown what else there is to say. */
const maxWarnings = 2;

/** What a step says about its place in a sequence, and cannot be followed. */
export function lintSequential(meta: Meta | undefined): SequentialWarning[] {
  if (!meta || !keys.some((key) => meta[key] !== undefined)) return [];
  const invalid = numbers
    .filter((key) => meta[key] !== undefined && !isStepNumber(meta[key]))
    .map((key) =>
      tell("SEQUENTIAL_META_INVALID", `meta.${key} is no whole number from 1 on, and is passed over.`),
    );
  const needs = (when: boolean, key: string, why: string): SequentialWarning[] =>
    when && meta[key] === undefined
      ? [tell("SEQUENTIAL_META_INCOMPLETE", `meta.${key} is missing: ${why}.`)]
      : [];
  return [
    ...invalid,
    ...needs(true, "thoughtNumber", "without it the step has no place in the sequence"),
    ...needs(meta["branchFromThought"] !== undefined, "branchId", "a fork leads to a branch"),
    ...needs(meta["isRevision"] === true, "revisesThought", "a revision says what it revises"),
    ...needs(meta["revisesThought"] !== undefined, "isRevision", "without it no revision is drawn"),
  ].slice(0, maxWarnings);
}

export const isStepNumber = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value > 0;

const tell = (code: SequentialWarning["code"], message: string): SequentialWarning => ({ code, message });

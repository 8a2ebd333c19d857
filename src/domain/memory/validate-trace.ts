import type { EntryMark, Meta } from "./entry.ts";
import { deriveSequential, stepFormats } from "./sequential.ts";

export type TraceProblem = {
  code: "FIELD_MISSING" | "DUPLICATE_STEP" | "OUT_OF_ORDER" | "PARENT_MISSING";
  seq: number;
  message: string;
  thoughtNumber?: number;
};

const required = ["thoughtNumber", "totalThoughts", "nextThoughtNeeded"] as const;

type SequentialWarning = {
  code: "SEQUENTIAL_META_INCOMPLETE" | "SEQUENTIAL_META_INVALID";
  message: string;
};

const numbers = ["thoughtNumber", "totalThoughts", "branchFromThought", "revisesThought"] as const;
const keys = [...numbers, "branchId", "isRevision", "nextThoughtNeeded"] as const;

/** The maximum number of warnings per entry, so that one entry does not crowd out others. */
const maxWarnings = 2;

export function lintSequential(meta: Meta | undefined): SequentialWarning[] {
  if (!meta || !keys.some((key) => meta[key] !== undefined)) return [];
  const invalid = numbers
    .filter((key) => meta[key] !== undefined && !isStepNumber(meta[key]))
    .map((key) =>
      tell("SEQUENTIAL_META_INVALID", `meta.${key} is not a positive whole number, so it is ignored.`),
    );
  const needs = (when: boolean, key: string, why: string): SequentialWarning[] =>
    when && meta[key] === undefined
      ? [tell("SEQUENTIAL_META_INCOMPLETE", `meta.${key} is missing: ${why}.`)]
      : [];
  return [
    ...invalid,
    ...needs(true, "thoughtNumber", "without it the step has no place in the sequence"),
    ...needs(meta["branchFromThought"] !== undefined, "branchId", "a fork needs a branch"),
    ...needs(meta["isRevision"] === true, "revisesThought", "a revision must name what it revises"),
    ...needs(meta["revisesThought"] !== undefined, "isRevision", "without it the revision is not drawn"),
  ].slice(0, maxWarnings);
}

const isStepNumber = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value > 0;

const tell = (code: SequentialWarning["code"], message: string): SequentialWarning => ({ code, message });

/**
 * Reports missing fields, duplicate or descending numbers in a chain, and references to missing steps. Expects the
 * oldest entry first and keeps the order of the entries. If older entries were omitted (`partial`), does not report
 * references to them.
 */
export function validateTrace(entries: readonly EntryMark[], partial: boolean): TraceProblem[] {
  const steps = entries.filter(
    ({ format, meta }) => format === stepFormats.sequential || hasNumber(format, meta),
  );
  const problems: TraceProblem[] = [];
  const chains = new Map<string, { highest: number; seen: Map<number, number> }>();
  for (const { seq, format, meta = {} } of steps) {
    const missing =
      format === stepFormats.sequential ? required.filter((key) => meta[key] === undefined) : [];
    for (const key of missing) problems.push({ code: "FIELD_MISSING", seq, message: `${key} is missing.` });
    const number = meta["thoughtNumber"];
    if (!isStepNumber(number)) continue;
    const chainId = typeof meta["branchId"] === "string" ? meta["branchId"] : "";
    const chain = chains.get(chainId) ?? { highest: 0, seen: new Map<number, number>() };
    chains.set(chainId, chain);
    const where = chainId === "" ? "" : ` of branch ${chainId}`;
    const earlier = chain.seen.get(number);
    if (earlier !== undefined)
      problems.push({
        code: "DUPLICATE_STEP",
        seq,
        thoughtNumber: number,
        message: `Step ${number}${where} already exists, at seq ${earlier}.`,
      });
    else if (number < chain.highest)
      problems.push({
        code: "OUT_OF_ORDER",
        seq,
        thoughtNumber: number,
        message: `Step ${number}${where} is recorded after step ${chain.highest}.`,
      });
    if (earlier === undefined) chain.seen.set(number, seq);
    chain.highest = Math.max(chain.highest, number);
  }
  const parents = partial ? [] : missingParents(steps);
  return [...problems, ...parents].sort((one, other) => one.seq - other.seq);
}

/** True if the entry is a plain step with a number. Such a step is also part of the sequence. */
const hasNumber = (format: string | undefined, meta: Meta | undefined): boolean =>
  format === stepFormats.plain && meta?.["thoughtNumber"] !== undefined;

function missingParents(steps: readonly EntryMark[]): TraceProblem[] {
  const { nodes = [], missing = [] } = deriveSequential(steps) ?? {};
  const seqOf = new Map(nodes.map(({ thoughtNumber, seq }) => [thoughtNumber, seq]));
  return missing.map(({ rel, thoughtNumber, referredBy }) => ({
    code: "PARENT_MISSING",
    seq: seqOf.get(referredBy) ?? 0,
    thoughtNumber: referredBy,
    message: `Step ${referredBy} ${rel === "branch" ? "forks from" : "revises"} step ${thoughtNumber}, which does not exist.`,
  }));
}

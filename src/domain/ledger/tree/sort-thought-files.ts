import { type Steps, sortInSteps } from "../../../kernel/steps.ts";
import { genesisHash } from "../chain/hash-chain.ts";
import { type Address, describeAddress } from "../thought.ts";
import { keyOf } from "./arrivals.ts";
import { type ChainedCritique, parseCritiqueFile } from "./critique-file.ts";
import { critiquesFolder } from "./layout.ts";
import { type PlainThought, readPlainThought, unknownFields } from "./plain-thought.ts";
import { parseThoughtFile, type SealedThought } from "./thought-file.ts";

export type FoundFile = { path: string; address: Address; text: string };
export type BadFile = { path: string; problem: string };

type Found<Thought> = { path: string; address: Address; thought: Thought };
export type SortedFiles = {
  sealed: Found<SealedThought>[];
  plain: Found<PlainThought>[];
  critiques: { path: string; critique: ChainedCritique }[];
  badFiles: BadFile[];
  warnings: string[];
};

/** Sorts files by kind. If two files contain the same thought, uses the one whose path matches it. */
export function* sortThoughtFiles(sessionId: string, files: readonly FoundFile[]): Steps<SortedFiles> {
  const sorted: SortedFiles = { sealed: [], plain: [], critiques: [], badFiles: [], warnings: [] };
  const dropped = new Set<string>();
  const places = new Map<string, string>();
  for (const { path, address: place, text } of files) {
    yield;
    places.set(path, keyOf(place));
    if (isCritiqueFile(path, text)) {
      const critique = parseCritiqueFile(sessionId, text);
      if (typeof critique === "string") sorted.badFiles.push({ path, problem: critique });
      else sorted.critiques.push({ path, critique });
      continue;
    }
    const file = parseThoughtFile(sessionId, text);
    if (file.kind === "bad") sorted.badFiles.push({ path, problem: file.problem });
    if (file.kind === "sealed")
      sorted.sealed.push({ path, address: addressOf(file.entry), thought: file.entry });
    if (file.kind === "plain") {
      const thought = readPlainThought(file.fields, place);
      if (typeof thought === "string") {
        sorted.badFiles.push({ path, problem: thought });
      } else {
        sorted.plain.push({ path, address: thought.address, thought });
        for (const field of unknownFields(file.fields)) dropped.add(field);
      }
    }
  }
  if (dropped.size > 0)
    sorted.warnings.push(
      `fields that the ledger does not store were dropped: ${[...dropped].sort().join(", ")}`,
    );
  const isPlaced = (found: Found<unknown>) => places.get(found.path) === keyOf(found.address);
  sorted.sealed = yield* withoutRepetitions(sorted.sealed, isPlaced, sorted);
  sorted.plain = yield* withoutRepetitions(sorted.plain, isPlaced, sorted);
  return sorted;
}

/** True if the file is a critique. Checks the contents, because an old branch may have such a path. */
const isCritiqueFile = (path: string, text: string): boolean =>
  path.startsWith(`${critiquesFolder}/`) && text.includes('"thoughtHash"');

const addressOf = ({ data: { branchId, thoughtNumber } }: SealedThought): Address => ({
  branchId,
  thoughtNumber,
});

function* withoutRepetitions<Thought>(
  found: readonly Found<Thought>[],
  isPlaced: (found: Found<Thought>) => boolean,
  { badFiles, warnings }: SortedFiles,
): Steps<Found<Thought>[]> {
  const kept = new Map<string, Found<Thought>>();
  for (const one of yield* sortInSteps(found, (a, b) => Number(isPlaced(b)) - Number(isPlaced(a)))) {
    yield;
    const key = keyOf(one.address);
    if (kept.has(key)) badFiles.push({ path: one.path, problem: `repeats ${describeAddress(one.address)}` });
    else {
      if (!isPlaced(one)) warnings.push(`${one.path} contains ${describeAddress(one.address)}`);
      kept.set(key, one);
    }
  }
  return [...kept.values()];
}

/** Sorts sealed thoughts by position and reports every break in the chain. */
export function* connectSealed(found: readonly Found<SealedThought>[]): Steps<{
  entries: SealedThought[];
  badFiles: BadFile[];
  warnings: string[];
}> {
  const inOrder = yield* sortInSteps(found, (a, b) => a.thought.position - b.thought.position);
  const opened = new Set<string>();
  const entries: SealedThought[] = [];
  const badFiles: BadFile[] = [];
  const warnings: string[] = [];
  for (const { path, thought } of inOrder) {
    yield;
    const { branchId, branchFromThought } = thought.data;
    const last = entries.at(-1);
    if (thought.position === last?.position) {
      badFiles.push({ path, problem: `claims position ${thought.position}, which another thought has` });
    } else if (branchId !== undefined && opened.has(branchId) !== (branchFromThought === undefined)) {
      badFiles.push({
        path,
        problem: `does not fit its branch ${branchId}: the branch's first thought is missing`,
      });
    } else {
      if (branchId !== undefined) opened.add(branchId);
      const expected = (last?.position ?? 0) + 1;
      if (thought.position > expected) {
        const end = thought.position - 1;
        warnings.push(
          end === expected ? `position ${end} is missing` : `positions ${expected} to ${end} are missing`,
        );
      } else if (thought.prevHash !== (last?.hash ?? genesisHash)) {
        warnings.push(`${path} does not follow the thought before it (prevHash differs)`);
      }
      entries.push(thought);
    }
  }
  return { entries, badFiles, warnings };
}

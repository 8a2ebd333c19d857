import type { CipherReference } from "../../../domain/cipher/notation.ts";
import type { CipherParse } from "../../../domain/cipher/parse.ts";
import type { ChainedThought } from "../../../domain/ledger/thought.ts";
import type { OperationContext } from "../../pipeline/context.ts";

/** The number of thoughts to search for a step, counted from the end of a chain. */
const searchedForStep = 200;

/** The maximum number of steps to check. A hostile text could refer to millions. */
const maxChecked = 1_000;
const maxForks = 16;
const maxChains = 20;

/** `isWhole` is false if a chain may have older steps, which were not searched. */
type SearchedSteps = { steps: ReadonlyMap<number, number>; isWhole: boolean };

/**
 * Returns a warning for each reference in a recorded thought that matches no step and therefore has no link.
 * Skips references to a later step in the same chain, because the parser already warns about them. Also skips
 * a reference if its step may be in a thought that is too old to be searched.
 */
export async function findLostReferences(
  { ledger }: Pick<OperationContext, "ledger">,
  { sessionId, data }: ChainedThought,
  { steps }: CipherParse,
): Promise<string[]> {
  if (steps.every(({ references }) => references.length === 0)) return [];
  const index = await ledger.loadIndex(sessionId);
  const branches = new Map(index.branches().map((branch) => [branch.branchId, branch]));
  const ownSteps = new Set(steps.map(({ number }) => number));
  const chains = new Map<string | undefined, Promise<SearchedSteps>>();
  const doubts = new Set<string>();
  let checked = 0;
  for (const step of steps) {
    for (const reference of step.references) {
      const { branchId } = reference;
      if (branchId !== undefined && branchId !== "main" && !branches.has(branchId)) {
        if (checked++ === maxChecked) return [...doubts];
        doubts.add(`Line ${step.line}, unknown-branch: This session has no branch ${branchId}. ${noLink}`);
        continue;
      }
      const chain = branchId === undefined ? data.branchId : branches.has(branchId) ? branchId : undefined;
      const lost: number[] = [];
      for (const number of membersOf(reference)) {
        if (checked++ === maxChecked) return [...doubts];
        if (branchId === undefined && number >= step.number) break;
        if (await isLost(chain, number)) lost.push(number);
      }
      const name = chain === undefined ? "The main chain" : `Branch ${chain}`;
      if (lost.length > 0)
        doubts.add(`Line ${step.line}, unknown-step: ${name} has no step ${toRuns(lost)}. ${noLink}`);
    }
  }
  return [...doubts];

  /** Returns true if the chain lacks the step, and each chain that it forked from lacks it up to the fork. */
  async function isLost(branchId: string | undefined, number: number): Promise<boolean> {
    if (branchId === data.branchId && ownSteps.has(number)) return false;
    let [at, limit] = [branchId, Number.POSITIVE_INFINITY];
    for (let forks = 0; forks <= maxForks; forks += 1) {
      const isOwn = at === data.branchId && number === data.thoughtNumber;
      if (!isOwn && number <= limit && index.find({ branchId: at, thoughtNumber: number })) return false;
      const { steps: found, isWhole } = await stepsOf(at);
      const thought = found.get(number);
      if (!isWhole || (thought !== undefined && thought <= limit)) return false;
      const fork = at === undefined ? undefined : branches.get(at)?.fork;
      if (!fork) return true;
      [at, limit] = [fork.branchId, fork.thoughtNumber];
    }
    return false;
  }

  /** Maps the step numbers in the newest thoughts of a chain to the numbers of the thoughts. */
  async function stepsOf(branchId: string | undefined): Promise<SearchedSteps> {
    const known = chains.get(branchId);
    if (known === undefined && chains.size >= maxChains) return { steps: new Map(), isWhole: false };
    const read = known ?? readSteps(branchId);
    chains.set(branchId, read);
    return read;
  }

  async function readSteps(branchId: string | undefined): Promise<SearchedSteps> {
    const last = await ledger.readThoughts(sessionId, { branchId, select: "last", count: searchedForStep });
    const others = last.filter(
      (entry) => entry.data.thoughtNumber !== data.thoughtNumber || branchId !== data.branchId,
    );
    const found = others.flatMap(({ data: { cipher, thoughtNumber } }) =>
      (cipher ?? []).map((step) => [step.number, thoughtNumber] as const),
    );
    return { steps: new Map(found), isWhole: last.length < searchedForStep };
  }
}

const noLink = "No link was created for the reference.";

function* membersOf({ number, to = number }: CipherReference): Generator<number> {
  for (let member = number; member <= to; member += 1) yield member;
}

/** Writes step numbers as ranges, such as `S2, S4-S6`. */
function toRuns(numbers: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else runs.push([number, number]);
  }
  return runs.map(([first, last]) => (first === last ? `S${first}` : `S${first}-S${last}`)).join(", ");
}

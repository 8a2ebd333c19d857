import type { ThoughtDraft } from "../../src/domain/ledger/chain/append.ts";
import type { Address } from "../../src/domain/ledger/thought.ts";

export type ModelThought = Address & { totalThoughts: number; fork?: Address; revises?: Address };

export type ModelOutcome = { recorded: ModelThought } | { refusedWith: string[] };

type Draft = Omit<ThoughtDraft, "sessionId" | "thought">;

/**
 * Models "Recording" in the gateway's specification, with a list that is searched from end to end. If a draft
 * breaks several rules, any of their codes is correct.
 */
export function createRecordingModel() {
  const thoughts: ModelThought[] = [];
  const forks = new Map<string, Address>();

  const exists = (at: Address) =>
    thoughts.some((known) => known.branchId === at.branchId && known.thoughtNumber === at.thoughtNumber);
  const chain = (branchId: string | undefined) =>
    thoughts.filter((known) => known.branchId === branchId).map(({ thoughtNumber }) => thoughtNumber);

  function record(draft: Draft): ModelOutcome {
    const branch = chooseBranch(draft);
    if ("refusedWith" in branch) return branch;
    const { branchId, fork } = branch;
    const refusedWith: string[] = [];

    const next = fork ? fork.thoughtNumber + 1 : Math.max(0, ...chain(branchId)) + 1;
    const thoughtNumber = draft.thoughtNumber ?? next;
    if (exists(place(branchId, thoughtNumber))) refusedWith.push("INVALID_PAYLOAD");

    const target = draft.revisesThought;
    const revises = target === undefined ? undefined : lookUp(branchId, fork, target);
    if (target !== undefined && !revises) refusedWith.push("THOUGHT_NOT_FOUND");

    if (refusedWith.length > 0) return { refusedWith };
    const recorded: ModelThought = {
      ...place(branchId, thoughtNumber),
      totalThoughts: Math.max(thoughtNumber, draft.totalThoughts ?? 0),
      ...(fork && { fork }),
      ...(revises && { revises }),
    };
    if (branchId !== undefined && fork) forks.set(branchId, fork);
    thoughts.push(recorded);
    return { recorded };
  }

  function chooseBranch(draft: Draft): { branchId?: string; fork?: Address } | { refusedWith: string[] } {
    const { branchId, branchFromThought, branchFromBranch } = draft;
    if (branchFromThought === undefined) {
      const isKnown = branchId === undefined || forks.has(branchId);
      if (!isKnown || branchFromBranch !== undefined) return { refusedWith: ["INVALID_PAYLOAD"] };
      return branchId === undefined ? {} : { branchId };
    }
    const from = place(branchFromBranch, branchFromThought);
    const known = branchId === undefined ? undefined : forks.get(branchId);
    const refusedWith = [
      ...(exists(from) ? [] : ["THOUGHT_NOT_FOUND"]),
      ...(known && !isSame(known, from) ? ["INVALID_PAYLOAD"] : []),
    ];
    if (refusedWith.length > 0) return { refusedWith };
    if (branchId !== undefined && known) return { branchId };
    return { branchId: branchId ?? freeName(), fork: from };
  }

  function freeName(): string {
    for (let n = 1; ; n += 1) if (!forks.has(`branch-${n}`)) return `branch-${n}`;
  }

  /** Looks in the branch itself, and then in its ancestors, each up to the fork. */
  function lookUp(
    branchId: string | undefined,
    opening: Address | undefined,
    n: number,
  ): Address | undefined {
    if (exists(place(branchId, n))) return place(branchId, n);
    const left = opening ?? (branchId === undefined ? undefined : forks.get(branchId));
    return left && n <= left.thoughtNumber ? lookUp(left.branchId, undefined, n) : undefined;
  }

  return {
    record,
    thoughts: thoughts as readonly ModelThought[],
    /** Returns the structure in the format of `get_structure`. */
    structure() {
      const main = chain(undefined).sort((a, b) => a - b);
      const revisions = thoughts.flatMap(({ branchId, thoughtNumber, revises }) =>
        revises ? [{ thought: place(branchId, thoughtNumber), revises }] : [],
      );
      return {
        totalThoughts: thoughts.length,
        mainChain: { length: main.length, head: main[0] ?? null, tail: main.at(-1) ?? null },
        branches: Object.fromEntries([...forks].map(([name, fork]) => [name, branchShape(name, fork)])),
        branchCount: forks.size,
        revisions,
        revisionCount: revisions.length,
      };
    },
  };

  function branchShape(name: string, fork: Address) {
    const numbers = chain(name);
    return {
      forks: fork.thoughtNumber,
      ...(fork.branchId !== undefined && { fromBranch: fork.branchId }),
      range: [Math.min(...numbers), Math.max(...numbers)],
      length: numbers.length,
    };
  }
}

function place(branchId: string | undefined, thoughtNumber: number): Address {
  return branchId === undefined ? { thoughtNumber } : { branchId, thoughtNumber };
}

function isSame(one: Address, other: Address): boolean {
  return one.branchId === other.branchId && one.thoughtNumber === other.thoughtNumber;
}

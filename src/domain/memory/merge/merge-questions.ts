import type { Entry } from "../entry.ts";
import type { Tally } from "../graph/plan-versions.ts";
import type { GraphState } from "../graph.ts";
import type { Lineage, Link } from "../lineage.ts";
import type { Conflict } from "../steps/outcomes.ts";
import type { Mark } from "./three-way.ts";

/** A branch by name, or by number: a name may change while a large merge is under way. */
export type BranchRef = { name: string } | { branch: number };

export type BranchFacts = {
  branch: number;
  uid: string;
  name: string;
  isDeleted: boolean;
  /** From the branch itself to its oldest base. */
  links: readonly Link[];
};

/** A key of the source, and the number of its newest version there. */
export type Changed = { key: string; seq: number };

/** At `seq` a branch and its base showed the same, except for these keys. */
export type KnownDifference = { seq: number; keys: readonly string[] };

export type SidesFacts = {
  wid: number;
  /** `undefined` if there is no such branch. */
  from: BranchFacts | undefined;
  into: BranchFacts | undefined;
  /** `undefined` if no branch of the workspace has such a document. */
  doc: number | undefined;
  /** The highest number given out so far. */
  lastSeq: number;
  /** When a branch was last made from the target, 0 for never. */
  branchedAt: number;
  /** Up to here the source has nothing that is not settled with the target, 0 if that is not known. */
  mark: number;
  /** Whether the target itself has written to the graph. */
  hasGraph: boolean;
  /** By the branch that was compared with its base. */
  known: ReadonlyMap<number, KnownDifference>;
};

/** A version that comes in, beside the one that the target has now. Texts are compared where they are stored. */
export type Replacement = {
  /** Fields that are stored differently, except `meta`. */
  fields: readonly string[];
  /** Both values if they are stored differently, `undefined` for none. */
  meta: readonly [unknown, unknown] | undefined;
  /** What a node is found by, `undefined` for an edge or a deletion. */
  found: NodeMarks | undefined;
  held:
    | { branch: number; deleted: boolean; replaces: number | undefined; found: NodeMarks | undefined }
    | undefined;
};

export type NodeMarks = { type: string; status?: string | undefined; tags?: readonly string[] | undefined };

export type KeyMarks = { key: string } & Record<"theirs" | "ours" | "base", Mark | undefined>;

export type LeavingFacts = {
  /** Names: of its base, of a branch that was made from it, and of any other branch. */
  base: string | undefined;
  child: string | undefined;
  other: string | undefined;
  /** When a branch of this name was last deleted. */
  lastDeletedMs: number | undefined;
  /** What it has written to itself, by name of the document. */
  streams: readonly { doc: string; form: "log" | "graph" }[];
};

/** With the number of what it is a copy of, else its own. */
export type FoundNote = { entry: Entry; origin: number };

/** What the branch itself wrote behind `after`, up to and including `upTo`. */
export type Written = { branch: number; after: number; upTo: number };

/**
 * Everything that a merge asks the store, and what it gets. Each question is about any number of rows, and costs a fixed
 * number of statements.
 */
export type MergeQuestions = {
  sides: [asked: { from: BranchRef; into: BranchRef; doc: string }, answer: SidesFacts];
  /** The keys whose newest version on the branch is in this range: the first of them, oldest first. */
  changed: [asked: Written & { doc: number; limit: number }, answer: readonly Changed[]];
  /** How many such keys there are, and the newest number among them. */
  counted: [asked: Written & { doc: number }, answer: { keys: number; lastSeq: number }];
  /** Conflicts that wait for a decision. `hasNews`: the source changed the key behind `after`. */
  open: [
    asked: { doc: number; from: number; into: number; after: number },
    answer: readonly { id: string; key: string; hasNews: boolean }[],
  ];
  /** What the views show of the keys. `base` is what the child and its base last settled, else what the view shows. */
  marks: [
    asked: {
      doc: number;
      child: number;
      views: Record<"theirs" | "ours" | "base", Lineage>;
      keys: readonly string[];
    },
    answer: readonly KeyMarks[],
  ];
  /** Keys of the live edges of the view at these nodes. */
  edges: [asked: { doc: number; view: Lineage; nodes: readonly string[] }, answer: readonly string[]];
  /** In the order asked. */
  replacements: [
    asked: { pairs: readonly { theirs: number; ours: number | undefined }[] },
    answer: readonly Replacement[],
  ];
  /** A conflict that is shown, with the numbers of its branches. */
  conflict: [asked: { id: string }, answer: { conflict: Conflict; from: number; into: number } | undefined];
  states: [asked: { seqs: readonly number[] }, answer: ReadonlyMap<number, GraphState>];
  /** Whether what the merge has staged is still there: others may have needed its numbers. */
  isStaged: [asked: { merge: number }, answer: boolean];
  tally: [asked: { doc: number; view: Lineage }, answer: Tally];
  /** Keys that were written in any of the ranges, each once, at most so many. */
  written: [asked: { doc: number; ranges: readonly Written[]; limit: number }, answer: readonly string[]];
  /** What deleting a branch has to know, besides what merging it would bring to its base. */
  leaving: [asked: { branch: number }, answer: LeavingFacts];
  /** The first notes of the segments, in the order asked, which is that of their numbers. */
  notes: [asked: { doc: number; missing: Lineage; limit: number }, answer: readonly FoundNote[]];
  /** Those of the origins and of the sources of which the view shows the note itself or a copy. */
  copies: [
    asked: { doc: number; view: Lineage; origins: readonly number[]; sources: readonly string[] },
    answer: { origins: readonly number[]; sources: readonly string[] },
  ];
};

type Question = keyof MergeQuestions;
/** Questions that are answered together, in one round trip. */
export type MergeNeeds = { [Name in Question]?: MergeQuestions[Name][0] | undefined };
export type MergeAnswers<Needs extends MergeNeeds = MergeNeeds> = {
  [Name in keyof Needs & Question]:
    | MergeQuestions[Name][1]
    | (undefined extends Needs[Name] ? undefined : never);
};

/**
 * `done`: how many keys were dealt with since the round before, `total`: how many there are, once that is known. Between
 * two rounds others may have their turn.
 */
export type MergeRound = { needs: MergeNeeds; done: number; total?: number };
/** A part of a merge that names the facts it needs, round by round. It writes nothing. */
export type MergeRounds<Result> = Generator<MergeRound, Result, unknown>;

/** Others get their turn. */
export const pause: MergeRound = { needs: {}, done: 0 };

export const isPause = (needs: MergeNeeds): boolean => Object.keys(needs).length === 0;

export function* ask<const Needs extends MergeNeeds>(
  needs: Needs,
  done = 0,
): MergeRounds<MergeAnswers<Needs>> {
  return (yield { needs, done }) as MergeAnswers<Needs>;
}

export function* slicesOf<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

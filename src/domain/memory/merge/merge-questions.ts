import type { Entry } from "../entry.ts";
import type { Tally } from "../graph/plan-versions.ts";
import type { GraphState } from "../graph.ts";
import type { Lineage, Link } from "../lineage.ts";
import type { Conflict } from "../steps/outcomes.ts";
import type { Mark } from "./decide-merge.ts";

/**
 * A branch by name or number. A large merge uses numbers, because a name may change while the merge is
 * running.
 */
export type BranchRef = { name: string } | { branch: number };

export type BranchFacts = {
  branch: number;
  uid: string;
  name: string;
  isDeleted: boolean;
  /** The branch itself and its bases, oldest last. */
  links: readonly Link[];
};

/** A key in the source, and the seq of the key's newest version there. */
export type Changed = { key: string; seq: number };

/** At `seq`, a branch and its base were identical except for these keys. */
export type KnownDifference = { seq: number; keys: readonly string[] };

export type SidesFacts = {
  wid: number;
  /** `undefined` if there is no such branch. */
  from: BranchFacts | undefined;
  into: BranchFacts | undefined;
  /** `undefined` if no branch of the workspace has a document with this name. */
  doc: number | undefined;
  /** The highest seq assigned so far. */
  lastSeq: number;
  /** The seq at which a branch was last created from the target. 0 if there is none. */
  branchedAt: number;
  /** All changes in the source up to this seq are settled with the target. 0 if unknown. */
  mark: number;
  /** True if the target itself has written to the graph. */
  hasGraph: boolean;
  /** Keyed by the number of the branch that was compared with its base. */
  known: ReadonlyMap<number, KnownDifference>;
};

/**
 * The differences between an incoming version and the target's current one. The store compares the texts of
 * the two versions.
 */
export type Replacement = {
  /** Fields that are stored differently, except `meta`. */
  fields: readonly string[];
  /** Both values of `meta`, if they are stored differently. */
  meta: readonly [unknown, unknown] | undefined;
  /** The searchable fields, if the incoming version is a live node. */
  found: NodeMarks | undefined;
  held:
    | { branch: number; deleted: boolean; replaces: number | undefined; found: NodeMarks | undefined }
    | undefined;
};

export type NodeMarks = { type: string; status?: string | undefined; tags?: readonly string[] | undefined };

export type KeyMarks = { key: string } & Record<"theirs" | "ours" | "base", Mark | undefined>;

export type LeavingFacts = {
  /** The names of the branch's base, of a branch created from it, and of any other branch. */
  base: string | undefined;
  child: string | undefined;
  other: string | undefined;
  /** When a branch with this name was last deleted. */
  lastDeletedMs: number | undefined;
  /** The documents that the branch itself has written to. */
  streams: readonly { doc: string; form: "log" | "graph" }[];
};

/** `origin` is the seq of the original if the note is a copy. For an original, it is the note's own seq. */
export type FoundNote = { entry: Entry; origin: number };

/** What the branch itself wrote after `after`, up to and including `upTo`. */
export type Written = { branch: number; after: number; upTo: number };

/** Every query of a merge, and its result. Each query takes a fixed number of statements for any number of rows. */
export type MergeQuestions = {
  sides: [asked: { from: BranchRef; into: BranchRef; doc: string }, answer: SidesFacts];
  /** The first `limit` keys whose newest version on the branch is in the given range, oldest first. */
  changed: [asked: Written & { doc: number; limit: number }, answer: readonly Changed[]];
  /**
   * The number of keys whose newest version on the branch is in the given range, and the highest seq among
   * those versions.
   */
  counted: [asked: Written & { doc: number }, answer: { keys: number; lastSeq: number }];
  /** Unresolved conflicts. `hasNews`: the source changed the key after `after`. */
  open: [
    asked: { doc: number; from: number; into: number; after: number },
    answer: readonly { id: string; key: string; hasNews: boolean }[],
  ];
  /**
   * The versions of the keys in the views. `base` is the version that the child and its base last agreed on.
   * If they never agreed on a version, it is the one in the `base` view.
   */
  marks: [
    asked: {
      doc: number;
      child: number;
      views: Record<"theirs" | "ours" | "base", Lineage>;
      keys: readonly string[];
    },
    answer: readonly KeyMarks[],
  ];
  /** Keys of the view's live edges at these nodes. */
  edges: [asked: { doc: number; view: Lineage; nodes: readonly string[] }, answer: readonly string[]];
  /** The differences, in the order of the request. */
  replacements: [
    asked: { pairs: readonly { theirs: number; ours: number | undefined }[] },
    answer: readonly Replacement[],
  ];
  /** A conflict and the numbers of its branches. */
  conflict: [asked: { id: string }, answer: { conflict: Conflict; from: number; into: number } | undefined];
  states: [asked: { seqs: readonly number[] }, answer: ReadonlyMap<number, GraphState>];
  /**
   * True if the merge's staged rows still exist. If they do not, other writers have taken the merge's seqs.
   */
  isStaged: [asked: { merge: number }, answer: boolean];
  tally: [asked: { doc: number; view: Lineage }, answer: Tally];
  /** Distinct keys written in any of the ranges, up to a limit. */
  written: [asked: { doc: number; ranges: readonly Written[]; limit: number }, answer: readonly string[]];
  /** The facts for deleting a branch, except the number of unmerged items. */
  leaving: [asked: { branch: number }, answer: LeavingFacts];
  /** The first notes of the segments, ordered by seq. */
  notes: [asked: { doc: number; missing: Lineage; limit: number }, answer: readonly FoundNote[]];
  /** The origins and sources of the notes in the view, whether originals or copies. */
  copies: [
    asked: { doc: number; view: Lineage; origins: readonly number[]; sources: readonly string[] },
    answer: { origins: readonly number[]; sources: readonly string[] },
  ];
};

type Question = keyof MergeQuestions;
/** Queries that the store answers in one round trip. */
export type MergeNeeds = { [Name in Question]?: MergeQuestions[Name][0] | undefined };
export type MergeAnswers<Needs extends MergeNeeds = MergeNeeds> = {
  [Name in keyof Needs & Question]:
    | MergeQuestions[Name][1]
    | (undefined extends Needs[Name] ? undefined : never);
};

/**
 * `done`: keys processed since the last round. `total`: all keys, once known. Other work can run between two rounds.
 */
export type MergeRound = { needs: MergeNeeds; done: number; total?: number };
/** A part of a merge that requests the facts it needs, round by round. It writes nothing. */
export type MergeRounds<Result> = Generator<MergeRound, Result, unknown>;

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

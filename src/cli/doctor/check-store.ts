import { count } from "../../kernel/numbers.ts";
import { shellWord } from "../../kernel/text.ts";
import type { MemoryInspection } from "../../ports/memory/memory-store.ts";
import type { NotebookInspection } from "../../ports/notebook/notebook-archive.ts";
import type { TreeStatus } from "../../ports/tree.ts";
import type { StoreInspection } from "../../ports/upkeep.ts";
import { describeMemory, shortId } from "../rendering/words.ts";
import type { Verdict } from "../verify-store.ts";
import { type Check, good } from "./render-checks.ts";

/** Matches SQLite's error message if only a full-text table is damaged. */
const aboutWords = /fts5|_words/i;

const memoryCheck = "memory";

/** A restore writes the memory again and applies all rules, so it fixes data that violates a rule. */
const makeAgain =
  "Keep a backup. To rebuild the memory, run thoughtbox dump all.jsonl, then thoughtbox restore all.jsonl with THOUGHTBOX_DATA_DIR set to a new directory.";

export function checkMemory(inspection: MemoryInspection): Check {
  const { workspaces, problems, lackingWords, unfinished } = inspection;
  const [first, ...others] = problems;
  if (first !== undefined) {
    const more = others.length > 0 ? ` (and ${count(others.length, "more finding")})` : "";
    return { name: memoryCheck, state: "bad", says: `${first}${more}`, next: makeAgain };
  }
  if (lackingWords > 0)
    return {
      name: memoryCheck,
      state: "bad",
      says: `${count(lackingWords, "node")} missing from the word index`,
      next: "thoughtbox doctor --reindex",
    };
  if (unfinished.length > 0)
    return {
      name: memoryCheck,
      state: "look",
      says: `a restore of ${unfinished.join(", ")} was interrupted`,
      next: "The partial result is not visible. Run thoughtbox restore again. It starts from the beginning.",
    };
  if (workspaces === 0) return { name: memoryCheck, state: "none", says: "no workspaces yet" };
  return good(memoryCheck, `${describeMemory(inspection)}, all consistent`);
}

export function checkStore({ engine, problems, writable, ...counts }: StoreInspection): Check[] {
  const holds = [
    count(counts.sessions, "session"),
    count(counts.thoughts, "thought"),
    ...(counts.inTrash > 0 ? [`${counts.inTrash} in the trash`] : []),
  ].join(", ");
  const damage = problems.filter((problem) => !aboutWords.test(problem));
  return [
    good("driver", `${engine.driver}, ${engine.name} ${engine.version}`),
    damage.length > 0 ? damaged(damage) : writable ? good("store", holds) : unwritable(holds),
    checkWords(problems.length > damage.length, counts.unindexed),
  ];
}

function damaged([first = "", ...others]: string[]): Check {
  const more = others.length > 0 ? ` (and ${count(others.length, "more finding")})` : "";
  return {
    name: "store",
    state: "bad",
    says: `the file is damaged: ${first}${more}`,
    next: "Keep a copy of the data directory, then restore a backup, or import the tree of JSON files.",
  };
}

function unwritable(holds: string): Check {
  return {
    name: "store",
    state: "bad",
    says: `${holds}, but it is read-only`,
    next: "Make thoughtbox.db and its directory writable.",
  };
}

function checkWords(broken: boolean, unindexed: number): Check {
  if (broken)
    return {
      name: "search",
      state: "bad",
      says: "the full-text index is damaged",
      next: "thoughtbox doctor --reindex",
    };
  if (unindexed === 0) return good("search", "every thought is indexed");
  return good("search", `${count(unindexed, "thought")} will be indexed by the next search`);
}

export function checkSessions(verdicts: readonly Verdict[]): Check {
  const bad = verdicts.filter(({ valid }) => !valid);
  const [first] = bad;
  if (!first) {
    const proven = verdicts.reduce((sum, { verified }) => sum + verified, 0);
    return good(
      "sessions",
      `${count(verdicts.length, "session")} verified, including the JSON files, ${count(proven, "thought")} in all`,
    );
  }
  return {
    name: "sessions",
    state: "bad",
    says: `${bad.length} of ${verdicts.length} changed or damaged. ${shortId(first.sessionId)}: ${first.errors[0] ?? ""}`,
    next: "thoughtbox doctor --repair recreates the files and moves bad ones aside. thoughtbox verify lists all findings.",
  };
}

export function checkTree(status: TreeStatus | undefined): Check {
  const name = "files";
  if (!status) return { name, state: "none", says: "this storage has no JSON files" };
  const { state, pending, trouble, deferred } = status;
  if (trouble)
    return {
      name,
      state: "bad",
      says: `the JSON files cannot be written: ${trouble.message}`,
      next: "Thoughts are safe. Make the data directory writable so that Thoughtbox can write the files.",
    };
  const [first] = deferred;
  if (first)
    return {
      name,
      state: "bad",
      says: `${count(deferred.length, "session")} without files: ${first.reason}`,
      next: "thoughtbox doctor --repair",
    };
  if (state === "current") return good(name, "the JSON files are up to date");
  return {
    name,
    state: "look",
    says: `the JSON files are ${count(pending, "change")} behind the store`,
    next: "A running server catches up automatically. thoughtbox doctor --repair writes the files now.",
  };
}

/** Reports files from an earlier version, or files whose database was lost. */
export function checkUnknown({ directory, sessions }: { directory: string; sessions: number }): Check[] {
  if (sessions === 0) return [];
  return [
    {
      name: "old files",
      state: "look",
      says: `the JSON files contain ${count(sessions, "session")} that the store does not have`,
      next: `thoughtbox import ${shellWord(directory)}`,
    },
  ];
}

const notebooksCheck = "notebooks";

export function checkNotebooks(
  { notebooks, inTrash, problems }: NotebookInspection,
  differences: readonly string[],
): Check {
  const [first, ...others] = problems;
  if (first !== undefined)
    return {
      name: notebooksCheck,
      state: "bad",
      says: first + andMore(others.length),
      next: "Keep a copy of the data directory, then restore a backup.",
    };
  const [file, ...files] = differences;
  if (file !== undefined)
    return {
      name: notebooksCheck,
      state: "bad",
      says: file + andMore(files.length),
      next: "thoughtbox doctor --repair recreates the file from the store and moves the changed one aside.",
    };
  if (notebooks + inTrash === 0) return { name: notebooksCheck, state: "none", says: "no notebooks yet" };
  const trash = inTrash > 0 ? `, ${inTrash} in the trash` : "";
  return good(notebooksCheck, `${count(notebooks, "notebook")}${trash}: cells and files are consistent`);
}

const andMore = (others: number): string => (others > 0 ? ` (and ${count(others, "more finding")})` : "");

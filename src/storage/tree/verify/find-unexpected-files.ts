import { join } from "node:path";
import type { ThoughtIndex } from "../../../domain/ledger/chain/thought-index.ts";
import {
  branchesFolder,
  critiquesFolder,
  manifestName,
  parseThoughtFileName,
  thoughtFileName,
} from "../../../domain/ledger/tree/layout.ts";
import { sortInSteps } from "../../../kernel/sorting/sort-in-steps.ts";
import { runInTurns, type Steps } from "../../../kernel/steps.ts";
import type { LedgerSource } from "../ledger-source.ts";
import { listInSteps } from "../read-file.ts";
import type { Difference } from "./compare-session.ts";

type Listed = { path: string; isFolder: boolean };
type Judge = (listed: Listed) => boolean;

/** What lies in a session's folder and belongs to nothing that was recorded. */
export async function findUnexpectedFiles(
  source: LedgerSource,
  sessionId: string,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<Difference[]> {
  const suspects = await runInTurns(findStrangers(folder, await readJudge(source, sessionId)), signal);
  if (suspects.length === 0) return [];
  // The file of a thought that arrived after the first look is no stranger.
  const isExpected = await readJudge(source, sessionId);
  return suspects
    .filter((suspect) => !isExpected(suspect))
    .map(({ path }) => ({ path, kind: "foreign", problem: "belongs to nothing that was recorded" }));
}

async function readJudge(source: LedgerSource, sessionId: string): Promise<Judge> {
  const [index, critiques] = await Promise.all([
    source.ledger.loadIndex(sessionId),
    source.ledger.readCritiqueChain(sessionId, { after: 0, limit: 0 }),
  ]);
  return createJudge(index, critiques.length);
}

/** Something of the right name but the wrong kind is no stranger: it stands where a file is missed. */
function createJudge(index: ThoughtIndex, critiques: number): Judge {
  const isThought = (name: string, branchId?: string): boolean => {
    const thoughtNumber = numberOf(name);
    return thoughtNumber !== undefined && index.find({ branchId, thoughtNumber }) !== undefined;
  };
  const isFolderOfOurs = (name: string): boolean =>
    name === branchesFolder || (name === critiquesFolder && critiques > 0);

  return ({ path, isFolder }) => {
    const [first = "", second, third] = path.split("/");
    if (second === undefined)
      return first === manifestName || isThought(first) || (isFolder && isFolderOfOurs(first));
    if (first === critiquesFolder) return (numberOf(second) ?? Number.POSITIVE_INFINITY) <= critiques;
    if (third === undefined) return isFolder && index.chain(second).length > 0;
    return isThought(third, second);
  };
}

/** The number of a file that is named as we name it: `1.json` is not ours. */
function numberOf(name: string): number | undefined {
  const number = parseThoughtFileName(name);
  return number !== undefined && thoughtFileName(number) === name ? number : undefined;
}

/** A folder that is a stranger counts as one, whatever lies in it. */
function* findStrangers(folder: string, isExpected: Judge): Steps<Listed[]> {
  const strangers: Listed[] = [];
  yield* visit([]);
  return yield* sortInSteps(strangers, (one, other) => (one.path < other.path ? -1 : 1));

  function* visit(steps: string[]): Steps<void> {
    for (const entry of yield* listInSteps(join(folder, ...steps))) {
      yield;
      const inside = [...steps, entry.name];
      const listed = { path: inside.join("/"), isFolder: entry.isDirectory() };
      if (!isExpected(listed)) strangers.push(listed);
      else if (listed.isFolder && holdsFiles(inside)) yield* visit(inside);
    }
  }
}

const holdsFiles = ([first, , third]: string[]): boolean =>
  third === undefined && (first === branchesFolder || first === critiquesFolder);

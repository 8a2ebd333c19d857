import { join } from "node:path";
import type { ThoughtIndex } from "../../../domain/ledger/chain/thought-index.ts";
import { renderCritiqueFile } from "../../../domain/ledger/tree/critique-file.ts";
import {
  branchesFolder,
  branchOfFolder,
  critiquePath,
  critiquesFolder,
  manifestName,
  parseThoughtFileName,
  thoughtFileName,
  thoughtPath,
} from "../../../domain/ledger/tree/layout.ts";
import { isSameSession, type Manifest, parseOwnManifest } from "../../../domain/ledger/tree/manifest.ts";
import { renderThoughtFile } from "../../../domain/ledger/tree/thought-file.ts";
import { runInTurns, type Steps, sortInSteps } from "../../../kernel/steps.ts";
import type { LedgerSource } from "../../../ports/projection-book.ts";
import { listInSteps, readBytes, statOf, toText } from "../read-file.ts";
import { createTimeSlices, type SessionWriter } from "../write/session-writer.ts";

/**
 * One difference between the tree and the store. `path` is relative to the session's folder, and `content` is
 * what the file should contain. `pending` files are also missing, but need not exist yet.
 */
export type Difference = { path: string; problem: string } & (
  | { kind: "missing" | "pending" | "altered"; content: string }
  | { kind: "foreign" }
);

export type Comparison = { folderExists: boolean; manifestExists: boolean; manifest: ManifestState };

/**
 * Called for each difference. Differences are not collected, because a lost folder can cause a million of
 * them.
 */
type Tell = (difference: Difference) => void;

/** The `seq` up to which thoughts are in files, and the one up to which manifests list everything. */
export type Reach = { thoughts: number; manifests: number };

const pageSize = 200;

type Listed = { path: string; isFolder: boolean };
type Judge = (listed: Listed) => boolean;

/** Finds files in a session's folder that do not belong to any record. */
async function findUnexpectedFiles(
  source: LedgerSource,
  sessionId: string,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<Difference[]> {
  const suspects = await runInTurns(findStrangers(folder, await readJudge(source, sessionId)), signal);
  if (suspects.length === 0) return [];
  // Checks again, because a thought may have arrived after the first check.
  const isExpected = await readJudge(source, sessionId);
  return suspects
    .filter((suspect) => !isExpected(suspect))
    .map(({ path }) => ({ path, kind: "foreign", problem: "does not belong to any record" }));
}

async function readJudge(source: LedgerSource, sessionId: string): Promise<Judge> {
  const [index, critiques] = await Promise.all([
    source.ledger.loadIndex(sessionId),
    source.ledger.readCritiqueChain(sessionId, { after: 0, limit: 0 }),
  ]);
  return createJudge(index, critiques.length);
}

/** Creates a test for expected entries. One with the right name but the wrong kind counts as a missing file. */
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
    const branchId = branchOfFolder(second);
    if (branchId === undefined) return false;
    return third === undefined ? isFolder && index.chain(branchId).length > 0 : isThought(third, branchId);
  };
}

/**
 * Returns the number in a file name, if Thoughtbox would write the name that way. It would not write
 * `1.json`.
 */
function numberOf(name: string): number | undefined {
  const number = parseThoughtFileName(name);
  return number !== undefined && thoughtFileName(number) === name ? number : undefined;
}

/** Lists what is unexpected in a folder. An unexpected folder is one item, whatever it contains. */
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

/** Compares every file in a session with what the store would write, byte by byte, and looks for unexpected files. */
export function createComparer(
  source: LedgerSource,
  writer: SessionWriter,
  root: string,
  readReach: () => Promise<Reach>,
) {
  /**
   * Reports unexpected files first, because they may be in the way. Returns `undefined` if the store lacks the session.
   */
  return async (sessionId: string, tell: Tell, signal?: AbortSignal): Promise<Comparison | undefined> => {
    const steps = await writer.folders.find(sessionId);
    if (!steps) return undefined;
    const folder = join(root, ...steps);
    const reach = await readReach();
    for (const unexpected of await findUnexpectedFiles(source, sessionId, folder, signal)) tell(unexpected);
    await compareThoughts(sessionId, folder, reach.thoughts, tell, signal);
    const hasNews = await findNews(sessionId, reach.manifests);
    await compareCritiques(sessionId, folder, !hasNews, tell, signal);
    return {
      folderExists: statOf(folder)?.isDirectory() ?? false,
      manifestExists: statOf(join(folder, manifestName))?.isFile() ?? false,
      manifest: await compareManifest(folder, hasNews, () => writer.describe(sessionId), signal),
    };
  };

  async function compareThoughts(
    sessionId: string,
    folder: string,
    written: number,
    tell: Tell,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const slices = createTimeSlices();
    const length = (await source.ledger.readHead(sessionId))?.length ?? 0;
    let position = 0;
    while (position < length) {
      const page = await source.ledger.readEntries(sessionId, position, pageSize);
      for (const entry of page) {
        const isDue = entry.seq <= written;
        compareFile(folder, thoughtPath(entry.data), renderThoughtFile(entry), isDue, tell);
        if (slices.isOver()) await slices.next();
        signal?.throwIfAborted();
      }
      position = page.at(-1)?.position ?? length;
    }
  }

  async function compareCritiques(
    sessionId: string,
    folder: string,
    isDue: boolean,
    tell: Tell,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const slices = createTimeSlices();
    for (let after = 0; ; ) {
      const page = await source.ledger.readCritiqueChain(sessionId, { after, limit: pageSize });
      for (const critique of page.entries) {
        compareFile(folder, critiquePath(critique.position), renderCritiqueFile(critique), isDue, tell);
        if (slices.isOver()) await slices.next();
        signal?.throwIfAborted();
      }
      if (page.entries.length < pageSize) return;
      after = page.entries.at(-1)?.position ?? page.length;
    }
  }

  /** Returns true if the session has changes that its manifest need not list yet. */
  async function findNews(sessionId: string, toldUpTo: number): Promise<boolean> {
    for (let after = toldUpTo; ; ) {
      const page = await source.feed.readFeed(after, pageSize);
      if (page.some((news) => news.kind !== "memory" && news.sessionId === sessionId)) return true;
      if (page.length < pageSize) return false;
      after = page.at(-1)?.seq ?? after;
      await new Promise(setImmediate);
    }
  }
}

function compareFile(folder: string, path: string, content: string, isDue: boolean, tell: Tell): void {
  const found = readBytes(join(folder, path));
  if ("problem" in found) {
    const { problem, missing } = found;
    tell({ path, content, problem, kind: !missing ? "altered" : isDue ? "missing" : "pending" });
  } else if (!found.bytes.equals(Buffer.from(content)))
    tell({ path, content, kind: "altered", problem: "differs from what was recorded" });
}

/** The state of a manifest. `pending` means that it is behind but need not be up to date yet. */
export type ManifestState = "good" | "missing" | "damaged" | "outdated" | "pending";

/** Compares a manifest with the store. It may be missing or outdated only if the session has unlisted changes. */
async function compareManifest(
  folder: string,
  hasNews: boolean,
  describe: () => Promise<Manifest | undefined>,
  signal: AbortSignal | undefined,
): Promise<ManifestState> {
  const found = readBytes(join(folder, manifestName));
  if ("problem" in found) {
    if (!found.missing) return "damaged";
    return hasNews ? "pending" : "missing";
  }
  const text = toText(found.bytes);
  const manifest = text === undefined ? undefined : await runInTurns(parseOwnManifest(text), signal);
  if (!manifest) return "damaged";
  const expected = await describe();
  if (expected && (await runInTurns(isSameSession(manifest, expected), signal))) return "good";
  return hasNews ? "pending" : "outdated";
}

import { type Dirent, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { importedAtOnce } from "../../../domain/ledger/limits.ts";
import {
  branchesFolder,
  branchOfFolder,
  manifestName,
  parseThoughtFileName,
} from "../../../domain/ledger/tree/layout.ts";
import {
  type RebuiltSession,
  rebuildSession,
  type SessionFolderContents,
} from "../../../domain/ledger/tree/rebuild-session.ts";
import type { BadFile } from "../../../domain/ledger/tree/sort-thought-files.ts";
import { runInTurns, type Steps, sortInSteps } from "../../../kernel/steps.ts";
import type {
  ImportOptions,
  ImportReport,
  LedgerImport,
  PartOutcome,
  SessionPart,
} from "../../../ports/ledger-import.ts";
import { storageFailure } from "../../../ports/storage-failures.ts";
import type { LedgerTree } from "../../../ports/tree.ts";
import { listInSteps, longestThoughtFile, readBytes, toText } from "../read-file.ts";
import { type FoundSession, findSessions } from "./find-sessions.ts";

type Candidate = { path: string; branchId: string | undefined; entry: Dirent };

/** Reads everything in a session's folder that could be a thought, and notes the files that cannot be read. */
function* readSessionFolder({
  place,
  folder,
}: FoundSession): Steps<{ contents: SessionFolderContents; badFiles: BadFile[] }> {
  const badFiles: BadFile[] = [];
  const files: SessionFolderContents["files"][number][] = [];
  let modifiedAt = new Date(0);

  const read = (path: string): string | undefined => {
    const isManifest = path === manifestName;
    const found = readBytes(join(folder, path), isManifest ? undefined : longestThoughtFile);
    if ("problem" in found) {
      if (!found.missing || !isManifest) badFiles.push({ path, problem: found.problem });
      return undefined;
    }
    if (found.modifiedAt > modifiedAt) modifiedAt = found.modifiedAt;
    const text = toText(found.bytes);
    if (text === undefined) badFiles.push({ path, problem: "is not UTF-8 text" });
    return text;
  };

  for (const { path, branchId, entry } of yield* candidates(folder)) {
    yield;
    const thoughtNumber = parseThoughtFileName(entry.name);
    if (thoughtNumber === undefined) {
      badFiles.push({ path, problem: "is not part of a session" });
      continue;
    }
    const text = read(path);
    if (text !== undefined) files.push({ path, address: { branchId, thoughtNumber }, text });
  }
  const manifest = read(manifestName);
  return { contents: { place, manifest, files, modifiedAt: modifiedAt.toISOString() }, badFiles };
}

/**
 * Lists the files that could be thoughts. Branches are in `branches/{branchId}/`. Earlier versions wrote them
 * directly into the session's folder, so a branch may also be named `branches`.
 */
function* candidates(folder: string): Steps<Candidate[]> {
  const found: Candidate[] = [];
  for (const entry of yield* byNumber(folder)) {
    if (entry.name === manifestName) continue;
    if (!entry.isDirectory()) found.push({ path: entry.name, branchId: undefined, entry });
    else if (entry.name === branchesFolder) yield* inBranches(join(folder, entry.name));
    else yield* inBranch(join(folder, entry.name), entry, entry.name);
  }
  return found;

  function* inBranches(path: string): Steps<void> {
    for (const entry of yield* byNumber(path)) {
      const relative = `${branchesFolder}/${entry.name}`;
      if (entry.isDirectory()) yield* inBranch(join(path, entry.name), entry, relative);
      else found.push({ path: relative, branchId: branchesFolder, entry });
    }
  }

  function* inBranch(path: string, branch: Dirent, relative: string): Steps<void> {
    const branchId = branchOfFolder(branch.name);
    if (branchId === undefined) found.push({ path: relative, branchId, entry: branch });
    else
      for (const entry of yield* byNumber(path))
        found.push({ path: `${relative}/${entry.name}`, branchId, entry });
  }
}

function* byNumber(folder: string): Steps<Dirent[]> {
  const numbered: { entry: Dirent; number: number }[] = [];
  for (const entry of yield* listInSteps(folder)) {
    numbered.push({ entry, number: parseThoughtFileName(entry.name) ?? Number.POSITIVE_INFINITY });
    yield;
  }
  const sorted = yield* sortInSteps(numbered, (a, b) =>
    a.number === b.number ? (a.entry.name < b.entry.name ? -1 : 1) : a.number - b.number,
  );
  return sorted.map(({ entry }) => entry);
}

/** A session whose files an earlier version wrote without hashes. All of the files could be read. */
type PlainSession = { sessionId: string; folder: string };
type TreeReport = ImportReport & { plain: PlainSession[] };

/**
 * Moves old files to the quarantine if the imported folders are in the data directory, because the store
 * writes its own files there.
 */
export async function setPlainFilesAside(
  { tree, dataDir }: { tree: Pick<LedgerTree, "repair"> | undefined; dataDir: string | undefined },
  sessions: readonly PlainSession[],
  signal?: AbortSignal,
): Promise<ImportReport["warnings"]> {
  const own = sessions.filter(({ folder }) => folder.startsWith(`${dataDir}${sep}`));
  if (!tree || own.length === 0) return [];
  const { quarantined } = await tree.repair(
    own.map(({ sessionId }) => sessionId),
    signal,
  );
  const [first] = quarantined;
  const path = first?.movedTo.split(sep).slice(0, 2).join(sep);
  return path === undefined
    ? []
    : [{ path, message: "contains the imported files, which were replaced with new ones" }];
}

/**
 * Rebuilds sessions from a tree that this or an earlier version wrote. Trees from this version are restored with the
 * same hashes. Running an interrupted import again continues it.
 */
export async function importTree(
  store: LedgerImport,
  directory: string,
  { onProgress = () => {}, signal }: ImportOptions = {},
): Promise<TreeReport> {
  requireFolder(directory);
  const found = await runInTurns(findSessions(directory), signal);
  const report: TreeReport = {
    sessions: found.length,
    imported: 0,
    continued: 0,
    unchanged: 0,
    thoughts: 0,
    refused: [],
    badFiles: [],
    warnings: [],
    plain: [],
  };
  const paths = new Map(found.map(({ place, folder }) => [place.id, relative(directory, folder)]));
  const batches = createImportBatches(store, (outcome) => {
    report.thoughts += outcome.added;
    if (outcome.refused !== undefined) {
      const { sessionId, refused: refusal } = outcome;
      report.refused.push({ sessionId, path: paths.get(sessionId) ?? "", refusal });
    } else if (outcome.created) report.imported += 1;
    else if (outcome.added > 0) report.continued += 1;
    else report.unchanged += 1;
  });

  for (const [index, session] of found.entries()) {
    signal?.throwIfAborted();
    const rebuilt = await readSession(session, paths.get(session.place.id) ?? "", report, signal);
    await batches.add(rebuilt, signal);
    onProgress({ sessions: index + 1, totalSessions: found.length, thoughts: report.thoughts });
  }
  await batches.finish();
  const refused = new Set(report.refused.map(({ sessionId }) => sessionId));
  report.plain = report.plain.filter(({ sessionId }) => !refused.has(sessionId));
  onProgress({ sessions: found.length, totalSessions: found.length, thoughts: report.thoughts });
  return report;
}

async function readSession(
  session: FoundSession,
  path: string,
  report: TreeReport,
  signal: AbortSignal | undefined,
): Promise<RebuiltSession> {
  const { contents, badFiles } = await runInTurns(readSessionFolder(session), signal);
  const rebuilt = await runInTurns(rebuildSession(contents), signal);
  for (const bad of [...badFiles, ...rebuilt.badFiles]) {
    report.badFiles.push({ path: join(path, bad.path), problem: bad.problem });
  }
  for (const message of rebuilt.warnings) report.warnings.push({ path, message });
  if (rebuilt.isPlain && badFiles.length + rebuilt.badFiles.length === 0)
    report.plain.push({ sessionId: session.place.id, folder: session.folder });
  return rebuilt;
}

function requireFolder(directory: string): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return;
  throw storageFailure("import_folder_missing", { directory });
}

/** Packs short and long sessions into transactions of similar size, and reports one outcome per session. */
function createImportBatches(store: LedgerImport, tell: (outcome: PartOutcome) => void) {
  let waiting: { part: SessionPart; isLast: boolean }[] = [];
  let rows = 0;
  let characters = 0;
  const hasRoom = (): boolean => rows < importedAtOnce.rows && characters < importedAtOnce.characters;
  const begun = new Map<string, PartOutcome>();
  const refused = new Set<string>();

  async function send(): Promise<void> {
    const batch = waiting;
    waiting = [];
    rows = 0;
    characters = 0;
    const outcomes = await store.importParts(batch.map(({ part }) => part));
    for (const [index, outcome] of outcomes.entries()) {
      const { sessionId } = outcome;
      const sum = merge(begun.get(sessionId), outcome);
      if (outcome.refused !== undefined) refused.add(sessionId);
      if (batch[index]?.isLast || outcome.refused !== undefined) {
        begun.delete(sessionId);
        tell(sum);
      } else begun.set(sessionId, sum);
    }
  }

  /** Takes as many rows as fit into this transaction, and at least one. */
  function take<Row>(list: readonly Row[], start: number, textOf: (row: Row) => string): Row[] {
    const slice: Row[] = [];
    while (start + slice.length < list.length && (slice.length === 0 || hasRoom())) {
      const row = list[start + slice.length] as Row;
      slice.push(row);
      rows += 1;
      characters += textOf(row).length;
    }
    return slice;
  }

  return {
    /** Adds a session in parts. After an interruption, the store has the beginning of the session without gaps. */
    async add({ record, entries, critiques }: SessionPart, signal?: AbortSignal): Promise<void> {
      let [start, criticised] = [0, 0];
      do {
        signal?.throwIfAborted();
        rows += 1;
        const slice = take(entries, start, ({ data }) => data.thought);
        start += slice.length;
        const spoken = start < entries.length ? [] : take(critiques, criticised, ({ text }) => text);
        criticised += spoken.length;
        const isLast = start >= entries.length && criticised >= critiques.length;
        waiting.push({ part: { record, entries: slice, critiques: spoken, keepsGaps: true }, isLast });
        if (!hasRoom()) await send();
        // If a part was refused, the rest of the session cannot be attached.
      } while ((start < entries.length || criticised < critiques.length) && !refused.has(record.session.id));
    },
    finish: (): Promise<void> => (waiting.length > 0 ? send() : Promise.resolve()),
  };
}

function merge(earlier: PartOutcome | undefined, outcome: PartOutcome): PartOutcome {
  if (!earlier) return outcome;
  return {
    ...outcome,
    ...earlier,
    added: earlier.added + outcome.added,
    critiques: earlier.critiques + outcome.critiques,
    created: earlier.created || outcome.created,
  };
}

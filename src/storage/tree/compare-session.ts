import { join } from "node:path";
import type { ThoughtIndex } from "../../domain/ledger/thought-index.ts";
import {
  branchesFolder,
  chainFolder,
  manifestName,
  thoughtFileName,
  thoughtPath,
} from "../../domain/ledger/tree/layout.ts";
import { isSameSession, parseOwnManifest } from "../../domain/ledger/tree/manifest.ts";
import { renderThoughtFile, type SealedThought } from "../../domain/ledger/tree/thought-file.ts";
import type { LedgerSource } from "./ledger-source.ts";
import { listFolder, look, readBytes, toText } from "./read-file.ts";
import type { SessionWriter } from "./session-writer.ts";
import { createTurns } from "./turns.ts";

/** One way in which the tree differs from the store. `path` counts from the session's folder. */
export type Difference = {
  path: string;
  problem: string;
} /** `pending`: missing, but nobody said yet that it was written. */ & (
  | { kind: "missing" | "pending" | "altered"; entry: SealedThought }
  | { kind: "foreign" }
);

export type Comparison = {
  folderExists: boolean;
  manifestExists: boolean;
  manifest: "good" | "missing" | "damaged" | "outdated" | "pending";
  differences: Difference[];
};

/** Up to which `seq` thoughts are in files, and up to which manifests tell of them. */
export type Reach = { thoughts: number; manifests: number };

const pageSize = 200;

/** Holds every file of a session against what the store would write, byte by byte, and looks for what is too much. */
export function createComparer(
  source: LedgerSource,
  writer: SessionWriter,
  root: string,
  readReach: () => Promise<Reach>,
) {
  /** `undefined` for a session that the store does not know. */
  return async (sessionId: string, signal?: AbortSignal): Promise<Comparison | undefined> => {
    const steps = await writer.folders.find(sessionId);
    if (!steps) return undefined;
    const folder = join(root, ...steps);
    const reach = await readReach();
    const altered = await compareThoughts(source, sessionId, folder, reach.thoughts, signal);
    const listed = listSession(folder);
    // The index is younger than the list, so a thought that arrives meanwhile is not taken for a stranger.
    const foreign = findForeign(listed, await source.loadIndex(sessionId));
    return {
      folderExists: look(folder)?.isDirectory() ?? false,
      manifestExists: look(join(folder, manifestName))?.isFile() ?? false,
      manifest: await judgeManifest(sessionId, folder, reach.manifests),
      differences: [...altered, ...foreign],
    };
  };

  /** A manifest may be behind while there is news of the session that it was not due to tell yet. */
  async function judgeManifest(
    sessionId: string,
    folder: string,
    told: number,
  ): Promise<Comparison["manifest"]> {
    const judgement = await compareManifest(writer, sessionId, folder);
    if (judgement === "good" || judgement === "damaged") return judgement;
    return (await hasNews(source, sessionId, told)) ? "pending" : judgement;
  }
}

async function hasNews(source: LedgerSource, sessionId: string, told: number): Promise<boolean> {
  for (let after = told; ; ) {
    const page = await source.readFeed(after, pageSize);
    if (page.some((news) => news.sessionId === sessionId)) return true;
    if (page.length < pageSize) return false;
    after = page.at(-1)?.seq ?? after;
    await new Promise(setImmediate);
  }
}

async function compareThoughts(
  source: LedgerSource,
  sessionId: string,
  folder: string,
  written: number,
  signal: AbortSignal | undefined,
): Promise<Difference[]> {
  const differences: Difference[] = [];
  const turns = createTurns();
  const length = (await source.readHead(sessionId))?.length ?? 0;
  let position = 0;
  while (position < length) {
    const page = await source.readEntries(sessionId, position, pageSize);
    if (page.length === 0) break;
    for (const entry of page) {
      const difference = compareThought(folder, entry, entry.seq <= written);
      if (difference) differences.push(difference);
      if (turns.isOver()) await turns.next();
      signal?.throwIfAborted();
    }
    position = page.at(-1)?.position ?? length;
  }
  return differences;
}

function compareThought(folder: string, entry: SealedThought, isDue: boolean): Difference | undefined {
  const { branchId, thoughtNumber } = entry.data;
  const found = readBytes(join(folder, ...chainFolder(branchId), thoughtFileName(thoughtNumber)));
  const path = thoughtPath(entry.data);
  if ("problem" in found) {
    const { problem, missing } = found;
    return { path, entry, problem, kind: !missing ? "altered" : isDue ? "missing" : "pending" };
  }
  if (found.bytes.equals(Buffer.from(renderThoughtFile(entry)))) return undefined;
  return { path, entry, kind: "altered", problem: "differs from what was recorded" };
}

async function compareManifest(
  writer: SessionWriter,
  sessionId: string,
  folder: string,
): Promise<Comparison["manifest"]> {
  const found = readBytes(join(folder, manifestName));
  if ("problem" in found) return found.missing ? "missing" : "damaged";
  const text = toText(found.bytes);
  const manifest = text === undefined ? undefined : parseOwnManifest(text);
  if (!manifest) return "damaged";
  const expected = await writer.describe(sessionId);
  return expected && isSameSession(manifest, expected) ? "good" : "outdated";
}

type Listed = { path: string; isFolder: boolean };

function listSession(folder: string): Listed[] {
  const list = (steps: string[]): Listed[] =>
    listFolder(join(folder, ...steps)).map((entry) => ({
      path: [...steps, entry.name].join("/"),
      isFolder: entry.isDirectory(),
    }));
  const branches = list([branchesFolder]);
  const inBranches = branches.filter(({ isFolder }) => isFolder).flatMap(({ path }) => list(path.split("/")));
  return [...list([]), ...branches, ...inBranches];
}

/** Something of the right name but the wrong kind is no stranger: it stands where a file is missed. */
function findForeign(listed: readonly Listed[], index: ThoughtIndex): Difference[] {
  const branches = index.branches();
  const files = new Set([
    manifestName,
    ...index.chain().map((thoughtNumber) => thoughtPath({ thoughtNumber })),
    ...branches.flatMap(({ branchId, numbers }) =>
      numbers.map((thoughtNumber) => thoughtPath({ branchId, thoughtNumber })),
    ),
  ]);
  const folders = new Set([
    branchesFolder,
    ...branches.map(({ branchId }) => `${branchesFolder}/${branchId}`),
  ]);
  const strangers = listed.filter(
    ({ path, isFolder }) => !files.has(path) && !(isFolder && folders.has(path)),
  );
  const inside = new Set(strangers.map(({ path }) => `${path}/`));
  return strangers
    .filter(({ path }) => !inside.has(path.slice(0, path.lastIndexOf("/") + 1)))
    .map(({ path }) => ({ path, kind: "foreign" as const, problem: "belongs to no recorded thought" }));
}

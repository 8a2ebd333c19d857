import { join } from "node:path";
import { renderCritiqueFile } from "../../../domain/ledger/tree/critique-file.ts";
import { critiquePath, manifestName, thoughtPath } from "../../../domain/ledger/tree/layout.ts";
import { renderThoughtFile } from "../../../domain/ledger/tree/thought-file.ts";
import { compareManifest, type ManifestState } from "../import/judge-manifest.ts";
import type { LedgerSource } from "../ledger-source.ts";
import { readBytes, statOf } from "../read-file.ts";
import type { SessionWriter } from "../write/session-writer.ts";
import { createTimeSlices } from "../write/time-slices.ts";
import { findUnexpectedFiles } from "./find-unexpected-files.ts";

/**
 * One way in which the tree differs from the store. `path` counts from the session's folder, `content` is what
 * should stand there. `pending` is missing too, but nobody has said yet that it was written.
 */
export type Difference = { path: string; problem: string } & (
  | { kind: "missing" | "pending" | "altered"; content: string }
  | { kind: "foreign" }
);

export type Comparison = { folderExists: boolean; manifestExists: boolean; manifest: ManifestState };

/** Called with one difference after the other: a folder that is lost has a million of them. */
type Tell = (difference: Difference) => void;

/** Up to which `seq` thoughts are in files, and up to which manifests tell of the rest. */
export type Reach = { thoughts: number; manifests: number };

const pageSize = 200;

/** Holds every file of a session against what the store would write, byte by byte, and looks for what is too much. */
export function createComparer(
  source: LedgerSource,
  writer: SessionWriter,
  root: string,
  readReach: () => Promise<Reach>,
) {
  /** Tells first of what does not belong there, which may be in the way. `undefined`: the store knows no such session. */
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

  /** Whether there is anything of the session that its manifest was not due to tell yet. */
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

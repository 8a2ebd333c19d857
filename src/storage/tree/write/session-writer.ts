import { rmdirSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeDirectorySync } from "../../../disk/make-directory.ts";
import { renameSafelySync } from "../../../disk/naming.ts";
import { codeOf } from "../../../disk/open-without-following.ts";
import { renderCritiqueFile } from "../../../domain/ledger/tree/critique-file.ts";
import {
  chainFolder,
  critiquesFolder,
  manifestName,
  type SessionPlace,
  sessionFolder,
  thoughtFileName,
} from "../../../domain/ledger/tree/layout.ts";
import { type Manifest, renderManifest, toManifest } from "../../../domain/ledger/tree/manifest.ts";
import { renderThoughtFile, type SealedThought } from "../../../domain/ledger/tree/thought-file.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { runInTurns } from "../../../kernel/steps.ts";
import type { LedgerSource } from "../../../ports/projection-book.ts";
import { listFolder, longestThoughtFile, readBytes, statOf } from "../read-file.ts";
import type { TreeFiles } from "../tree-files.ts";
import { createQuarantine, type Quarantine } from "../verify/repair-tree.ts";

/** The maximum time in milliseconds for one slice of this work, which is about as long as a call takes. */
const turnMs = 0.5;
/** How long this work pauses for other work between slices, unless this work is urgent. */
const restMs = 2;

/**
 * Splits long work into short slices on the main thread. Synchronous system calls cost a third of what the thread pool
 * costs, so files are written and read here, a few at a time.
 */
export function createTimeSlices() {
  let began = performance.now();
  return {
    isOver: (): boolean => performance.now() - began >= turnMs,
    /** Lets other work run for one turn of the event loop, or for a short time if `rest` is set. */
    async next(rest = false): Promise<void> {
      await (rest ? sleep(restMs) : new Promise(setImmediate));
      began = performance.now();
    },
  };
}

export type TimeSlices = ReturnType<typeof createTimeSlices>;

const remembered = 5_000;
const critiquesAtOnce = 200;
/**
 * After this many attempts, a session's manifest is written even if the session changed during each of them.
 * The next change updates it.
 */
const manifestAttempts = 3;

export type SessionWriter = ReturnType<typeof createSessionWriter>;

const rememberedFolders = 5_000;

export type SessionFolders = ReturnType<typeof createSessionFolders>;

/** Caches the folders of sessions. Call `forget` if a session is deleted, restored or moved. */
function createSessionFolders(source: Pick<LedgerSource, "ledger">) {
  const folders = new Map<string, string[]>();
  return {
    /** Returns a session's folder. `undefined` if the session does not exist, or no longer exists. */
    async find(sessionId: string): Promise<string[] | undefined> {
      const known = folders.get(sessionId);
      if (known) return known;
      const record = await source.ledger.readSession(sessionId);
      if (!record) return undefined;
      const folder = sessionFolder(record.session);
      if (folders.size >= rememberedFolders) folders.clear();
      folders.set(sessionId, folder);
      return folder;
    },
    forget: (sessionId: string): void => void folders.delete(sessionId),
    forgetAll: (): void => folders.clear(),
  };
}

/**
 * Writes a session's files from its current state in the store. Any process may write them at any time,
 * because a thought always produces the same file, and the next change rewrites an outdated manifest.
 */
export function createSessionWriter(source: LedgerSource, files: TreeFiles, clock: Clock) {
  const folders = createSessionFolders(source);
  const critiquesWritten = new Map<string, number>();
  let quarantine: Quarantine | undefined;

  /**
   * Writes a file that never changes. First moves a different file with this name to the quarantine, because
   * it may be the only copy of something, such as thoughts that a restored backup lacks.
   */
  function keep(folder: readonly string[], name: string, content: string): void {
    const path = join(files.root, ...folder, name);
    const standing = statOf(path);
    if (standing && !standing.isDirectory()) {
      const found = readBytes(path, longestThoughtFile);
      if ("bytes" in found && found.bytes.equals(Buffer.from(content))) return;
      quarantine ??= createQuarantine(files.root, clock);
      quarantine.take(join(...folder, name));
    }
    files.write(folder, name, content);
  }

  /** Returns what the manifest must contain. `undefined` if the session is gone. */
  async function describe(sessionId: string): Promise<Manifest | undefined> {
    const [record, head, index, critiques] = await Promise.all([
      source.ledger.readSession(sessionId),
      source.ledger.readHead(sessionId),
      source.ledger.loadIndex(sessionId),
      source.ledger.readCritiqueChain(sessionId, { after: 0, limit: 0 }),
    ]);
    return record && head && runInTurns(toManifest({ record, head, index, critiques }, clock()));
  }

  async function isCurrent({ id, session, integrity }: Manifest): Promise<boolean> {
    const [record, head] = await Promise.all([source.ledger.readSession(id), source.ledger.readHead(id)]);
    return record?.session.updatedAt === session.updatedAt && head?.hash === integrity.checksum;
  }

  /** Writes only critiques that this process has not yet written, because critiques never change. */
  async function writeCritiques(sessionId: string, folder: readonly string[]): Promise<void> {
    const slices = createTimeSlices();
    for (let after = critiquesWritten.get(sessionId) ?? 0; ; ) {
      const page = { after, limit: critiquesAtOnce };
      const { entries } = await source.ledger.readCritiqueChain(sessionId, page);
      for (const critique of entries) {
        keep([...folder, critiquesFolder], thoughtFileName(critique.position), renderCritiqueFile(critique));
        if (slices.isOver()) await slices.next();
      }
      if (critiquesWritten.size >= remembered) critiquesWritten.clear();
      after += entries.length;
      if (entries.length > 0) critiquesWritten.set(sessionId, after);
      if (entries.length < critiquesAtOnce) return;
    }
  }

  return {
    folders,
    describe,
    /** Writes a thought's file. Does nothing if the session is gone. */
    async writeThought(entry: SealedThought): Promise<void> {
      const folder = await folders.find(entry.sessionId);
      if (!folder) return;
      const { branchId, thoughtNumber } = entry.data;
      keep([...folder, ...chainFolder(branchId)], thoughtFileName(thoughtNumber), renderThoughtFile(entry));
    },
    async writeManifest(sessionId: string): Promise<void> {
      const folder = await folders.find(sessionId);
      if (!folder) return;
      await writeCritiques(sessionId, folder);
      for (let attempt = 1; ; attempt += 1) {
        const manifest = await describe(sessionId);
        if (!manifest) return;
        const text = await runInTurns(renderManifest(manifest));
        // Rendering a long manifest takes a while. The manifest must not replace a newer one that was written
        // in the meantime.
        if (attempt < manifestAttempts && !(await isCurrent(manifest))) continue;
        files.write(folder, manifestName, text);
        return;
      }
    },
    /** Writes a file that was missing or wrong. Like thought files, these files never change. */
    writeAgain(folder: readonly string[], path: string, content: string): void {
      const steps = path.split("/");
      keep([...folder, ...steps.slice(0, -1)], steps.at(-1) ?? "", content);
    },
  };
}

/**
 * Moves a session's folder into its current project. The store does not record the previous project, so all
 * projects are searched. The search is only needed when a session is moved.
 */
export function moveToProject(root: string, place: SessionPlace): void {
  const folder = join(root, ...sessionFolder(place));
  for (const { name } of listFolder(join(root, "projects"))) {
    const old = join(root, "projects", name, ...sessionFolder(place).slice(2));
    if (name !== place.project && statOf(old)?.isDirectory()) moveFolder(old, folder);
  }
}

/**
 * Moves a folder's files into another folder that may have some of them. Deletes identical files and the old
 * manifest, which is written again. Files that differ stay in place.
 */
function moveFolder(from: string, to: string): void {
  if (statOf(to) === undefined) {
    makeDirectorySync(dirname(to));
    unlessGone(() => renameSafelySync(from, to));
    return;
  }
  for (const entry of listFolder(from)) {
    const [old, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) moveFolder(old, target);
    else if (statOf(target) === undefined) unlessGone(() => renameSafelySync(old, target));
    else if (entry.name === manifestName || isSame(old, target)) unlessGone(() => unlinkSync(old));
  }
  if (listFolder(from).length === 0) unlessGone(() => rmdirSync(from));
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [readBytes(one), readBytes(other)];
  return "bytes" in a && "bytes" in b && a.bytes.equals(b.bytes);
}

/** Makes a change, but ignores missing files, because another process may be moving the same files. */
function unlessGone(change: () => void): void {
  try {
    change();
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw thrown;
  }
}

import { unlink } from "node:fs/promises";
import { join } from "node:path";
import { inDirectoryBelow, inExistingDirectory } from "../../disk/directory-below.ts";
import { type Note, type NoteKind, noteIdPattern } from "../../domain/knowledge/note.ts";
import { slugProject } from "../../domain/ledger/project.ts";
import { formatFrontMatter } from "../../kernel/front-matter.ts";
import type { KnowledgeStore } from "../../ports/knowledge-store.ts";
import { writeFile } from "./tool-visibility.ts";

const folders: Record<NoteKind, string> = { pattern: "patterns", scratchpad: "scratchpad" };

/**
 * Keeps a Markdown file for every note, for people and their tools. The store is the source of truth. An error while
 * writing a file is reported and does not fail the call.
 */
export function withKnowledgeFiles(
  store: KnowledgeStore,
  dataDir: string,
  report: (thrown: unknown) => void,
): KnowledgeStore {
  /** Checks the names against their patterns before they become part of a path. */
  function placeOf(project: string, kind: NoteKind, id: string): { steps: string[]; fileName: string } {
    if (slugProject(project) !== project || !noteIdPattern.test(id))
      throw new TypeError("A note's project or ID is not a valid file name.");
    return { steps: ["projects", project, "knowledge", folders[kind]], fileName: `${id}.md` };
  }

  async function project(name: string, note: Note): Promise<void> {
    try {
      const { steps, fileName } = placeOf(name, note.kind, note.id);
      await inDirectoryBelow(dataDir, steps, (folder) => writeFile(join(folder, fileName), renderNote(note)));
    } catch (thrown) {
      report(thrown);
    }
  }

  return {
    ...store,
    async createNote(name, note, once) {
      const stored = await store.createNote(name, note, once);
      if (stored) await project(name, stored);
      return stored;
    },
    async putNote(name, note) {
      const stored = await store.putNote(name, note);
      await project(name, stored);
      return stored;
    },
    async replaceNote(name, note, revision) {
      const stored = await store.replaceNote(name, note, revision);
      if (stored) await project(name, stored);
      return stored;
    },
    async changeNote(name, key, change) {
      const stored = await store.changeNote(name, key, change);
      if (stored) await project(name, stored);
      return stored;
    },
    async restoreNote(name, kind, id) {
      const stored = await store.restoreNote(name, kind, id);
      if (stored) await project(name, stored);
      return stored;
    },
    async deleteNote(name, kind, id, at) {
      const gone = await store.deleteNote(name, kind, id, at);
      if (!gone) return gone;
      const { steps, fileName } = placeOf(name, kind, id);
      const removed = inExistingDirectory(dataDir, steps, (folder) => unlink(join(folder, fileName)));
      await removed.catch(reportUnlessMissing);
      return gone;
    },
  };

  function reportUnlessMissing(thrown: NodeJS.ErrnoException): void {
    if (thrown.code !== "ENOENT") report(thrown);
  }
}

function renderNote({ kind, content, ...head }: Note): string {
  const { description, tags, derivedFromSessions, ...brief } = head;
  const shown = kind === "pattern" ? { ...brief, description, tags, derivedFromSessions } : brief;
  return formatFrontMatter({ head: shown, body: `${content}\n` });
}

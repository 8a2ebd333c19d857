import { unlink } from "node:fs/promises";
import { join } from "node:path";
import { inDirectoryBelow, inExistingDirectory } from "../../disk/directory-below.ts";
import { codeOf } from "../../disk/open-without-following.ts";
import { type Note, type NoteKind, noteIdPattern } from "../../domain/knowledge/note.ts";
import { slugProject } from "../../domain/ledger/project.ts";
import { formatFrontMatter } from "../../kernel/front-matter.ts";
import type { KnowledgeStore, NoteKey } from "../../ports/knowledge-store.ts";
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
  /** Returns the place of a note's file. Checks the names against their patterns before they become part of a path. */
  function placeOf(project: string, kind: NoteKind, id: string): { steps: string[]; fileName: string } {
    if (slugProject(project) !== project || !noteIdPattern.test(id))
      throw new TypeError("A note's project or ID is not a valid file name.");
    return { steps: ["projects", project, "knowledge", folders[kind]], fileName: `${id}.md` };
  }

  /**
   * Writes or removes a note's file. Compares it with the store afterwards, because another call or process
   * may have changed the note during the write.
   */
  async function project(name: string, key: NoteKey, note: Note | undefined): Promise<void> {
    try {
      const { steps, fileName } = placeOf(name, key.kind, key.id);
      const text = note && renderNote(note);
      if (text === undefined) await remove(steps, fileName);
      else await inDirectoryBelow(dataDir, steps, (folder) => writeFile(join(folder, fileName), text));
      const newest = await store.readNote(name, key.kind, key.id);
      if ((newest && renderNote(newest)) !== text) await project(name, key, newest);
    } catch (thrown) {
      report(thrown);
    }
  }

  async function remove(steps: string[], fileName: string): Promise<void> {
    const removed = inExistingDirectory(dataDir, steps, (folder) => unlink(join(folder, fileName)));
    await removed.catch((thrown) => {
      if (codeOf(thrown) !== "ENOENT") throw thrown;
    });
  }

  return {
    ...store,
    async createNote(name, note, once) {
      const stored = await store.createNote(name, note, once);
      if (stored) await project(name, stored, stored);
      return stored;
    },
    async putNote(name, note) {
      const stored = await store.putNote(name, note);
      await project(name, stored, stored);
      return stored;
    },
    async replaceNote(name, note, revision) {
      const stored = await store.replaceNote(name, note, revision);
      if (stored) await project(name, stored, stored);
      return stored;
    },
    async changeNote(name, key, change) {
      const stored = await store.changeNote(name, key, change);
      if (stored) await project(name, stored, stored);
      return stored;
    },
    async restoreNote(name, kind, id) {
      const stored = await store.restoreNote(name, kind, id);
      if (stored) await project(name, stored, stored);
      return stored;
    },
    async deleteNote(name, kind, id, at) {
      const gone = await store.deleteNote(name, kind, id, at);
      if (gone) await project(name, { kind, id }, undefined);
      return gone;
    },
  };
}

function renderNote({ kind, content, ...head }: Note): string {
  const { description, tags, derivedFromSessions, ...brief } = head;
  const shown = kind === "pattern" ? { ...brief, description, tags, derivedFromSessions } : brief;
  return formatFrontMatter({ head: shown, body: `${content}\n` });
}

import { createHash, type Hash } from "node:crypto";
import { canonicalJson } from "../../kernel/json/canonical-json.ts";
import type { DumpChoice, StoreSurvey } from "../../ports/ledger-dump.ts";
import { type DumpLine, isMemoryLine } from "./dump-line.ts";
import { workspaceOf } from "./dump-memory.ts";
import { textOf } from "./restore-memory.ts";
import { type DumpSource, writeLines } from "./write-dump.ts";

/** Facts about a session that can be compared between two stores. */
type Surveyed = {
  record: string;
  thoughts: number;
  head: string;
  critiques: number;
  critiqueHead: string;
  actions: number;
};

const nothing = { thoughts: 0, head: "", critiques: 0, critiqueHead: "", actions: 0 };

/**
 * Returns what a dump of the store would contain, as a short text per item. Two stores with the same contents
 * have the same survey. A session is summarised by the heads of its chains and by its counts, and everything
 * else by a digest of its lines.
 */
export async function surveyStore(source: DumpSource, choice: DumpChoice = {}): Promise<StoreSurvey> {
  const { note, finish } = createSurvey();
  const counts = await writeLines(source, async (line) => note(line), choice);
  return { counts, things: finish() };
}

/** Creates a survey that takes the lines of a dump in order. */
export function createSurvey() {
  const survey = new Map<string, string>();
  const digests = new Map<string, Hash>();
  let session: { name: string; of: Surveyed } | undefined;
  let notebook = "";

  function add(name: string, text: string): void {
    const digest = digests.get(name) ?? createHash("sha256");
    digests.set(name, digest.update(text).update("\n"));
  }

  function closeSession(): void {
    if (session) survey.set(session.name, canonicalJson(session.of));
    session = undefined;
  }

  function note(line: DumpLine): void {
    if (isMemoryLine(line)) add(`workspace ${workspaceOf(line)}`, textOf(line));
    else if ("session" in line) {
      closeSession();
      // Leaves out the access time, which every read changes, and the status, which becomes `abandoned` over time.
      const { lastAccessedAt: _read, status: _now, ...record } = line.session.session;
      const of = {
        ...nothing,
        record: canonicalJson({ ...record, deletedAt: line.session.deletedAt ?? null }),
      };
      session = { name: `session ${record.id}`, of };
    } else if ("thought" in line && session) {
      session.of.thoughts += 1;
      session.of.head = String(line.thought["hash"] ?? "");
    } else if ("critique" in line && session) {
      session.of.critiques += 1;
      session.of.critiqueHead = line.critique.hash;
    } else if ("action" in line && session) session.of.actions += 1;
    else if ("remark" in line && session) add(`remarks of ${session.name}`, canonicalJson(line.remark));
    else if ("note" in line)
      add(`note ${line.note.kind} ${line.note.id} of ${line.project}`, canonicalJson(line));
    else if ("notebook" in line) {
      notebook = `notebook ${line.notebook.id}`;
      add(notebook, canonicalJson(line));
    } else if ("cell" in line || "run" in line) add(notebook, canonicalJson(line));
  }

  return {
    note,
    finish(): ReadonlyMap<string, string> {
      closeSession();
      for (const [name, digest] of digests) survey.set(name, digest.digest("hex"));
      return survey;
    },
  };
}

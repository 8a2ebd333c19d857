import { formatRef } from "../../../../domain/memory/ref.ts";
import { traceEntry } from "../../../../domain/memory/session-trace.ts";
import { quote } from "../../../../kernel/text.ts";
import { readSession } from "../../../pipeline/standing.ts";
import { showVersion } from "../../graph/version-schemas.ts";
import { headOf } from "./open-node.ts";
import type { Opened } from "./opened-schema.ts";
import type { Opener, OpenMemory } from "./opener.ts";

/** Whatever has this number: an entry, a version in a graph, a thought of the ledger. */
export const openEntry: Opener<"entry"> = async (memory, { doc, seq }) => {
  const found =
    (await entryAt(memory, seq)) ?? (await versionAt(memory, seq)) ?? (await thoughtAt(memory, seq));
  if (!found) return undefined;
  const ref = formatRef({ doc: found.doc, seq });
  if (doc === undefined || doc === found.doc) return { ...found.opened, ref };
  const { workspace, fail } = memory;
  return fail("INVALID_PAYLOAD", `${seq} belongs to ${quote(found.doc)}, not to ${quote(doc)}.`, {
    details: { ref },
    recovery: { hint: "Open it under its own document.", operation: "open", args: { workspace, id: ref } },
  });
};

type Found = { doc: string; opened: Opened } | undefined;

async function entryAt({ memory, workspace }: OpenMemory, seq: number): Promise<Found> {
  const entry = await memory.readEntry(workspace, seq);
  return entry && { doc: entry.doc, opened: { kind: "doc_entry", entry } };
}

/** As it was written then, whatever became of it. */
async function versionAt({ memory, workspace }: OpenMemory, seq: number): Promise<Found> {
  const found = await memory.readVersion(workspace, seq);
  if (!found) return undefined;
  const { version, place } = found;
  const head = headOf(version, place);
  return {
    doc: place.doc,
    opened: { kind: "graph_version", head, [version.kind]: showVersion(version) },
  };
}

async function thoughtAt({ ledger, settings }: OpenMemory, seq: number): Promise<Found> {
  const thought = await ledger.readThoughtAt(seq);
  if (!thought || !(await readSession(ledger, settings, thought.sessionId))) return undefined;
  const entry = traceEntry(thought);
  return { doc: entry.doc, opened: { kind: "thought", entry } };
}

import { nodeId } from "../../../../domain/ledger/thought.ts";
import { unknownConflict } from "../../../../domain/memory/failures.ts";
import { defaultDocs } from "../../../../domain/memory/limits.ts";
import { traceEntry } from "../../../../domain/memory/session-trace.ts";
import { ownProject } from "../../../pipeline/context.ts";
import { completeSessionId, readSession } from "../../../pipeline/find-session.ts";
import { readAnchor } from "../../anchors/read-anchor.ts";
import { showConflict } from "../../graph/graph-schemas.ts";
import { readDocument } from "../../ledger-view.ts";
import { showTag } from "../../vcs/ref-schemas.ts";
import { openEntry, openNode } from "./open-entry.ts";
import { type Opened, type Opener, type OpenMemory, readOpenId } from "./opened-schema.ts";

const tasksShown = 10;

export const openAnchor: Opener<"anchor"> = async (memory, { id }, asked) => {
  const view = await readAnchor(memory, id, { ...asked, tasks: tasksShown });
  if (!view) return openNode(memory, id);
  // Omits the pagination, because only anchor_snapshot returns the next page.
  const { pagination: _next, ...shown } = view;
  return { kind: "anchor", id: view.anchor.id, ...shown };
};

export const openConflict: Opener<"conflict"> = async ({ memory, workspace }, { id }) => {
  const conflict = await memory.readConflict(workspace, id);
  if (!conflict) throw unknownConflict(workspace, id);
  return { kind: "conflict", id, conflict: showConflict(conflict) };
};

export const openSession: Opener<"session"> = async (memory, { sessionId }, { limit }) => {
  const record = await readSession(memory.ledger, memory.settings, sessionId);
  if (!record) return undefined;
  const scope = { branch: `session/${sessionId}`, doc: defaultDocs.trace };
  const { entries } = await readDocument(memory, scope, undefined, limit);
  const { id: _id, lastAccessedAt: _seen, ...session } = record.session;
  return { kind: "session", id: sessionId, session, ...scope, entries };
};

export const openThought: Opener<"thought"> = async (memory, { sessionId, branchId, thoughtNumber }) => {
  if (!(await readSession(memory.ledger, memory.settings, sessionId))) return undefined;
  const [thought] = await memory.ledger.readThoughts(sessionId, { select: "one", branchId, thoughtNumber });
  if (!thought) return undefined;
  return { kind: "thought", id: nodeId(sessionId, { branchId, thoughtNumber }), entry: traceEntry(thought) };
};

const beginning = /^(?:session\/)?(?<prefix>[0-9a-f-]{8,35})(?<rest>(?::.*)?)$/;

/** Accepts the first characters of a session ID, alone or in the ID of a thought. */
const openByBeginning: Opener<"name"> = async (memory, { id }, asked) => {
  const { prefix, rest } = beginning.exec(id)?.groups ?? {};
  if (prefix === undefined) return undefined;
  const project = ownProject(memory.caller, memory.settings);
  const named = readOpenId((await completeSessionId({ ...memory, project }, prefix)) + rest);
  if (named.kind === "session") return openSession(memory, named, asked);
  return named.kind === "thought" ? openThought(memory, named, asked) : undefined;
};

/** Opens a node or, if there is none, a branch, a tag, an entry, or a session by its ID's beginning. */
export const openName: Opener<"name"> = async (memory, { id }, asked) =>
  (await openNode(memory, id)) ??
  (await openBranch(memory, id)) ??
  (await openTag(memory, id)) ??
  (/^\d{1,15}$/.test(id)
    ? await openEntry(memory, { kind: "entry", doc: undefined, seq: Number(id) }, asked)
    : undefined) ??
  openByBeginning(memory, { kind: "name", id }, asked);

async function openBranch({ memory, workspace, state }: OpenMemory, id: string): Promise<Opened | undefined> {
  const branch = (await memory.readBranch(workspace, id)) ?? (await memory.readDeletedBranch(workspace, id));
  if (!branch) return undefined;
  const { name, ...rest } = branch;
  const isDeleted = rest.deleted_at_ms !== undefined;
  return {
    kind: "branch",
    id,
    branch: name,
    ...rest,
    ...(!isDeleted && {
      checked_out: state?.checkout === name,
      docs: await memory.listDocs(workspace, name),
    }),
  };
}

async function openTag({ memory, workspace }: OpenMemory, id: string): Promise<Opened | undefined> {
  const tag = await memory.readTag(workspace, id);
  const entry = tag && (await memory.readEntry(workspace, tag.seq));
  return tag && { kind: "tag", id, tag: showTag(tag), ...(entry && { entry }) };
}

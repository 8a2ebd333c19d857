import { nodeId } from "../../../../domain/ledger/address.ts";
import { defaultDocs } from "../../../../domain/memory/limits.ts";
import { traceEntry } from "../../../../domain/memory/session-trace.ts";
import { completeSessionId } from "../../../pipeline/complete-session-id.ts";
import { readSession } from "../../../pipeline/standing.ts";
import { readDocument } from "../../ledger-view.ts";
import { readOpenId } from "../open-id.ts";
import type { Opener } from "./opener.ts";

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

/** A session, or a thought of one, that is named by the first characters of the session's id. */
export const openByBeginning: Opener<"name"> = async (memory, { id }, asked) => {
  const { prefix, rest } = beginning.exec(id)?.groups ?? {};
  if (prefix === undefined) return undefined;
  const project = memory.caller.binding?.project ?? memory.settings.project;
  const named = readOpenId((await completeSessionId({ ...memory, project }, prefix)) + rest);
  if (named.kind === "session") return openSession(memory, named, asked);
  return named.kind === "thought" ? openThought(memory, named, asked) : undefined;
};

import { sessionIdPattern } from "../../../domain/ledger/limits.ts";
import { parseRef } from "../../../domain/memory/ref.ts";

/** What an id names, told by its shape alone. Tasks, anchors, jobs and runners get their places here. */
export type OpenId =
  | { kind: "entry"; doc: string; seq: number }
  | { kind: "thought"; sessionId: string; thoughtNumber: number }
  | { kind: "session"; sessionId: string }
  | { kind: "node"; id: string };

export function readOpenId(id: string): OpenId {
  const entry = parseRef(id);
  if (entry) return { kind: "entry", ...entry };
  const bare = id.replace(/^session\//, "");
  const thought = /^(?<session>[^:]+):(?<number>\d{1,9})$/.exec(bare)?.groups;
  if (thought && sessionIdPattern.test(thought["session"] ?? ""))
    return { kind: "thought", sessionId: thought["session"] ?? "", thoughtNumber: Number(thought["number"]) };
  return sessionIdPattern.test(bare) ? { kind: "session", sessionId: bare } : { kind: "node", id };
}

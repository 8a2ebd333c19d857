import { clip } from "../../../kernel/text.ts";
import { agentIdPattern, limits } from "../limits.ts";
import type { Address, Thought } from "../thought.ts";
import { isBranchId } from "./layout.ts";

/** A thought from an earlier version, not yet in a hash chain. */
export type PlainThought = {
  address: Address;
  text: string;
  timestamp: string | undefined;
  totalThoughts: number;
  nextThoughtNeeded: boolean;
  revisesThought?: number | undefined;
  branchFromThought?: number | undefined;
  branchFromBranch?: string | undefined;
  needsMoreThoughts?: true;
  agentId?: string;
  critiqueRequested?: true;
  critique?: { text: string; model: string; timestamp: string | undefined };
};

type Fields = Record<string, unknown>;

/** Fields of earlier versions that this version derives or stores elsewhere. */
const understood = new Set([
  ...[
    "thought",
    "thoughtNumber",
    "totalThoughts",
    "nextThoughtNeeded",
    "timestamp",
    "isRevision",
    "revisesThought",
  ],
  ...["branchFromThought", "branchFromBranch", "branchId", "needsMoreThoughts", "agentId"],
  ...["includeGuide", "revises", "revisedBy", "cipher", "critique", "critiqueRequested", "sessionId", "id"],
]);

/**
 * Reads a thought from an earlier version. Only the text is required. A missing number or branch is taken from the
 * file's name and folder. If the file is not a thought, returns the problem as the end of a sentence.
 */
export function readPlainThought(fields: Fields, place: Address): PlainThought | string {
  const text = fields["thought"];
  if (typeof text !== "string" || text === "") return "contains no thought";
  if (Buffer.byteLength(text) > limits.thoughtBytes) return "contains a thought of more than 1 MiB";
  if (text.includes("\0")) return "contains a NUL character";
  const branchId = typeof fields["branchId"] === "string" ? fields["branchId"] : place.branchId;
  if (branchId !== undefined && !isBranchId(branchId)) return "names a branch with an invalid ID";
  const thoughtNumber = count(fields["thoughtNumber"]) ?? place.thoughtNumber;
  const { agentId } = fields;
  const fromBranch = fields["branchFromBranch"];
  const critique = readCritique(fields["critique"]);
  return {
    address: branchId === undefined ? { thoughtNumber } : { branchId, thoughtNumber },
    text,
    timestamp: instant(fields["timestamp"]),
    totalThoughts: Math.max(count(fields["totalThoughts"]) ?? 1, thoughtNumber),
    nextThoughtNeeded: fields["nextThoughtNeeded"] !== false,
    revisesThought: fields["isRevision"] === false ? undefined : count(fields["revisesThought"]),
    branchFromThought: branchId === undefined ? undefined : count(fields["branchFromThought"]),
    branchFromBranch: typeof fromBranch === "string" && isBranchId(fromBranch) ? fromBranch : undefined,
    ...(fields["needsMoreThoughts"] === true && { needsMoreThoughts: true as const }),
    ...(typeof agentId === "string" && agentIdPattern.test(agentId) && { agentId }),
    ...((fields["critiqueRequested"] === true || fields["critique"] === true) && {
      critiqueRequested: true as const,
    }),
    ...(critique && { critique }),
  };
}

/** Reads a critique. Ignores `true`, which only means that the caller requested one. */
function readCritique(value: unknown): PlainThought["critique"] {
  const { text, model, timestamp } = (value ?? {}) as Fields;
  const isText = typeof text === "string" && text !== "" && !text.includes("\0");
  if (!isText || Buffer.byteLength(text) > limits.thoughtBytes) return undefined;
  const name = typeof model === "string" && model !== "" ? clip(model.replaceAll("\0", ""), 500) : "unknown";
  return { text, model: name, timestamp: instant(timestamp) };
}

/** Returns the names of fields that the ledger cannot store. */
export function unknownFields(fields: Fields): string[] {
  return Object.keys(fields).filter((key) => !understood.has(key) && fields[key] !== null);
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= limits.thoughtNumber
    ? value
    : undefined;
}

/** Converts any time that `Date` can parse to the ledger's format. */
export function instant(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

export function toThought(
  plain: PlainThought,
  links: { revises?: Address; fork?: Address },
  timestamp: string,
): Thought {
  const { address, revises, fork } = { address: plain.address, ...links };
  return {
    thought: plain.text,
    thoughtNumber: address.thoughtNumber,
    totalThoughts: plain.totalThoughts,
    nextThoughtNeeded: plain.nextThoughtNeeded,
    timestamp,
    ...(revises && { isRevision: true as const, revisesThought: revises.thoughtNumber, revises }),
    ...(address.branchId !== undefined && { branchId: address.branchId }),
    ...(fork && { branchFromThought: fork.thoughtNumber }),
    ...(fork?.branchId !== undefined && { branchFromBranch: fork.branchId }),
    ...(plain.needsMoreThoughts && { needsMoreThoughts: true as const }),
    ...(plain.agentId !== undefined && { agentId: plain.agentId }),
    ...(plain.critiqueRequested && { critiqueRequested: true as const }),
  };
}

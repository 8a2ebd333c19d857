import * as z from "zod";
import { parseJsonInSteps } from "../../kernel/json/parse-in-steps.ts";
import { findHostileJson, isHeavier } from "../../kernel/json/walk-json.ts";
import { sha256Hex } from "../../kernel/sha256.ts";
import { type Steps, sortInSteps } from "../../kernel/steps.ts";
import { actionRecordSchema, fromRecord, type KeptAction } from "../actions/kept-action.ts";
import { stages } from "../stages/stages.ts";
import { createChainVerifier, genesisHash, sealThought } from "./chain/hash-chain.ts";
import { findForkCycle } from "./chain/structure.ts";
import { importedAtOnce, limits, sessionIdPattern } from "./limits.ts";
import { defaultProject, slugProject } from "./project.ts";
import { type Remark, remarkSchema } from "./remark.ts";
import { type SessionRecord, sessionSchema } from "./session.ts";
import type { Thought } from "./thought.ts";
import { type Address, describeAddress, nodeId } from "./thought.ts";
import { keyOf } from "./tree/arrivals.ts";
import { type PlacedCritique, sealPlainCritiques } from "./tree/critique-file.ts";
import { isPartition } from "./tree/layout.ts";
import { type PlainThought, readPlainThought } from "./tree/plain-thought.ts";
import { sealPlainThoughts } from "./tree/seal-plain-thoughts.ts";
import { readThoughtFields, type SealedThought } from "./tree/thought-file.ts";

const instant = z.iso.datetime({ offset: true });
const text = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\0]*$/);

/**
 * No hash covers the session's metadata, so it is limited like any external input. The limits are twice those for
 * callers, because navigation adds its own tags and a mask may be longer than the secret it replaces.
 */
const exportSchema = z.object({
  version: z.literal("1.0"),
  session: sessionSchema.extend({
    id: z.string().regex(sessionIdPattern),
    title: text(2 * limits.title).min(1),
    description: text(2 * limits.description).optional(),
    tags: z.array(text(2 * limits.tag).min(1)).max(2 * limits.tags),
    project: z
      .string()
      .refine((name) => slugProject(name) === name)
      .default(defaultProject),
    status: sessionSchema.shape.status.default("active"),
    partitionPath: z.string().refine(isPartition).optional(),
    createdAt: instant,
    updatedAt: instant,
    lastAccessedAt: instant,
    completedAt: instant.optional(),
  }),
});
const nodeSchema = z.object({
  data: z.record(z.string(), z.unknown()),
  chain: z.record(z.string(), z.unknown()).optional(),
});

/** The maximum number of branches in an export. This many can be checked without a pause. */
const maxBranches = 20_000;
/** The maximum size of a node: one mebibyte each for a thought and a critique, plus the thought's links. */
const heaviestNode = { values: 500_000, characters: 32 * limits.thoughtBytes };

type SessionParts = { record: SessionRecord; entries: SealedThought[]; critiques: PlacedCritique[] }[];
type Critique = NonNullable<Thought["critique"]>;

export type ImportedSession = {
  record: SessionRecord;
  entries: SealedThought[];
  critiques: { address: Thought; critique: Critique }[];
  actions: readonly KeptAction[];
  remarks: readonly Remark[];
};

/**
 * Reads a session from a JSON export. Returns an error message if the text is not an export, or if the export was
 * changed.
 */
export function* readSessionExport(content: string): Steps<ImportedSession | string> {
  const parsed = (yield* parseJsonInSteps(content))?.value;
  if (typeof parsed !== "object" || parsed === null) return misfitAt("");
  const {
    version,
    session: given,
    nodes: list,
    actions: done,
    remarks: said,
  } = parsed as Record<string, unknown>;
  const about = { version, session: given };
  if (isHeavier(about, heaviestNode)) return "export.session is larger than a session can be.";
  const hostile = findHostileJson(about, "export");
  if (hostile) return `${hostile.path} ${hostile.problem}.`;
  const shaped = exportSchema.safeParse(withoutNulls(about));
  if (!shaped.success) return misfit(shaped.error, []);
  if (!Array.isArray(list)) return misfitAt("nodes");
  const { session } = shaped.data;
  const nodes: Node[] = [];
  for (const [index, value] of list.entries()) {
    if (isHeavier(value, heaviestNode)) return `export.nodes[${index}] is larger than a thought can be.`;
    const found = findHostileJson(value, `export.nodes[${index}]`);
    if (found) return `${found.path} ${found.problem}.`;
    const node = nodeSchema.safeParse(value);
    if (!node.success) return misfit(node.error, ["nodes", index]);
    nodes.push(node.data);
    yield;
  }
  const branches = yield* countBranches(nodes);
  if (branches > maxBranches)
    return `An import can have at most ${maxBranches.toLocaleString("en")} branches. This one has ${branches.toLocaleString("en")}.`;
  const entries = nodes.every(({ chain }) => chain)
    ? yield* unseal(session.id, nodes)
    : yield* seal(session.id, nodes, session.createdAt);
  if (typeof entries === "string") return entries;
  const fault = yield* findStructureFault(entries);
  if (fault !== undefined) return fault;
  const actions = yield* readList(done, "actions", actionRecordSchema);
  if (typeof actions === "string") return actions;
  const remarks = yield* readList(said, "remarks", remarkSchema);
  if (typeof remarks === "string") return remarks;
  return {
    record: {
      session: { ...session, thoughtCount: entries.length },
      state: {
        stage: entries.length > 0 ? stages.cipher_loaded : stages.init_complete,
        navigation: { project: session.project },
      },
    },
    entries,
    critiques: yield* critiquesOf(nodes, entries),
    actions: actions.map(fromRecord),
    remarks,
  };
}

const longestList = 100_000;

function* readList<Row>(list: unknown, name: string, schema: z.ZodType<Row>): Steps<Row[] | string> {
  if (list === undefined) return [];
  if (!Array.isArray(list) || list.length > longestList) return misfitAt(name);
  const rows: Row[] = [];
  for (const [index, value] of list.entries()) {
    const row = schema.safeParse(value);
    if (!row.success) return misfit(row.error, [name, index]);
    rows.push(row.data);
    yield;
  }
  return rows;
}

function* countBranches(nodes: readonly Node[]): Steps<number> {
  const branches = new Set<unknown>();
  for (const { data } of nodes) {
    if (data["branchId"] !== undefined && data["branchId"] !== null) branches.add(data["branchId"]);
    yield;
  }
  return branches.size;
}

function misfit({ issues: [issue] }: z.ZodError, steps: readonly PropertyKey[]): string {
  return misfitAt([...steps, ...(issue?.path ?? [])].join("."));
}

const misfitAt = (path: string): string =>
  `The export is not a SessionExport 1.0: ${path || "the document"} does not have the expected form.`;

type Node = { data: Record<string, unknown>; chain?: Record<string, unknown> | undefined };

/** Checks that each thought matches its hash and that the chain is complete. */
function* unseal(sessionId: string, nodes: readonly Node[]): Steps<SealedThought[] | string> {
  const read: SealedThought[] = [];
  for (const { data, chain } of nodes) {
    const { revisedBy: _links, critique: _later, ...own } = data;
    const file = readThoughtFields(sessionId, { ...own, chain });
    if (file.kind !== "sealed")
      return `Thought ${String(data["thoughtNumber"])} ${file.kind === "bad" ? file.problem : "has no seal"}.`;
    read.push(file.entry);
    yield;
  }
  const entries = yield* sortInSteps(read, (a, b) => a.position - b.position);
  const verifier = createChainVerifier(sessionId);
  for (const entry of entries) {
    verifier.check({ ...entry, seq: 0 });
    yield;
  }
  const fault = verifier.finish({ length: entries.length, hash: entries.at(-1)?.hash ?? genesisHash });
  return fault ? `The chain is broken at position ${fault.position}: ${fault.problem}` : entries;
}

/** Builds a chain for an export without metadata. The same export always gets the same chain. */
function* seal(
  sessionId: string,
  nodes: readonly Node[],
  createdAt: string,
): Steps<SealedThought[] | string> {
  const plain: PlainThought[] = [];
  for (const { data } of nodes) {
    const read = readPlainThought(data, { thoughtNumber: 1 });
    if (typeof read === "string") return `A node ${read}.`;
    plain.push(read);
    yield;
  }
  return (yield* sealPlainThoughts(sessionId, plain, createdAt)).entries;
}

const critiqueSchema = z.object({
  text: text(limits.thoughtBytes).min(1),
  model: text(1_000).min(1),
  timestamp: instant,
});

function* critiquesOf(
  nodes: readonly Node[],
  entries: readonly SealedThought[],
): Steps<ImportedSession["critiques"]> {
  const byPlace = new Map<string, unknown>();
  for (const { data } of nodes) {
    if (data["critique"] !== undefined)
      byPlace.set(`${data["branchId"] ?? ""}:${data["thoughtNumber"]}`, data["critique"]);
    yield;
  }
  const critiques: ImportedSession["critiques"] = [];
  for (const { data } of byPlace.size > 0 ? entries : []) {
    const critique = critiqueSchema.safeParse(byPlace.get(keyOf(data)));
    if (critique.success) critiques.push({ address: data, critique: critique.data });
    yield;
  }
  return critiques;
}

/**
 * Converts a session to the form in which stores import it, in several parts if it is long. The same export
 * always gives the same critique hashes. A critique is in the same part as its thought, or in a later one.
 */
export function* toSessionParts({ record, entries, critiques }: ImportedSession): Steps<SessionParts> {
  const parts: SessionParts = [{ record, entries: [], critiques: [] }];
  let characters = 0;
  const roomFor = (text: string) => {
    const last = parts.at(-1) as SessionParts[number];
    characters += text.length;
    const rows = last.entries.length + last.critiques.length;
    if (rows === 0 || (rows < importedAtOnce.rows && characters <= importedAtOnce.characters)) return last;
    const next = { record, entries: [], critiques: [] };
    parts.push(next);
    characters = text.length;
    return next;
  };
  for (const entry of entries) {
    roomFor(entry.data.thought).entries.push(entry);
    yield;
  }
  for (const critique of yield* sealPlainCritiques(entries, critiques)) {
    roomFor(critique.text).critiques.push(critique);
    yield;
  }
  return parts;
}

/** Copies the session under another ID. Every hash covers the session ID, so all hashes are recomputed. */
export function* withSessionId(
  { record, entries, remarks, ...beside }: ImportedSession,
  id: string,
): Steps<ImportedSession> {
  const sealed: SealedThought[] = [];
  for (const { position, salt, data } of entries) {
    const unsealed = { sessionId: id, position, salt, prevHash: sealed.at(-1)?.hash ?? genesisHash, data };
    sealed.push({ ...unsealed, hash: sealThought(unsealed) });
    yield;
  }
  return {
    record: { ...record, session: { ...record.session, id } },
    entries: sealed,
    remarks: remarks.map((remark) => ownRemark(remark, id)),
    ...beside,
  };
}

/** Gives a copied remark a new ID, because remark IDs are unique in a store. */
function ownRemark({ id, withdraws, ...remark }: Remark, sessionId: string): Remark {
  const own = (name: string) => sha256Hex(`${sessionId} ${name}`).slice(0, 32);
  return { id: own(id), ...remark, ...(withdraws !== undefined && { withdraws: own(withdraws) }) };
}

/** Drops fields with `null`, which other versions write if a session has no description or partition. */
function withoutNulls({ version, session }: { version: unknown; session: unknown }) {
  if (typeof session !== "object" || session === null || Array.isArray(session)) return { version, session };
  const given = Object.entries(session).filter(([, value]) => value !== null);
  return { version, session: Object.fromEntries(given) };
}

/** Finds references to missing thoughts. A forged chain with valid hashes may contain them. */
function* findStructureFault(entries: readonly SealedThought[]): Steps<string | undefined> {
  const keyOf = ({ branchId, thoughtNumber }: Address) => nodeId("", { branchId, thoughtNumber });
  const known = new Set<string>();
  for (const { data } of entries) {
    known.add(keyOf(data));
    yield;
  }
  if (known.size < entries.length) return "Two thoughts have the same number in the same chain.";
  const forks = new Map<string, Address>();
  for (const { data } of entries) {
    yield;
    const { branchId, branchFromThought, branchFromBranch, revises } = data;
    if (revises && !known.has(keyOf(revises)))
      return `${describeAddress(data)} revises ${describeAddress(revises)}, which is missing.`;
    if (branchId === undefined || branchFromThought === undefined) continue;
    const fork = { branchId: branchFromBranch, thoughtNumber: branchFromThought };
    if (forks.has(branchId)) return `Branch ${branchId} begins twice.`;
    if (!known.has(keyOf(fork)))
      return `Branch ${branchId} forks from ${describeAddress(fork)}, which is missing.`;
    forks.set(branchId, fork);
  }
  const adrift = entries.find(({ data: { branchId } }) => branchId !== undefined && !forks.has(branchId));
  if (adrift) return `Branch ${adrift.data.branchId} has no fork point.`;
  const circle = findForkCycle(forks);
  return circle === undefined ? undefined : `Branch ${circle} forks from itself.`;
}

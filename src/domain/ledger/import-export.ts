import * as z from "zod";
import { findHostileJson } from "../../kernel/json-guard.ts";
import { stages } from "../stages/stages.ts";
import { createChainVerifier, genesisHash, sealThought } from "./hash-chain.ts";
import { limits, sessionIdPattern } from "./limits.ts";
import { type SessionRecord, sessionSchema } from "./session.ts";
import type { Thought } from "./thought.ts";
import { type PlainThought, readPlainThought } from "./tree/plain-thought.ts";
import { sealPlainThoughts } from "./tree/seal-plain-thoughts.ts";
import { parseThoughtFile, type SealedThought } from "./tree/thought-file.ts";

const exportSchema = z.object({
  version: z.literal("1.0"),
  session: sessionSchema.extend({
    id: z.string().regex(sessionIdPattern),
    title: z.string().min(1).max(limits.title),
    project: z.string().default("_default"),
    status: sessionSchema.shape.status.default("active"),
  }),
  nodes: z.array(
    z.object({
      data: z.record(z.string(), z.unknown()),
      chain: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
});

type Critique = NonNullable<Thought["critique"]>;

export type ImportedSession = {
  record: SessionRecord;
  entries: SealedThought[];
  critiques: { address: Thought; critique: Critique }[];
};

/** A json export back into a session; a sentence when it is none, or when anything in it was changed. */
export function readSessionExport(text: string): ImportedSession | string {
  const parsed = parseJson(text);
  const hostile = findHostileJson(parsed, "export");
  if (hostile) return `${hostile.path} ${hostile.problem}.`;
  const shaped = exportSchema.safeParse(parsed);
  if (!shaped.success) {
    const [issue] = shaped.error.issues;
    return `It is not a SessionExport 1.0: ${issue?.path.join(".") || "the whole"} does not fit.`;
  }
  const { session, nodes } = shaped.data;
  const entries = nodes.every(({ chain }) => chain)
    ? unseal(session.id, nodes)
    : seal(session.id, nodes, session.createdAt);
  if (typeof entries === "string") return entries;
  return {
    record: {
      session: { ...session, thoughtCount: entries.length },
      state: {
        stage: entries.length > 0 ? stages.cipher_loaded : stages.init_complete,
        navigation: { project: session.project },
      },
    },
    entries,
    critiques: critiquesOf(nodes, entries),
  };
}

type Node = { data: Record<string, unknown>; chain?: Record<string, unknown> | undefined };

/** Every thought must prove that it is what was recorded, and all of them that none is missing. */
function unseal(sessionId: string, nodes: readonly Node[]): SealedThought[] | string {
  const entries: SealedThought[] = [];
  for (const { data, chain } of nodes) {
    const { revisedBy: _links, critique: _later, ...own } = data;
    const read = parseThoughtFile(sessionId, JSON.stringify({ ...own, chain }));
    if (read.kind !== "sealed")
      return `Thought ${String(data["thoughtNumber"])} ${read.kind === "bad" ? read.problem : "has no seal"}.`;
    entries.push(read.entry);
  }
  entries.sort((a, b) => a.position - b.position);
  const verifier = createChainVerifier(sessionId);
  for (const entry of entries) verifier.check({ ...entry, seq: 0 });
  const fault = verifier.finish({ length: entries.length, hash: entries.at(-1)?.hash ?? genesisHash });
  return fault ? `The chain is broken at position ${fault.position}: ${fault.problem}` : entries;
}

/** An export without metadata gets a chain of its own; the same export always the same one. */
function seal(sessionId: string, nodes: readonly Node[], createdAt: string): SealedThought[] | string {
  const plain: PlainThought[] = [];
  for (const { data } of nodes) {
    const read = readPlainThought(data, { thoughtNumber: 1 });
    if (typeof read === "string") return `A node ${read}.`;
    plain.push(read);
  }
  return sealPlainThoughts(sessionId, plain, createdAt).entries;
}

const critiqueSchema = z.object({ text: z.string().min(1), model: z.string().min(1), timestamp: z.string() });

function critiquesOf(
  nodes: readonly Node[],
  entries: readonly SealedThought[],
): ImportedSession["critiques"] {
  return entries.flatMap(({ data }) => {
    const node = nodes.find(
      ({ data: own }) => own["thoughtNumber"] === data.thoughtNumber && own["branchId"] === data.branchId,
    );
    const critique = critiqueSchema.safeParse(node?.data["critique"]);
    return critique.success ? [{ address: data, critique: critique.data }] : [];
  });
}

/** The same thoughts under another id: every seal names its session, so each is made anew. */
export function withSessionId({ record, entries, critiques }: ImportedSession, id: string): ImportedSession {
  const sealed: SealedThought[] = [];
  for (const { position, salt, data } of entries) {
    const unsealed = { sessionId: id, position, salt, prevHash: sealed.at(-1)?.hash ?? genesisHash, data };
    sealed.push({ ...unsealed, hash: sealThought(unsealed) });
  }
  return { record: { ...record, session: { ...record.session, id } }, entries: sealed, critiques };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

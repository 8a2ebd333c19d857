import { canonicalJson } from "../../../kernel/json/canonical-json.ts";
import { sha256Hex } from "../../../kernel/sha256.ts";
import type { ThoughtIndex } from "../chain/thought-index.ts";
import type { Session, SessionRecord, StandingState } from "../session.ts";
import { thoughtFileName } from "./layout.ts";

/** Both shapes that the seeds draw in one, with what an identical import needs besides. */
export type Manifest = {
  version: "1.0";
  id: string;
  session: Omit<Session, "status"> & { status: "active" | "completed" };
  metadata: Pick<Session, "title" | "description" | "tags" | "createdAt" | "updatedAt">;
  /** What the session's handle remembers between calls. */
  handle: StandingState;
  thoughtFiles: string[];
  branchFiles: Record<string, string[]>;
  branches: Record<string, string[]>;
  /** Absent while nothing was criticised. */
  critiqueFiles?: string[];
  integrity: {
    /** Hash of the newest entry of the chain, and how many entries lead to it. */
    checksum: string;
    length: number;
    lastValidated: string;
    /** Over the text of the manifest, with this field empty. */
    manifestChecksum: string;
  };
};

export type ManifestFacts = {
  record: SessionRecord;
  head: { length: number; hash: string };
  index: ThoughtIndex;
  critiques: { length: number };
};

export function toManifest(facts: ManifestFacts, now: Date): Manifest {
  const { record, head, index, critiques } = facts;
  const { session, state } = record;
  const { title, description, tags, createdAt, updatedAt } = session;
  const branches = Object.fromEntries(
    index.branches().map(({ branchId, numbers }) => [branchId, numbers.map(thoughtFileName)]),
  );
  return {
    version: "1.0",
    id: session.id,
    // Whether an open session counts as abandoned depends on the hour of reading, so it is not written down.
    session: { ...session, status: session.status === "completed" ? "completed" : "active" },
    metadata: { title, ...(description !== undefined && { description }), tags, createdAt, updatedAt },
    handle: state,
    thoughtFiles: index.chain().map(thoughtFileName),
    branchFiles: branches,
    branches,
    ...(critiques.length > 0 && {
      critiqueFiles: Array.from({ length: critiques.length }, (_, n) => thoughtFileName(n + 1)),
    }),
    integrity: {
      checksum: head.hash,
      length: head.length,
      lastValidated: now.toISOString(),
      manifestChecksum: "",
    },
  };
}

export function renderManifest(manifest: Manifest): string {
  const integrity = { ...manifest.integrity, manifestChecksum: "" };
  const text = `${JSON.stringify({ ...manifest, integrity }, null, 2)}\n`;
  // Put in where it belongs instead of printing twice: a manifest may name a hundred thousand files.
  const end = text.lastIndexOf('""');
  return `${text.slice(0, end)}"${sha256Hex(text)}"${text.slice(end + 2)}`;
}

/** What a manifest of ours says; `undefined` when it was damaged. Every byte counts. */
export function parseOwnManifest(text: string): Manifest | undefined {
  try {
    const parsed = JSON.parse(text) as Manifest;
    return renderManifest(parsed) === text ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Whether two manifests say the same of a session, whenever they were written and whoever looked meanwhile. */
export function isSameSession(one: Manifest, other: Manifest): boolean {
  return lasting(one) === lasting(other);
}

function lasting({ session, integrity: { checksum, length }, ...rest }: Manifest): string {
  const { lastAccessedAt: _seen, ...kept } = session;
  return canonicalJson({ ...rest, session: kept, integrity: { checksum, length } });
}

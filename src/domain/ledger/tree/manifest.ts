import { isSameJson } from "../../../kernel/json/canonical-json.ts";
import { parseJsonInSteps } from "../../../kernel/json/parse-in-steps.ts";
import { printJsonInSteps } from "../../../kernel/json/print-in-steps.ts";
import { sha256InSteps } from "../../../kernel/sha256.ts";
import type { Steps } from "../../../kernel/steps.ts";
import type { ThoughtIndex } from "../chain/thought-index.ts";
import { limits } from "../limits.ts";
import type { Session, SessionRecord, SessionState } from "../session.ts";
import { thoughtFileName } from "./layout.ts";

/** Combines the two older manifest formats. Adds the fields that an import needs to restore the session exactly. */
export type Manifest = {
  version: "1.0";
  id: string;
  session: Omit<Session, "status"> & { status: "active" | "completed" };
  metadata: Pick<Session, "title" | "description" | "tags" | "createdAt" | "updatedAt">;
  handle: SessionState;
  thoughtFiles: string[];
  branchFiles: Record<string, string[]>;
  branches: Record<string, string[]>;
  /** Absent if there are no critiques. */
  critiqueFiles?: string[];
  integrity: {
    /** The hash of the chain's newest entry. */
    checksum: string;
    length: number;
    lastValidated: string;
    /** A hash of the manifest's text with this field empty. */
    manifestChecksum: string;
  };
};

export type ManifestFacts = {
  record: SessionRecord;
  head: { length: number; hash: string };
  index: ThoughtIndex;
  critiques: { length: number };
};

export function* toManifest(facts: ManifestFacts, now: Date): Steps<Manifest> {
  const { record, head, index, critiques } = facts;
  const { session, state } = record;
  const { title, description, tags, createdAt, updatedAt } = session;
  const thoughtFiles = yield* namesOf(index.chain());
  const branches: Record<string, string[]> = {};
  for (const { branchId, numbers } of index.branches()) {
    branches[branchId] = yield* namesOf(numbers);
    yield;
  }
  return {
    version: "1.0",
    id: session.id,
    // Never writes "abandoned", because that status depends on when the session is read.
    session: { ...session, status: session.status === "completed" ? "completed" : "active" },
    metadata: { title, ...(description !== undefined && { description }), tags, createdAt, updatedAt },
    handle: state,
    thoughtFiles,
    branchFiles: branches,
    branches,
    ...(critiques.length > 0 && { critiqueFiles: yield* namesOf(countTo(critiques.length)) }),
    integrity: {
      checksum: head.hash,
      length: head.length,
      lastValidated: now.toISOString(),
      manifestChecksum: "",
    },
  };
}

const namesAtOnce = 1_000;

/** Returns the file names for these numbers. Ignores numbers that are added between steps. */
function* namesOf(numbers: readonly number[]): Steps<string[]> {
  const names: string[] = [];
  for (const number of numbers.slice()) {
    names.push(thoughtFileName(number));
    if (names.length % namesAtOnce === 0) yield;
  }
  return names;
}

const countTo = (length: number): number[] => Array.from({ length }, (_, n) => n + 1);

/** Renders the manifest in steps, because it may list a million files. */
export function* renderManifest(manifest: Manifest): Steps<string> {
  const integrity = { ...manifest.integrity, manifestChecksum: "" };
  const text = `${yield* printJsonInSteps({ ...manifest, integrity })}\n`;
  const end = text.lastIndexOf('""');
  return `${text.slice(0, end)}"${yield* sha256InSteps(text)}"${text.slice(end + 2)}`;
}

const sealAtEnd = /"manifestChecksum": "([0-9a-f]{64})"\n {2}\}\n\}\n$/;
const longestEnd = 120;

/** Parses a manifest. Returns `undefined` unless Thoughtbox wrote it and every byte is intact. */
export function* parseOwnManifest(text: string): Steps<Manifest | undefined> {
  const seal = sealAtEnd.exec(text.slice(-longestEnd))?.[1];
  if (seal === undefined) return undefined;
  const [before, after] = [
    text.slice(0, text.lastIndexOf(seal)),
    text.slice(text.lastIndexOf(seal) + seal.length),
  ];
  if ((yield* sha256InSteps(before + after)) !== seal) return undefined;
  return (yield* parseJsonInSteps(text, { keys: limits.thoughtNumber }))?.value as Manifest | undefined;
}

/** Compares two manifests. Ignores when they were written and when the session was last accessed. */
export function isSameSession(one: Manifest, other: Manifest): Steps<boolean> {
  return isSameJson(lasting(one), lasting(other));
}

function lasting({ session, integrity: { checksum, length }, ...rest }: Manifest) {
  const { lastAccessedAt: _seen, ...kept } = session;
  return { ...rest, session: kept, integrity: { checksum, length } };
}

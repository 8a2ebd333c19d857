import { runAtOnce } from "../../../kernel/steps.ts";
import { stages } from "../../stages/stages.ts";
import type { SessionRecord } from "../session.ts";
import { endsSession } from "../thought.ts";
import { type ChainedCritique, connectCritiques } from "./critique-file.ts";
import type { SessionPlace } from "./layout.ts";
import { type ManifestClaims, readManifest } from "./manifest-claims.ts";
import { sealPlainCritiques } from "./plain-critiques.ts";
import { sealPlainThoughts } from "./seal-plain-thoughts.ts";
import {
  type BadFile,
  connectSealed,
  type FoundFile,
  type SortedFiles,
  sortThoughtFiles,
} from "./sort-thought-files.ts";
import type { SealedThought } from "./thought-file.ts";

/** A session's folder as it was found. */
export type SessionFolderContents = {
  place: SessionPlace;
  /** `undefined` when there is none. */
  manifest: string | undefined;
  files: readonly FoundFile[];
  /** When the newest file was written: the last resort for a session that tells no time at all. */
  modifiedAt: string;
};

export type RebuiltSession = {
  record: SessionRecord;
  entries: SealedThought[];
  critiques: ChainedCritique[];
  /** Files that hold nothing which can be trusted. They are left where they are. */
  badFiles: BadFile[];
  warnings: string[];
};

/** A session from its files alone: identical to what was recorded where they are ours, the nearest thing else. */
export function rebuildSession({
  place,
  manifest,
  files,
  modifiedAt,
}: SessionFolderContents): RebuiltSession {
  const claims = (manifest === undefined ? undefined : readManifest(manifest)) ?? {};
  const sorted = sortThoughtFiles(place.id, files);
  const createdAt = claims.createdAt ?? earliestTime(sorted) ?? modifiedAt;
  const { entries, badFiles, warnings } = chainUp(place.id, sorted, createdAt);
  const critiques = chainCritiques(entries, sorted);
  return {
    record: toRecord(place, claims, entries, createdAt),
    entries,
    critiques: critiques.chained,
    badFiles: [...sorted.badFiles, ...badFiles, ...critiques.badFiles],
    warnings: [
      ...judgeManifest(place, manifest, claims, sorted.sealed.length > 0 ? entries : []),
      ...sorted.warnings,
      ...warnings,
    ],
  };
}

type Chained = { entries: SealedThought[]; badFiles: BadFile[]; warnings: string[] };

/** One seal is proof that the whole session was sealed: a file without one was put there later. */
function chainUp(sessionId: string, { sealed, plain }: SortedFiles, createdAt: string): Chained {
  if (sealed.length === 0) {
    const thoughts = plain.map(({ thought }) => thought);
    return { ...runAtOnce(sealPlainThoughts(sessionId, thoughts, createdAt)), badFiles: [] };
  }
  const chained = connectSealed(sealed);
  const strays = plain.map(({ path }) => ({ path, problem: "has no place in the session's chain" }));
  return { ...chained, badFiles: [...chained.badFiles, ...strays] };
}

function chainCritiques(
  entries: readonly SealedThought[],
  { sealed, plain, critiques }: SortedFiles,
): { chained: ChainedCritique[]; badFiles: BadFile[] } {
  if (sealed.length === 0) {
    const thoughts = plain.map(({ thought }) => thought);
    return { chained: sealPlainCritiques(entries, thoughts), badFiles: [] };
  }
  const hashes = new Set(entries.map(({ hash }) => hash));
  const known = critiques.filter(({ critique }) => hashes.has(critique.thoughtHash));
  const chained = connectCritiques(known.map(({ critique }) => critique));
  const strays = critiques.filter(({ critique }) => !chained.includes(critique));
  const problem = "speaks of a thought that is missing, or follows a critique that is";
  return { chained, badFiles: strays.map(({ path }) => ({ path, problem })) };
}

function judgeManifest(
  { id }: SessionPlace,
  manifest: string | undefined,
  claims: ManifestClaims,
  sealed: readonly SealedThought[],
): string[] {
  if (manifest === undefined) return ["there is no manifest; title, tags and times were made up"];
  if (Object.keys(claims).length === 0)
    return ["the manifest cannot be read; title, tags and times were made up"];
  const last = sealed.at(-1);
  return [
    ...(claims.id !== undefined && claims.id !== id ? ["the manifest names another session"] : []),
    ...(last && claims.head !== undefined && claims.head !== last.hash
      ? ["the newest thought is not the one that the manifest names"]
      : []),
  ];
}

function earliestTime({ sealed, plain }: SortedFiles): string | undefined {
  const times = [
    ...sealed.map(({ thought }) => thought.data.timestamp),
    ...plain.flatMap(({ thought }) => thought.timestamp ?? []),
  ];
  return times.sort()[0];
}

function toRecord(
  { id, project, partitionPath }: SessionPlace,
  claims: ManifestClaims,
  entries: readonly SealedThought[],
  createdAt: string,
): SessionRecord {
  const last = entries.at(-1)?.data;
  const completed = last !== undefined && endsSession(last);
  const times = entries.map(({ data }) => data.timestamp);
  const updatedAt = [...times, claims.updatedAt ?? createdAt].sort().at(-1) ?? createdAt;
  return {
    session: {
      id,
      title: claims.title ?? `Imported session ${createdAt}`,
      ...(claims.description !== undefined && { description: claims.description }),
      tags: claims.tags ?? [],
      project,
      status: completed ? "completed" : "active",
      thoughtCount: entries.length,
      branchCount: entries.filter(({ data }) => data.branchFromThought !== undefined).length,
      ...(partitionPath !== undefined && { partitionPath }),
      createdAt,
      updatedAt,
      lastAccessedAt: claims.lastAccessedAt ?? updatedAt,
      ...(completed && { completedAt: last.timestamp }),
    },
    state: claims.handle ?? { stage: stages.init_complete, navigation: {} },
  };
}

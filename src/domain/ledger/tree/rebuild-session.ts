import type { Steps } from "../../../kernel/steps.ts";
import { stages } from "../../stages/stages.ts";
import { defaultProject } from "../project.ts";
import type { SessionRecord } from "../session.ts";
import { endsSession } from "../thought.ts";
import { connectCritiques, type PlacedCritique, sealPlainCritiques } from "./critique-file.ts";
import type { SessionPlace } from "./layout.ts";
import { type ManifestClaims, readManifest } from "./manifest-claims.ts";
import { sealPlainThoughts } from "./seal-plain-thoughts.ts";
import {
  type BadFile,
  connectSealed,
  type FoundFile,
  type SortedFiles,
  sortThoughtFiles,
} from "./sort-thought-files.ts";
import type { SealedThought } from "./thought-file.ts";

/** Where a session was found. If the path does not name the project, the manifest may name it. */
export type FoundPlace = Omit<SessionPlace, "project"> & { project?: string | undefined };

export type SessionFolderContents = {
  place: FoundPlace;
  /** `undefined` if the session has no manifest. */
  manifest: string | undefined;
  files: readonly FoundFile[];
  /** When the newest file was written. Used only for a session without any timestamp. */
  modifiedAt: string;
};

export type RebuiltSession = {
  record: SessionRecord;
  entries: SealedThought[];
  critiques: PlacedCritique[];
  /** True if an earlier version wrote the files. Such files contain no hashes. */
  isPlain: boolean;
  /** Files with untrustworthy contents. The import leaves these files in place. */
  badFiles: BadFile[];
  warnings: string[];
};

/**
 * Rebuilds a session from its files alone. If this version wrote the files, the result is identical to the
 * stored session. If an earlier version wrote them, the result is as close as possible.
 */
export function* rebuildSession({
  place,
  manifest,
  files,
  modifiedAt,
}: SessionFolderContents): Steps<RebuiltSession> {
  const claims = (manifest === undefined ? undefined : yield* readManifest(manifest)) ?? {};
  const sorted = yield* sortThoughtFiles(place.id, files);
  const createdAt = claims.createdAt ?? earliestTime(sorted) ?? modifiedAt;
  const { entries, badFiles, warnings } = yield* chainUp(place.id, sorted, createdAt);
  const critiques = yield* chainCritiques(entries, sorted);
  return {
    record: toRecord(place, claims, entries, createdAt),
    entries,
    critiques: critiques.chained,
    isPlain: sorted.sealed.length === 0 && sorted.plain.length > 0,
    badFiles: [...sorted.badFiles, ...badFiles, ...critiques.badFiles],
    warnings: [
      ...judgeManifest(place, manifest, claims, sorted.sealed.length > 0 ? entries : []),
      ...sorted.warnings,
      ...warnings,
    ],
  };
}

type Chained = { entries: SealedThought[]; badFiles: BadFile[]; warnings: string[] };

/** Builds the chain. If any file has a hash, a file without one was added later by someone else. */
function* chainUp(sessionId: string, { sealed, plain }: SortedFiles, createdAt: string): Steps<Chained> {
  if (sealed.length === 0) {
    const thoughts = plain.map(({ thought }) => thought);
    return { ...(yield* sealPlainThoughts(sessionId, thoughts, createdAt)), badFiles: [] };
  }
  const chained = yield* connectSealed(sealed);
  const strays = plain.map(({ path }) => ({ path, problem: "is not part of the session's chain" }));
  return { ...chained, badFiles: [...chained.badFiles, ...strays] };
}

function* chainCritiques(
  entries: readonly SealedThought[],
  { sealed, plain, critiques }: SortedFiles,
): Steps<{ chained: PlacedCritique[]; badFiles: BadFile[] }> {
  if (sealed.length === 0) {
    const thoughts = plain.map(({ thought }) => thought);
    return { chained: yield* sealPlainCritiques(entries, thoughts), badFiles: [] };
  }
  const positions = new Map(entries.map(({ hash, position }) => [hash, position]));
  const known = critiques.filter(({ critique }) => positions.has(critique.thoughtHash));
  const chained = yield* connectCritiques(known.map(({ critique }) => critique));
  const kept = new Set(chained);
  const strays = critiques.filter(({ critique }) => !kept.has(critique));
  const problem = "refers to a missing thought, or follows a missing critique";
  return {
    chained: chained.map((critique) => {
      const thoughtPosition = positions.get(critique.thoughtHash);
      return thoughtPosition === undefined ? critique : { ...critique, thoughtPosition };
    }),
    badFiles: strays.map(({ path }) => ({ path, problem })),
  };
}

function judgeManifest(
  { id }: FoundPlace,
  manifest: string | undefined,
  claims: ManifestClaims,
  sealed: readonly SealedThought[],
): string[] {
  if (manifest === undefined) return ["there is no manifest, so title, tags and times are guesses"];
  if (Object.keys(claims).length === 0)
    return ["the manifest cannot be read, so title, tags and times are guesses"];
  const last = sealed.at(-1);
  return [
    ...(claims.id !== undefined && claims.id !== id ? ["the manifest names another session"] : []),
    ...(last && claims.head !== undefined && claims.head !== last.hash
      ? ["the manifest names a different newest thought"]
      : []),
  ];
}

function earliestTime({ sealed, plain }: SortedFiles): string | undefined {
  let earliest: string | undefined;
  for (const { thought } of sealed) earliest = earlier(earliest, thought.data.timestamp);
  for (const { thought } of plain) earliest = earlier(earliest, thought.timestamp);
  return earliest;
}

const earlier = (one: string | undefined, other: string | undefined): string | undefined =>
  one === undefined || (other !== undefined && other < one) ? other : one;

function toRecord(
  { id, project, partitionPath }: FoundPlace,
  claims: ManifestClaims,
  entries: readonly SealedThought[],
  createdAt: string,
): SessionRecord {
  const last = entries.at(-1);
  const completed = isCompleted(claims, last);
  const completedAt = claims.completedAt ?? last?.data.timestamp;
  let updatedAt = claims.updatedAt ?? createdAt;
  for (const { data } of entries) if (data.timestamp > updatedAt) updatedAt = data.timestamp;
  return {
    session: {
      id,
      title: claims.title ?? `Imported session ${createdAt}`,
      ...(claims.description !== undefined && { description: claims.description }),
      tags: claims.tags ?? [],
      project: project ?? claims.project ?? defaultProject,
      status: completed ? "completed" : "active",
      thoughtCount: entries.length,
      branchCount: entries.filter(({ data }) => data.branchFromThought !== undefined).length,
      ...(partitionPath !== undefined && { partitionPath }),
      createdAt,
      updatedAt,
      lastAccessedAt: claims.lastAccessedAt ?? updatedAt,
      ...(completed && completedAt !== undefined && { completedAt }),
    },
    state: claims.handle ?? { stage: stages.init_complete, navigation: {} },
  };
}

/**
 * True if the manifest states that the session is completed. Without an up-to-date manifest, this depends on
 * whether the last thought ends the session.
 */
function isCompleted({ head, status }: ManifestClaims, last: SealedThought | undefined): boolean {
  if (status === "completed") return true;
  const isCurrent = status !== undefined && head !== undefined && head === last?.hash;
  return !isCurrent && last !== undefined && endsSession(last.data);
}

import * as z from "zod";
import type { CommitLink, Committed } from "../../../domain/actions/action.ts";
import type { KeptAction } from "../../../domain/actions/kept-action.ts";
import { clipWhole } from "../../../kernel/secrets/secrets-policy.ts";
import type { Commit, Repository } from "../../../ports/repository.ts";
import { type MemoryContext, ownProject } from "../../pipeline/context.ts";
import { defineMemory } from "../define-memory.ts";
import { attribute } from "../why/blamed-file.ts";
import { findOrigin } from "../why/find-origin.ts";
import { findOwnRepository, partsOfCommit } from "../why/find-subject.ts";
import { sessionsOfTrailers } from "./trailers.ts";

const [rowsAtOnce, longestSubject, leastLines] = [500, 200, 3];

const tieSchema = z.strictObject({
  commit: z.string(),
  subject: z.string(),
  sessionId: z.string(),
  how: z.enum(["edits", "trailer"]),
});
const fateSchema = z.strictObject({
  commit: z.string(),
  sessionId: z.string(),
  fate: z.enum(["rebased", "vanished"]),
  now: z.string().optional(),
});

export const gitScan = defineMemory({
  name: "git_scan",
  title: "Link commits to sessions",
  summary:
    "Links a repository's commits to the sessions that wrote them, based on lines and trailers. Rebased and vanished commits are kept and marked.",
  effect: "write",
  anywhere: true,
  input: {
    commits: z
      .int()
      .min(1)
      .max(5_000)
      .default(200)
      .describe("How many of the newest commits to read. Default: 200."),
  },
  output: {
    /** Absent if the caller is not working in a git repository. */
    repository: z.string().optional(),
    scanned: z.int(),
    /** The number of new links and marks. */
    added: z.int(),
    ties: z.array(tieSchema),
    /** Linked commits that no branch or tag contains any longer. */
    gone: z.array(fateSchema),
    /** Trailers that match no session in this store. */
    unknown: z.array(z.strictObject({ commit: z.string(), trailer: z.string() })),
    note: z.string().optional(),
  },
  trim: {
    list: [
      { key: "unknown", oldest: "last", mayBeEmpty: true },
      { key: "gone", oldest: "last", mayBeEmpty: true },
      { key: "ties", oldest: "last", mayBeEmpty: true },
    ],
  },
  errors: ["STORAGE_ERROR"],
  examples: [{ title: "of this repository", given: "a repository with a captured session", input: {} }],

  async handle({ commits: limit }, memory) {
    const repository = await findOwnRepository(memory);
    const empty = { scanned: 0, added: 0, ties: [], gone: [], unknown: [] };
    if (!repository) return { ...empty, note: "There is no git repository here." };
    const reachable = await repository.listReachable();
    const origin = reachable?.roots.at(-1) ?? "";
    const known = await readTied(memory);
    const commits = await repository.readCommits(await repository.listCommits(limit));
    const ties: z.infer<typeof tieSchema>[] = [];
    const unknown: { commit: string; trailer: string }[] = [];
    let added = 0;
    for (const commit of commits.values()) {
      memory.signal.throwIfAborted();
      const named = await sessionsOfTrailers(memory, repository, commit);
      unknown.push(...named.unknown.map((trailer) => ({ commit: commit.id.slice(0, 12), trailer })));
      const wrote = await sessionsOfLines(memory, repository, commit.id);
      const found = new Map<string, CommitLink>([
        ...wrote.map((sessionId) => [sessionId, "edits"] as const),
        ...named.sessions.map((sessionId) => [sessionId, "trailer"] as const),
      ]);
      for (const [sessionId, how] of found) {
        const subject = clipWhole(memory.settings.secrets.forAnswer(commit.subject), longestSubject);
        const before = known.find((one) => one.sessionId === sessionId && one.action.commit === commit.id);
        ties.push({ commit: commit.id.slice(0, 12), subject, sessionId, how: before?.action.how ?? how });
        if (before) continue;
        const action = { type: "commit", call: commit.id, part: 0, tool: "git", commit: commit.id } as const;
        const at = new Date(commit.authored).toISOString();
        added += await memory.actions.record(sessionId, [
          { ...action, at, command: subject, how, origin: origin || commit.id },
        ]);
      }
    }
    const { gone, marked } = await markGone(memory, known, commits, reachable);
    return { repository: repository.root, scanned: commits.size, added: added + marked, ties, gone, unknown };
  },
});

type Tied = { sessionId: string; action: KeptAction & Committed };

async function readTied({ actions, caller, settings }: MemoryContext): Promise<Tied[]> {
  const tied: Tied[] = [];
  const project = ownProject(caller, settings);
  for (let after = 0; ; ) {
    const page = await actions.readOfProject(project, { after, limit: rowsAtOnce, type: "commit" });
    for (const { sessionId, action } of page) if (action.type === "commit") tied.push({ sessionId, action });
    after = page.at(-1)?.order ?? after;
    if (page.length < rowsAtOnce) return tied;
  }
}

/**
 * Returns the sessions whose edits certainly wrote at least three of the added lines, or at least half of the
 * lines whose writer is certain.
 */
async function sessionsOfLines(
  memory: MemoryContext,
  repository: Repository,
  commit: string,
): Promise<string[]> {
  const counts = new Map<string, number>();
  let all = 0;
  for (const { path, lines, only = [] } of await partsOfCommit(repository, commit)) {
    const { found } = await attribute(memory, repository, { path, lines }, only);
    const origins = new Map<string, string | undefined>();
    for (const at of only) {
      const one = found[at];
      if (!one || (one.class !== "win" && one.class !== "late")) continue;
      const { id } = one.known;
      if (!origins.has(id)) origins.set(id, (await findOrigin(memory, one.known))?.sessionId);
      const sessionId = origins.get(id);
      if (sessionId === undefined) continue;
      all += 1;
      counts.set(sessionId, (counts.get(sessionId) ?? 0) + 1);
    }
  }
  return [...counts].flatMap(([sessionId, lines]) =>
    lines >= leastLines || lines * 2 >= all ? [sessionId] : [],
  );
}

/** Marks a link once if its commit disappears from the repository. Links to commits are permanent. */
async function markGone(
  memory: MemoryContext,
  known: readonly Tied[],
  commits: ReadonlyMap<string, Commit>,
  reachable: Awaited<ReturnType<Repository["listReachable"]>>,
) {
  const gone: z.infer<typeof fateSchema>[] = [];
  let marked = 0;
  if (!reachable) return { gone, marked };
  const isHere = ({ action: { origin, commit } }: Tied) =>
    reachable.roots.includes(origin) && !reachable.ids.has(commit);
  const keyOf = ({ sessionId, action: { commit } }: Tied) => `${sessionId} ${commit}`;
  const left = known.filter(isHere);
  const marks = new Map(left.filter(({ action }) => action.fate).map((tied) => [keyOf(tied), tied.action]));
  for (const tied of left.filter(({ action }) => action.fate === undefined)) {
    const { sessionId, action } = tied;
    const mark = marks.get(keyOf(tied)) ?? markOf(action, commits);
    gone.push({
      commit: action.commit.slice(0, 12),
      sessionId,
      fate: mark.fate ?? "vanished",
      ...(mark.now !== undefined && { now: mark.now.slice(0, 12) }),
    });
    marked += await memory.actions.record(sessionId, [mark]);
  }
  return { gone, marked };
}

/** Marks a link as rebased if a commit has its author time and subject, and otherwise as vanished. */
function markOf(tie: Tied["action"], commits: ReadonlyMap<string, Commit>): Tied["action"] {
  const time = Date.parse(tie.at);
  const became = [...commits.values()].find(
    ({ authored, subject }) => authored === time && clipWhole(subject, longestSubject) === tie.command,
  );
  return became
    ? { ...tie, part: 1, fate: "rebased", now: became.id }
    : { ...tie, part: 2, fate: "vanished" };
}

const recentMs = 60 * 60 * 1_000;

export const gitTrailer = defineMemory({
  name: "git_trailer",
  title: "Show a commit's trailer",
  summary:
    "Returns the trailer that links a commit made now to the project's latest session, if that session recorded something within the last hour.",
  effect: "read",
  anywhere: true,
  input: {},
  output: { trailer: z.string().optional() },
  errors: ["STORAGE_ERROR"],
  examples: [{ title: "now", given: "a session with thoughts", input: {} }],

  async handle(_, { ledger, settings, caller, clock }) {
    const { sessions } = await ledger.listSessions({
      project: ownProject(caller, settings),
      tagMode: "all",
      limit: 1,
      offset: 0,
      sortBy: "updatedAt",
      sortOrder: "desc",
    });
    const [latest] = sessions;
    const isRecent = latest && clock().getTime() - Date.parse(latest.updatedAt) <= recentMs;
    return isRecent ? { trailer: `Thoughtbox-Session: ${latest.id}` } : {};
  },
});

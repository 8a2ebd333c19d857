import {
  type Attribution,
  type BlamedLine,
  type CommitTimes,
  countWriters,
  matchLines,
  settleLines,
  writtenWithin,
} from "../../src/domain/why/attribute-lines.ts";
import {
  gatherEdits,
  indexShown,
  indexWritten,
  type KnownEdit,
  repositoryPath,
} from "../../src/domain/why/known-edits.ts";
import { parseCommits } from "../../src/git/parse-git.ts";
import type { Commit } from "../../src/ports/repository.ts";
import type { Kept } from "./kept.ts";
import type { GitReader } from "./read-git.ts";

export type Tally = {
  files: number;
  lines: number;
  /** Lines of at least twelve characters whose commit names a session with a readable transcript. */
  labelled: number;
  attributed: number;
  right: number;
  /** Attributed lines whose label names another session that stopped editing before the commit's window. */
  contradicted: number;
  /** Labelled lines that a known edit wrote before the commit. */
  reachable: number;
  /** Lines of at least twelve characters without a label, and how many of them were attributed to a session anyway. */
  unlabelled: number;
  unlabelledAttributed: number;
  commits: number;
  commitsAttributed: number;
  commitsRight: number;
  byClass: Map<string, { lines: number; right: number }>;
};

const shortest = 12;

/** Attributes every line in a commit's tree, as `why` does for each file. */
export async function measureRepository(git: GitReader, head: string, kept: Kept): Promise<Tally> {
  const known = gatherEdits(kept.edits);
  const paths = new Set((await git.readPaths()).filter((path) => path !== ""));
  const byPath = groupByPath(known, paths);
  const anywhere = indexWritten(known, { longOnly: true });
  const lastEdits = lastEditOf(kept);
  const readCommit = createCommitReader(git);
  const tally: Tally = {
    ...{ files: 0, lines: 0, labelled: 0, attributed: 0, right: 0, contradicted: 0, reachable: 0 },
    ...{ unlabelled: 0, unlabelledAttributed: 0, commits: 0, commitsAttributed: 0, commitsRight: 0 },
    byClass: new Map(),
  };
  const votes = new Map<string, Map<KnownEdit["lineage"], { lines: number; right: boolean }>>();

  for (const { path } of await git.listFiles(head)) {
    const rows = await git.blame(head, path);
    if (rows === undefined) continue;
    const commits = await readTimes(rows.map(({ commit }) => commit));
    const names = new Set([path, ...rows.map((row) => row.path)]);
    const inFile = [...new Set([...names].flatMap((name) => byPath.get(name) ?? []))];
    const [here, shown] = [indexWritten(inFile), indexShown(inFile)];
    const lines: readonly BlamedLine[] = rows;
    const startOf = (session: string) => kept.starts.get(session);
    const file = { lines, commits, here, anywhere, shown, startOf };
    const matched = matchLines(file);
    const found = settleLines(file, matched, countWriters(lines, matched));
    tally.files += 1;
    tally.lines += lines.length;
    for (const [at, line] of lines.entries()) count(line, found[at], commits.get(line.commit));
  }
  countCommits();
  return tally;

  function count(
    line: BlamedLine,
    attribution: Attribution | undefined,
    times: CommitTimes | undefined,
  ): void {
    if (line.chars < shortest) return;
    const labels = kept.labels.get(line.commit);
    if (!labels) {
      tally.unlabelled += 1;
      tally.unlabelledAttributed += attribution ? 1 : 0;
      return;
    }
    tally.labelled += 1;
    const end = times ? writtenWithin(times).to : 0;
    const isWritten = anywhere.get(line.hash)?.some(({ known: { time } }) => time <= end);
    tally.reachable += attribution || isWritten ? 1 : 0;
    const vote = votes.get(line.commit) ?? new Map();
    votes.set(line.commit, vote);
    if (!attribution) return;
    const isRight = attribution.known.places.some(({ sessionId }) => labels.has(sessionId));
    tally.attributed += 1;
    tally.right += isRight ? 1 : 0;
    const last = Math.max(...[...labels].map((session) => lastEdits.get(session) ?? 0));
    if (!isRight && times && last < writtenWithin(times).from) tally.contradicted += 1;
    const kind = tally.byClass.get(attribution.class) ?? { lines: 0, right: 0 };
    tally.byClass.set(attribution.class, { lines: kind.lines + 1, right: kind.right + (isRight ? 1 : 0) });
    const { lineage } = attribution.known;
    vote.set(lineage, { lines: (vote.get(lineage)?.lines ?? 0) + 1, right: isRight });
  }

  function countCommits(): void {
    for (const vote of votes.values()) {
      const [most] = [...vote.values()].sort((a, b) => b.lines - a.lines);
      tally.commits += 1;
      tally.commitsAttributed += most ? 1 : 0;
      tally.commitsRight += most?.right ? 1 : 0;
    }
  }

  async function readTimes(ids: readonly string[]): Promise<Map<string, CommitTimes>> {
    const times = new Map<string, CommitTimes>();
    for (const id of new Set(ids)) {
      const commit = await readCommit(id);
      const [parent] = commit?.parents ?? [];
      if (commit) times.set(id, { ...commit, parentAuthored: (await readCommit(parent ?? ""))?.authored });
    }
    return times;
  }
}

function groupByPath(known: readonly KnownEdit[], paths: ReadonlySet<string>): Map<string, KnownEdit[]> {
  const byPath = new Map<string, KnownEdit[]>();
  for (const edit of known)
    for (const written of [edit.edit.path, edit.edit.from]) {
      const path = written === undefined ? undefined : repositoryPath(written, (end) => paths.has(end));
      if (path === undefined) continue;
      const list = byPath.get(path);
      if (list) list.push(edit);
      else byPath.set(path, [edit]);
    }
  return byPath;
}

function lastEditOf({ edits }: Kept): Map<string, number> {
  const last = new Map<string, number>();
  for (const { sessionId, at } of edits)
    last.set(sessionId, Math.max(last.get(sessionId) ?? 0, Date.parse(at)));
  return last;
}

function createCommitReader(git: GitReader) {
  const cache = new Map<string, Commit | undefined>();
  return async (id: string): Promise<Commit | undefined> => {
    if (cache.has(id)) return cache.get(id);
    const text = await git.readObject(id);
    const heading = Buffer.from(`${id} commit ${text?.length}\n`);
    const commit = text && parseCommits(Buffer.concat([heading, text, Buffer.from("\n")])).get(id);
    cache.set(id, commit);
    return commit;
  };
}

import type { Session } from "../../../domain/ledger/session.ts";
import { clip } from "../../../kernel/text.ts";
import { newsOf, placesSince, type Told } from "../../session/news.ts";
import { longestLine, type SessionColumns } from "../../session/session-columns.ts";
import { toStory } from "../../session/story.ts";
import { type Mask, type Signs, signOf, toWireSession } from "../../session/to-wire.ts";
import { wire } from "../../wire.ts";
import type { DeadEnd, HomeAnswer, Lane, NewsLine, NewsSection } from "../../wire-home.ts";
import { invalid, type Query } from "../answer.ts";
import { countNotebooks, type NotebookSource } from "../notebooks/notebook-answers.ts";
import type { SessionSource } from "../session-answers.ts";
import { readFollowed, type TranscriptSource } from "./followed-transcripts.ts";
import { type MemoryNews, readMemoryNews } from "./memory-news.ts";

export type HomeSource = SessionSource &
  NotebookSource &
  Pick<TranscriptSource, "capture" | "isShown"> & {
    now(): Date;
    /** Workspaces to search, most recently written first. */
    listWorkspaces(): Promise<string[]>;
  };

/**
 * How many thoughts one answer reads, over all sessions with news. Older sessions are left out, and the answer states
 * that.
 */
const thoughtBudget = 60_000;
const mostSessions = 2_000;
const lanesShown = 8;
const ticksPerLane = 240;
const linesShown = 5;
const mostLines = 1_000;
const sections: readonly NewsSection[] = [
  "concluded",
  "givenUp",
  "contradicted",
  "unanswered",
  "tasks",
  "conflicts",
];

export async function answerHome(source: HomeSource, query: Query): Promise<HomeAnswer> {
  const now = source.now().getTime();
  const since = Date.parse(query.text("since") ?? "");
  if (Number.isNaN(since)) throw invalid("since is missing. Send an ISO time such as 2026-11-15T08:00:00Z.");
  const project = query.text("project");
  const show = query.text("show")?.split(",") ?? [];
  const offset = query.number("offset", { min: 0, max: 1_000_000, standard: 0 });
  const signs = await source.readSigns();
  const [{ found, isComplete, hasMore }, memory, transcripts, notebooks] = await Promise.all([
    readSessions(source, since, project),
    readMemoryNews(source, since, project),
    readFollowed(source, project),
    countNotebooks(source),
  ]);
  // The counts cover every project, even if only one is shown. If `project` is absent, `found` already covers
  // all of them.
  const everywhere = project === undefined ? found : (await readSessions(source, since, undefined)).found;
  const all = gather(found, memory, { since, now, mask: source.mask });
  const part = <Row>(name: NewsSection, rows: readonly Row[]): readonly Row[] =>
    show.includes(name) ? rows.slice(offset, offset + mostLines) : rows.slice(0, linesShown);
  return {
    since: new Date(since).toISOString(),
    counts: Object.fromEntries(sections.map((name) => [name, all[name].length])) as HomeAnswer["counts"],
    isComplete: isComplete && memory.isComplete,
    ...(hasMore && { hasMoreSessions: true as const }),
    projects: countProjects(everywhere.map(({ session }) => session)),
    inAllProjects: everywhere.length,
    lanes: found.slice(0, lanesShown).map((one) => toLane(one, since, source.mask, signs)),
    sessions: found.length,
    ended: found.filter(({ session }) => session.status === "completed").length,
    notebooks,
    transcripts,
    concluded: part("concluded", all.concluded).map(withText),
    givenUp: await readDeadEnds(source, part("givenUp", all.givenUp)),
    contradicted: part("contradicted", all.contradicted).map(({ old, by }) => ({
      old: withText(old),
      by: withText(by),
    })),
    unanswered: part("unanswered", all.unanswered).map(withText),
    tasks: [...part("tasks", all.tasks)],
    conflicts: [...part("conflicts", all.conflicts)],
  };
}

type Found = { session: Session; columns: SessionColumns };

/** Reads the sessions with a thought in the period, most recently active first. */
async function readSessions(
  { ask, shelf }: SessionSource,
  since: number,
  project: string | undefined,
): Promise<{ found: Found[]; isComplete: boolean; hasMore?: true }> {
  const found: Found[] = [];
  let budget = thoughtBudget;
  for (let offset = 0; offset < mostSessions; ) {
    const listed = await ask("session.list", { project: project ?? "*", limit: wire.sessionsPage, offset });
    const { sessions, hasMore } = listed as { sessions: Session[]; hasMore: boolean };
    for (const session of sessions) {
      if (Date.parse(session.updatedAt) < since) return { found, isComplete: true };
      if (!shelf.has(session.id)) budget -= session.thoughtCount;
      if (budget < 0) return { found, isComplete: false, hasMore: true };
      const columns = await shelf.take(session.id);
      if (placesSince(columns, since).length > 0) found.push({ session, columns });
    }
    if (!hasMore || sessions.length === 0) return { found, isComplete: true };
    offset += sessions.length;
  }
  return { found, isComplete: false, hasMore: true };
}

/** A line whose text is read only when it is shown. Checking all text for secrets would take too long. */
type Unread = Omit<NewsLine, "text"> & { read(): string };
type UnreadDeadEnd = Unread & { position: number; reason?: Unread };

const withText = ({ read, ...line }: Unread): NewsLine => ({ ...line, text: read() });

type Period = { since: number; now: number; mask: Mask };

function gather(found: readonly Found[], memory: MemoryNews, { since, now, mask }: Period) {
  const concluded: Unread[] = [];
  const givenUp: UnreadDeadEnd[] = [];
  const contradicted: { old: Unread; by: Unread }[] = [];
  const unanswered: Unread[] = [];
  for (const { session, columns } of found) {
    const news = newsOf(columns, { since, now, hasEnded: session.status === "completed" });
    const sessionTitle = mask(session.title);
    const line = ({ time, position: _, ...told }: Told): Unread => ({
      ...told,
      sessionId: session.id,
      sessionTitle,
      project: session.project,
      at: new Date(time).toISOString(),
    });
    concluded.push(...news.concluded.map(line));
    for (const { idea, reason } of news.givenUp)
      givenUp.push({ ...line(idea), position: idea.position, ...(reason && { reason: line(reason) }) });
    unanswered.push(...news.unanswered.map(line));
    contradicted.push(...news.contradicted.map(({ old, by }) => ({ old: line(old), by: line(by) })));
  }
  const newest = (a: { at: string }, b: { at: string }) => Date.parse(b.at) - Date.parse(a.at);
  return {
    concluded: concluded.sort(newest),
    givenUp: givenUp.sort((a, b) => newest(a.reason ?? a, b.reason ?? b)),
    contradicted: contradicted.sort((a, b) => newest(a.by, b.by)),
    unanswered: unanswered.sort(newest),
    tasks: memory.tasks.sort(newest),
    conflicts: memory.conflicts.sort(newest),
  };
}

/** Columns keep little text, so the text of an idea is read from the store. */
async function readDeadEnds(
  { ledger, mask }: HomeSource,
  placed: readonly UnreadDeadEnd[],
): Promise<DeadEnd[]> {
  const deadEnds: DeadEnd[] = [];
  for (const { position, reason, ...idea } of placed) {
    const deadEnd: DeadEnd = { ...withText(idea), ...(reason && { reason: withText(reason) }) };
    deadEnds.push(deadEnd);
    if (deadEnd.text !== "") continue;
    const [entry] = (await ledger.readStride(deadEnd.sessionId, position - 1, 1)).entries;
    if (entry?.position !== position) continue;
    deadEnd.text = clip(mask(entry.data.thought), longestLine);
    if (entry.data.agentId !== undefined) deadEnd.agent = entry.data.agentId;
  }
  return deadEnds;
}

function countProjects(sessions: readonly Session[]): HomeAnswer["projects"] {
  const counts = new Map<string, number>();
  for (const { project } of sessions) counts.set(project, (counts.get(project) ?? 0) + 1);
  return [...counts]
    .map(([project, count]) => ({ project, sessions: count }))
    .sort((a, b) => b.sessions - a.sessions);
}

/** Types that have taller marks on the page. Sampling always keeps them. */
const tallTypes = "CRX";

function toLane(
  { session, columns }: Found,
  since: number,
  mask: Mask,
  signs: ReadonlyMap<string, Signs>,
): Lane {
  const recent = placesSince(columns, since);
  const every = Math.ceil(recent.length / ticksPerLane);
  const shown = recent.filter(({ type }, at) => at % every === 0 || tallTypes.includes(type));
  const story = toStory(columns);
  const branches = shown.flatMap(({ chain }, at) => {
    const { id } = columns.chain(chain);
    return id === undefined ? [] : [[at, id] as const];
  });
  return {
    session: { ...toWireSession(session, mask), ...signOf(session, signs, mask), ...(story && { story }) },
    thoughts: recent.length,
    times: shown.map(({ time }) => time),
    types: shown.map(({ type }) => type).join(""),
    numbers: shown.map(({ thoughtNumber }) => thoughtNumber),
    branches: Object.fromEntries(branches),
  };
}

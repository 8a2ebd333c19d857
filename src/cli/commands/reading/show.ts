import { count } from "../../../kernel/numbers.ts";
import type { Steps } from "../../../kernel/steps.ts";
import { sessionGet } from "../../../operations/ledger/session/session.ts";
import { readActions } from "../../../operations/ledger/thought/read-actions.ts";
import { whySession } from "../../../operations/memory/why/why-session.ts";
import { maxAnswerChars } from "../../../operations/pipeline/fit/budget.ts";
import type { ResultOf } from "../../../operations/pipeline/operation.ts";
import { ask, withStore } from "../../ask.ts";
import type { Command } from "../../command.ts";
import type { Host } from "../../host.ts";
import { nameSession } from "../../name-session.ts";
import type { RenderContext } from "../../rendering/render-context.ts";
import { keyOf, readThoughts, renderThoughtGraph, type ShownThought } from "../../rendering/thought-graph.ts";
import { cut, wrap, wrapFacts } from "../../rendering/width.ts";
import { formatAge, oneLine } from "../../rendering/words.ts";

type Found = ResultOf<typeof sessionGet>;
type Done = ResultOf<typeof readActions>;

const shownActions = 500;

export const show: Command = {
  name: "show",
  aliases: ["log"],
  group: "Look",
  summary: "Draw a session: its thoughts, branches and revisions.",
  words: ["<session>"],
  details: [
    "Pass a session's ID, its first characters (at least four), or `latest`.",
    "● a thought   ○ a revised thought   ✗ a rejected thought, → rejected by",
    "◆ a revision, ↺ revised thought   ✗ rejects   ⊖ contradicts   ⊕ supports   ← rests on",
    "★ starred by a person   “…” a person's comment",
    "± 12/20: 12 of the 20 lines of code written after this thought still exist in this repository",
    "Each thought is shortened to one line. thoughtbox read shows thoughts in full.",
  ],
  examples: [
    { line: "thoughtbox show latest", shows: "the newest session" },
    { line: "thoughtbox show latest --json", shows: "every thought, as JSON" },
  ],

  async run({ terminal, words: [word = ""] }) {
    return withStore(terminal, async (host) => {
      const sessionId = await nameSession(host, word);
      const found = await ask(host, sessionGet, { sessionId });
      const done = await ask(host, readActions, { sessionId, limit: shownActions });
      const written = done.actions.some(({ type }) => type === "edit");
      const read = withRemarks(await readThoughts(host, sessionId, terminal.stop), found.remarks);
      const thoughts = written ? await markLines(host, sessionId, read, terminal.stop) : read;
      const data = { ...found, thoughts, ...(done.actions.length > 0 && { actions: done.actions }) };
      return { data, lines: (context) => renderSession(found, thoughts, done, context) };
    });
  },
};

function withRemarks(thoughts: ShownThought[], remarks: Found["remarks"] = []): ShownThought[] {
  if (remarks.length === 0) return thoughts;
  const byThought = new Map(remarks.map((one) => [keyOf(one), one]));
  return thoughts.map((thought) => {
    const found = byThought.get(keyOf(thought));
    return found
      ? { ...thought, remarks: { starredAt: found.starredAt, comments: found.comments } }
      : thought;
  });
}

/**
 * Adds to each thought how many lines of code written after it still exist in the current repository. Outside
 * a repository, adds nothing.
 */
async function markLines(
  host: Host,
  sessionId: string,
  thoughts: readonly ShownThought[],
  signal: AbortSignal,
): Promise<ShownThought[]> {
  const standing = await ask(host, whySession, { sessionId, max_chars: maxAnswerChars }, { signal });
  const lines = new Map(
    standing.thoughts.map((thought) => [keyOf(thought), { written: thought.written, exist: thought.exist }]),
  );
  return thoughts.map((thought) => {
    const found = lines.get(keyOf(thought));
    return found ? { ...thought, lines: found } : thought;
  });
}

function* renderSession(
  { session }: Found,
  thoughts: readonly ShownThought[],
  done: Done,
  context: RenderContext,
): Steps<string[]> {
  const graph = yield* renderThoughtGraph(thoughts, context);
  return [
    ...renderSessionHead(session, yield* countChanges(thoughts), context),
    "",
    ...(graph.length === 0 ? [context.paint.dim("No thoughts yet.")] : graph),
    ...renderActions(done, context),
  ];
}

/** How many of the latest actions to list, to leave room for the thoughts. --json contains more. */
const listedActions = 12;

function renderActions({ actions, nextAfter }: Done, { paint, width }: RenderContext): string[] {
  if (actions.length === 0) return [];
  const of = (type: string) => actions.filter((action) => action.type === type).length;
  const files = actions.reduce((sum, { paths = [] }) => sum + paths.length, 0);
  const figures = [
    ...(files > 0 ? [`${count(files, "file")} read`] : []),
    ...(of("edit") > 0 ? [count(of("edit"), "edit")] : []),
    ...(of("command") > 0 ? [count(of("command"), "command")] : []),
    ...(of("refusal") > 0 ? [count(of("refusal"), "refusal")] : []),
    ...(of("record") > 0 ? [count(of("record"), "recorded thought")] : []),
  ].join(", ");
  // Leaves out reads. People look for changes and commands first. In a session that was imported again, the
  // reads are stored last and would fill the list.
  const listed = actions.filter(({ type }) => type !== "read");
  const latest = listed.slice(-listedActions);
  const marks = {
    edit: "±",
    command: "$",
    refusal: "✗",
    record: "●",
    fork: "⑂",
    notice: "!",
    commit: "◆",
    read: "○",
  } as const;
  return [
    "",
    paint.bold(`Actions: ${figures}${nextAfter === undefined ? "" : ", and more"}`),
    ...(latest.length < listed.length ? [paint.dim(`  … ${listed.length - latest.length} earlier`)] : []),
    ...latest.map(({ type, summary, failed, recorded }) => {
      const said = recorded?.thought === undefined ? summary : `${summary}: ${recorded.thought}`;
      const line = `  ${marks[type]} ${cut(oneLine(said), width - 4)}`;
      return failed || type === "refusal" ? paint.red(line) : line;
    }),
  ];
}

function* countChanges(thoughts: readonly ShownThought[]): Steps<{ revisions: number; rejected: number }> {
  let [revisions, rejected] = [0, 0];
  for (const { isRevision, links = [], rejected: isRejected } of thoughts) {
    if (isRevision || links.some(({ relation }) => relation === "revises")) revisions += 1;
    if (isRejected) rejected += 1;
    yield;
  }
  return { revisions, rejected };
}

type ShownSession = {
  id: string;
  title: string;
  description?: string | undefined;
  tags: string[];
  project: string;
  status: string;
  thoughtCount: number;
  branchCount: number;
  updatedAt: string;
};

/** Renders the title, figures and ID at the start of every page about one session. */
function renderSessionHead(
  session: ShownSession,
  { revisions, rejected }: { revisions: number; rejected: number },
  context: RenderContext,
): string[] {
  const { paint, width, now } = context;
  const facts = [
    session.status,
    count(session.thoughtCount, "thought"),
    ...(session.branchCount > 0 ? [count(session.branchCount, "branch")] : []),
    ...(revisions > 0 ? [count(revisions, "revision")] : []),
    ...(rejected > 0 ? [`${rejected} rejected`] : []),
    ...(session.project === "_default" ? [] : [session.project]),
    ...session.tags.map((tag) => `#${oneLine(tag)}`),
    formatAge(session.updatedAt, now),
  ];
  return [
    ...wrap(oneLine(session.title), width).map(paint.bold),
    ...wrapFacts(facts, width).map(paint.dim),
    paint.cyan(session.id),
  ];
}

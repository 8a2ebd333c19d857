import { quote, shellWord } from "../../../kernel/text.ts";
import { why as whyOperation } from "../../../operations/memory/why/why.ts";
import { marksOf, toMarkdown } from "../../../operations/memory/why/why-markdown.ts";
import type { ResultOf } from "../../../operations/pipeline/operation.ts";
import { ask, withStore } from "../../ask.ts";
import type { Command, Flags } from "../../command.ts";
import { CommandFailure, notUnderstood } from "../../failure.ts";
import { nameSession } from "../../name-session.ts";
import { showNotice } from "../../rendering/progress.ts";
import { proseWidth, type RenderContext } from "../../rendering/render-context.ts";
import { indented, renderHint } from "../../rendering/statement.ts";
import { cut, textWidth, wrap } from "../../rendering/width.ts";
import { formatAge, formatAgo, oneLine, shortId } from "../../rendering/words.ts";

type Found = ResultOf<typeof whyOperation>;
type Answer = Found["answers"][number];

/** The maximum length of an answer. People can skim, so it is longer than for a model. */
const maxChars = 20_000;

export const why: Command = {
  name: "why",
  group: "Look",
  summary: "Show why a line of code exists: who wrote it, what was asked and the reason.",
  words: ["[place]"],
  options: {
    diff: { value: "range", describe: "Explain the lines in these commits, such as main...HEAD." },
    format: {
      value: "format",
      choices: ["text", "markdown"],
      describe: "Use markdown for a pull request comment.",
    },
  },
  details: [
    "A place is a line (src/pool.ts:41), a range (src/pool.ts:30-60), a file, a commit, a thought (bccf5170:2, latest:1), or a decision (DEC-…).",
    "Import sessions from transcripts first: thoughtbox import --from claude-code, or --from codex.",
    "sure: the text matches an edit made between the previous commit and this one.",
    "likely: the text matches an older or nearby edit.",
    "by-commit: one session wrote nearly all other lines that the commit added to the file.",
  ],
  examples: [
    { line: "thoughtbox why src/pool.ts:2", shows: "the reason for one line" },
    { line: "thoughtbox why src/pool.ts:1-3 --json", shows: "the reasons for a range, as JSON" },
    { line: "thoughtbox why --diff HEAD~1...HEAD --format markdown", shows: "a comment for a pull request" },
  ],

  async run({ terminal, words: [place], flags }) {
    const read = readPlace(place, flags);
    return withStore(terminal, async (host) => {
      const asked =
        "session" in read ? { id: `${await nameSession(host, read.session)}:${read.node}` } : read;
      // The first question about a long file can take seconds.
      const done = showNotice(terminal, "reading the git history …");
      const found = await ask(
        host,
        whyOperation,
        { ...asked, max_chars: maxChars },
        { signal: terminal.stop },
      )
        .catch((thrown) => {
          throw toLineFailure(thrown, asked) ?? thrown;
        })
        .finally(done);
      const isMarkdown = flags.text("format") === "markdown";
      return {
        data: found,
        lines: (context) => (isMarkdown ? toMarkdown(found.answers, found) : render(found, context)),
        // Wrapping would add line breaks, which a person would copy into the pull request.
        ...(isMarkdown && { isDocument: true as const }),
      };
    });
  },
};

/** Matches a thought, such as `cafe:2`. For line 2 of a file with that name, the user types `./cafe:2`. */
const thoughtId = /^(latest|[0-9a-f]{4}[0-9a-f-]{0,32}):((?:[a-z0-9-]+:)?\d{1,7})$/i;
const decisionId = /^DEC-[0-9a-f]{10}$/;
const lineOf = /^(.+):([1-9]\d{0,6})(?:-([1-9]\d{0,6}))?$/;
const strayLine = /^(.+):([^:/\\]*)$/;
const commitId = /^(?:[0-9a-f]{7,64}|HEAD(?:[~^]\d*)*)$/;
/**
 * Matches a range of commits such as `main...HEAD`. File names contain only single dots, so they do not
 * match.
 */
const commitRange = /^\w[\w/@^~{}+-]*\.{2,3}[\w/@^~{}+-]*$/;

type Place =
  | { session: string; node: string }
  | { file: string; line?: number; to?: number }
  | { commit: string }
  | { id: string };

function readPlace(place: string | undefined, flags: Flags): Place {
  const diff = flags.text("diff");
  if (diff !== undefined && place === undefined)
    return { commit: diff.includes("..") ? diff : `${diff}...HEAD` };
  if (place === undefined || diff !== undefined)
    throw notUnderstood("Pass a place, such as src/pool.ts:41, or a range of commits with --diff.");
  const [, session, node] = thoughtId.exec(place) ?? [];
  if (session !== undefined && node !== undefined) return { session, node };
  if (decisionId.test(place)) return { id: place };
  if (/^(?::[\d-]*)?$/.test(place))
    throw notUnderstood(
      `${quote(place)} contains no file name.`,
      `Write the file before the line: thoughtbox why src/pool.ts${place}`,
    );
  const [, file, line, to] = lineOf.exec(place) ?? [];
  if (file !== undefined) return { file, line: Number(line), ...(to !== undefined && { to: Number(to) }) };
  return commitId.test(place) || commitRange.test(place) ? { commit: place } : { file: place };
}

/**
 * A file name may contain a colon, so the part after the colon is a bad line number only if no file has that
 * name.
 */
function toLineFailure(thrown: unknown, asked: object): CommandFailure | undefined {
  if (!(thrown instanceof CommandFailure) || thrown.code !== "UNKNOWN_ID" || "line" in asked)
    return undefined;
  const [, file, line] = ("file" in asked && strayLine.exec(String(asked.file))) || [];
  if (file === undefined || line === undefined) return undefined;
  return notUnderstood(
    `${quote(line, 60)} is not a line number.`,
    `Write a line or a range: thoughtbox why ${shellWord(`${file}:2`)}, or ${shellWord(`${file}:1-3`)}`,
  );
}

const guessed =
  "No edit contains the line. This session wrote nearly all other lines that the commit added to this file.";
const nobody = "No imported session wrote these lines.";
const importFirst = "thoughtbox import --from claude-code --only .";

function render({ answers, pinned = [], more, note }: Found, context: RenderContext): string[] {
  const { paint } = context;
  const blocks = answers.flatMap((answer, index) => [
    ...(index > 0 ? [""] : []),
    ...renderAnswer(answer, context),
  ]);
  const isUnknown = blocks.length > 0 && note === undefined && answers.every(({ by }) => !by);
  return [
    ...(blocks.length === 0 ? [paint.dim("There are no lines to explain.")] : blocks),
    ...(isUnknown ? renderHint(`  ${importFirst}`, context) : []),
    ...(more === undefined ? [] : ["", paint.dim(`… and ${more} more.`)]),
    ...(pinned.length === 0 ? [] : ["", ...pinned.flatMap((card) => renderCard(card, context))]),
    ...(note === undefined
      ? []
      : ["", ...wrap(oneLine(note), Math.min(context.width, proseWidth)).map((row) => paint.dim(row))]),
  ];
}

/** Renders a decision or another card that names the file or the commit. */
function renderCard(card: NonNullable<Found["pinned"]>[number], { paint, width }: RenderContext): string[] {
  const { id, title } = card;
  const mark = marksOf(card);
  const room = width - textWidth(id) - 3;
  const beside = room - textWidth(mark) - 3;
  const isBeside = beside >= Math.min(narrowestTitle, textWidth(title));
  const shown = cut(oneLine(title), mark !== "" && isBeside ? beside : room);
  const head = `  ${paint.cyan(id)} ${shown}`;
  if (mark === "") return [head];
  return isBeside ? [`${head} · ${paint.yellow(mark)}`] : [head, `    ${paint.yellow(mark)}`];
}

/** The least width for the title, in columns. If less is left, the mark is on its own line. */
const narrowestTitle = 16;

function renderAnswer(answer: Answer, context: RenderContext): string[] {
  const { paint, now, width } = context;
  const {
    file,
    lines,
    commit,
    by,
    asked,
    proposal,
    earlier,
    because,
    context: more,
    given_up = [],
    since = [],
  } = answer;
  const place = `${paint.bold(`${oneLine(file)}:${lines}`)}`;
  const inCommit = commit ? renderCommit(commit, context) : [`  ${paint.dim("not committed yet")}`];
  const message = part("message", commit?.message, context);
  if (!by) return [place, ...inCommit, ...indented(nobody, context).map(paint.dim), ...message];
  const how = by.how === "sure" ? paint.green(by.how) : paint.yellow(by.how);
  const writer = `written by ${oneLine(by.agent)} ${formatAgo(by.at, now)}: `;
  const session = `session ${shortId(by.sessionId)}${by.title === undefined ? "" : ` “${oneLine(by.title)}”`}`;
  const room = Math.max(0, width - 2 - textWidth(writer) - by.how.length);
  // If the line has no room for the session's ID, the session gets its own line, because a truncated ID is
  // useless.
  const isOneLine = room >= shortestSession;
  return [
    place,
    ...inCommit,
    ...(isOneLine
      ? [`  ${writer}${how}${paint.dim(cut(` · ${session}`, room))}`]
      : [`  ${writer}${how}`, paint.dim(`  ${cut(session, width - 2)}`)]),
    ...(by.how === "by-commit" ? indented(guessed, context).map(paint.dim) : []),
    ...part("asked", asked?.text, context),
    ...part("agreed to", proposal?.text, context),
    ...part("earlier", earlier?.text, context),
    ...part("because", because?.text, context),
    ...part("before", more?.text, context),
    ...message,
    ...given_up.flatMap(({ what }) => part("given up", what, context)),
    ...since.flatMap(({ at, what }) => part("since", `${what}, ${formatAgo(at, now)}`, context)),
    ...(by.thought === undefined ? [] : renderHint(`  thoughtbox show ${shortId(by.sessionId)}`, context)),
  ];
}

function renderCommit(commit: NonNullable<Answer["commit"]>, { paint, now, width }: RenderContext): string[] {
  const who = `(${cut(oneLine(commit.author), 24)}, ${formatAge(commit.at, now)})`;
  const rows = wrap(
    `${oneLine(commit.subject)} ${who}`,
    Math.min(width, proseWidth) - 2 - commit.sha.length - 1,
  );
  const indent = " ".repeat(commit.sha.length + 3);
  return rows.map((row, index) => (index === 0 ? `  ${paint.yellow(commit.sha)} ${row}` : `${indent}${row}`));
}

/** The width of ` · session ` and a short ID with an ellipsis, in columns. */
const shortestSession = 21;

const labelWidth = 10;

function part(label: string, text: string | undefined, { paint, width }: RenderContext): string[] {
  if (text === undefined) return [];
  const indent = " ".repeat(labelWidth + 2);
  return wrap(oneLine(text), Math.min(width, proseWidth) - indent.length).map((line, index) =>
    index === 0 ? `  ${paint.cyan(label.padEnd(labelWidth))}${line}` : `${indent}${line}`,
  );
}

import { why as whyOperation } from "../../../operations/memory/why/why.ts";
import { toMarkdown } from "../../../operations/memory/why/why-markdown.ts";
import type { ResultOf } from "../../../operations/pipeline/operation.ts";
import { ask, withStore } from "../../ask.ts";
import type { Command, Flags } from "../../command.ts";
import { notUnderstood } from "../../failure.ts";
import { proseWidth, type RenderContext } from "../../rendering/render-context.ts";
import { wrap } from "../../rendering/width.ts";
import { formatAge, oneLine, shortId } from "../../rendering/words.ts";

type Found = ResultOf<typeof whyOperation>;
type Answer = Found["answers"][number];

/** People see more at once than a model should have to read. */
const maxChars = 20_000;

export const why: Command = {
  name: "why",
  group: "Look",
  summary: "Show why a line of code exists: who wrote it, what was asked and the reason.",
  words: ["[place]"],
  options: {
    diff: { value: "range", describe: "Explain the lines of these commits, such as main...HEAD." },
    format: { value: "format", choices: ["text", "markdown"], describe: "markdown is for a pull request." },
  },
  details: [
    "A place is a line (src/pool.ts:41), a range (src/pool.ts:30-60), a file, a commit, or a thought (session:number).",
    "Sessions come from transcripts: thoughtbox import --from claude-code, or --from codex.",
    "sure: the edit was made while the commit was.   likely: the text fits.   by-commit: the rest of the commit fits.",
  ],
  examples: [
    { line: "thoughtbox why src/pool.ts:2", shows: "the reason for one line" },
    { line: "thoughtbox why src/pool.ts:1-3 --json", shows: "the reasons for a range, for a program" },
    { line: "thoughtbox why --diff HEAD~1...HEAD --format markdown", shows: "a comment for a pull request" },
  ],

  async run({ terminal, words: [place], flags }) {
    const asked = readPlace(place, flags);
    return withStore(terminal, async (host) => {
      const found = await ask(
        host,
        whyOperation,
        { ...asked, max_chars: maxChars },
        { signal: terminal.stop },
      );
      const isMarkdown = flags.text("format") === "markdown";
      return {
        data: found,
        lines: (context) => (isMarkdown ? toMarkdown(found.answers, found.more) : render(found, context)),
      };
    });
  },
};

const thoughtId = /^[0-9a-f]{8}-[0-9a-f-]{27}:(?:[a-z0-9-]+:)?\d+$/;
const lineOf = /^(.+):(\d{1,8})(?:-(\d{1,8}))?$/;
const commitId = /^(?:[0-9a-f]{7,64}|HEAD(?:[~^]\d*)*)$/;

function readPlace(place: string | undefined, flags: Flags): Record<string, unknown> {
  const diff = flags.text("diff");
  if ((place === undefined) === (diff === undefined))
    throw notUnderstood("Name a place, such as src/pool.ts:41, or a range of commits with --diff.");
  if (diff !== undefined) return { commit: diff.includes("..") ? diff : `${diff}...HEAD` };
  if (place === undefined) return {};
  if (thoughtId.test(place)) return { id: place };
  const [, file, line, to] = lineOf.exec(place) ?? [];
  if (file !== undefined) return { file, line: Number(line), ...(to !== undefined && { to: Number(to) }) };
  return commitId.test(place) ? { commit: place } : { file: place };
}

const nobody = "No transcript at hand wrote these lines.";

function render({ answers, more, note }: Found, context: RenderContext): string[] {
  const { paint } = context;
  const blocks = answers.flatMap((answer, index) => [
    ...(index > 0 ? [""] : []),
    ...renderAnswer(answer, context),
  ]);
  return [
    ...(blocks.length === 0 ? [paint.dim("No line here was written by a session at hand.")] : blocks),
    ...(more === undefined ? [] : ["", paint.dim(`… and ${more} more.`)]),
    ...(note === undefined ? [] : ["", paint.dim(oneLine(note))]),
  ];
}

function renderAnswer(answer: Answer, context: RenderContext): string[] {
  const { paint, now } = context;
  const {
    file,
    lines,
    commit,
    by,
    asked,
    because,
    given_up = [],
    since = [],
    other_candidates: others,
  } = answer;
  const place = `${paint.bold(`${oneLine(file)}:${lines}`)}`;
  const inCommit = commit
    ? `${paint.yellow(commit.sha)} ${oneLine(commit.subject)} ${paint.dim(`(${oneLine(commit.author)}, ${formatAge(commit.at, now)})`)}`
    : paint.dim("not committed yet");
  if (!by) return [place, `  ${inCommit}`, `  ${paint.dim(nobody)}`];
  const how = by.how === "sure" ? paint.green(by.how) : paint.yellow(by.how);
  const writer = `${oneLine(by.agent)}, ${formatAge(by.at, now)} ago, ${how}`;
  return [
    place,
    `  ${inCommit}`,
    `  ${writer} ${paint.dim(`· session ${shortId(by.sessionId)}${by.title === undefined ? "" : ` “${oneLine(by.title)}”`}`)}`,
    ...part("asked", asked?.text, context),
    ...part("because", because?.text, context),
    ...given_up.flatMap(({ what }) => part("given up", what, context)),
    ...since.flatMap(({ at, what }) => part("since", `${what}, ${formatAge(at, now)} ago`, context)),
    ...(others === undefined ? [] : [paint.dim(`  ${others} other edits could have written it.`)]),
    ...(by.thought === undefined ? [] : [paint.dim(`  thoughtbox show ${shortId(by.sessionId)}`)]),
  ];
}

const labelWidth = 10;

function part(label: string, text: string | undefined, { paint, width }: RenderContext): string[] {
  if (text === undefined) return [];
  const indent = " ".repeat(labelWidth + 2);
  return wrap(oneLine(text), Math.min(width, proseWidth) - indent.length).map((line, index) =>
    index === 0 ? `  ${paint.cyan(label.padEnd(labelWidth))}${line}` : `${indent}${line}`,
  );
}

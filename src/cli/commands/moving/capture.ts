import { count } from "../../../kernel/numbers.ts";
import type { CapturedFile, CapturePage, CaptureState, ForgetReport } from "../../../ports/capture.ts";
import { flushFiles, withStore } from "../../ask.ts";
import type { Answer, Command } from "../../command.ts";
import { CommandFailure, notUnderstood } from "../../failure.ts";
import type { Host, Terminal } from "../../host.ts";
import { createProgressBar } from "../../rendering/progress.ts";
import { proseWidth, type RenderContext } from "../../rendering/render-context.ts";
import { indented, renderStatement, repeatPlace } from "../../rendering/statement.ts";
import { foldHint } from "../../rendering/width.ts";
import { formatAge, formatBytes, oneLine } from "../../rendering/words.ts";
import { confirm } from "../../screen.ts";

const verbs = ["status", "pause", "resume", "forget"] as const;
type Verb = (typeof verbs)[number];

const shownFiles = 12;

export const capture: Command = {
  name: "capture",
  group: "Move",
  summary: "Record agents' sessions from the transcripts that their programs write.",
  words: ["[verb]", "[project]"],
  options: {
    once: { describe: "Read what is new in all transcripts, then exit." },
    yes: { describe: "With forget: erase without asking." },
  },
  details: [
    "Thoughtbox reads nothing until you agree. Run thoughtbox connect, or set THOUGHTBOX_CAPTURE=on.",
    "thoughtbox serve follows transcripts automatically. pause stops capture in every process within a second. resume continues it.",
    "forget permanently erases a project's captured sessions and never captures its directories again.",
    "An empty .thoughtboxignore excludes its directory. One with patterns excludes the matching files.",
  ],
  examples: [
    { line: "thoughtbox capture status", shows: "whether capture is on, and what was read" },
    {
      line: "THOUGHTBOX_CAPTURE=on thoughtbox capture --once",
      shows: "read what is new, for cron or a hook",
    },
    { line: "thoughtbox capture pause", shows: "stop for a while" },
  ],

  async run({ terminal, flags, words: [word, project] }) {
    if (flags.has("once") && word !== undefined) throw notUnderstood("--once takes no subcommand.");
    const verb = word ?? "status";
    if (!isVerb(verb))
      throw notUnderstood(
        `capture has no subcommand "${verb.slice(0, 40)}". Choose one of ${verbs.join(", ")}.`,
      );
    if (verb === "forget") return forget(terminal, project, flags.has("yes"));
    if (project !== undefined) throw notUnderstood(`capture ${verb} takes no other arguments.`);
    return withStore(terminal, (host) => (flags.has("once") ? catchUp(terminal, host) : act(host, verb)));
  },
};

const isVerb = (word: string): word is Verb => (verbs as readonly string[]).includes(word);

async function forget(terminal: Terminal, project: string | undefined, isSure: boolean): Promise<Answer> {
  if (project === undefined) throw notUnderstood("capture forget needs the name of a project.");
  const question = `Erase all captured sessions from project ${project} permanently? [y/N] `;
  if (!isSure && !(terminal.inputIsTerminal && (await confirm(terminal, question))))
    throw new CommandFailure("Nothing was erased.", { exitCode: 1, next: "--yes erases without asking." });
  return withStore(terminal, async (host) => {
    const report = await host.capture.forget(project);
    return { data: report, lines: (context) => renderForgotten(report, context) };
  });
}

function renderForgotten(report: ForgetReport, context: RenderContext): string[] {
  const { project, sessions, excluded, copies } = report;
  if (sessions === 0 && excluded.length === 0)
    return renderStatement(
      "look",
      `Project ${oneLine(project)} has no captured sessions, so nothing was erased. thoughtbox ls --tag transcript lists captured sessions and their projects.`,
      context,
    );
  return [
    ...renderStatement(
      "good",
      `Erased ${count(sessions, "captured session")} from project ${project}.`,
      context,
    ),
    ...excluded.flatMap((directory) => indented(`No longer captured: ${directory}`, context)),
    ...copies.flatMap((path) => indented(`Still contains erased sessions: ${path}`, context)),
    ...indented("Backups, dumps and exports that you keep elsewhere are not erased.", context),
  ];
}

async function act({ capture }: Host, verb: Verb): Promise<Answer> {
  if (verb === "pause") capture.pause();
  if (verb === "resume") capture.resume();
  const state = capture.state();
  const page = await capture.list(shownFiles);
  return { data: { state, ...page }, lines: (context) => renderStatus(state, page, context) };
}

const states: Readonly<Record<CaptureState, readonly string[]>> = {
  on: ["Capture is on."],
  off: ["Capture is off.", "Turn it on with: thoughtbox connect --capture=yes"],
  paused: ["Capture is paused.", "Continue with: thoughtbox capture resume"],
  unasked: [
    "Capture is off, because you have not agreed to it yet.",
    "Turn it on with: thoughtbox connect --capture=yes",
  ],
};

function renderState(state: CaptureState, context: RenderContext): string[] {
  const mark = state === "on" ? "good" : "bad";
  const lines = states[state].map((line) => repeatPlace(line, context.place));
  const whole = lines.join(" ");
  if (whole.length + 2 <= Math.min(context.width, proseWidth)) return renderStatement(mark, whole, context);
  const [says = "", ...next] = lines;
  return [
    ...renderStatement(mark, says, context),
    ...next.flatMap((line) => foldHint(`  ${line}`, context.width)),
  ];
}

function renderStatus(state: CaptureState, { files, total }: CapturePage, context: RenderContext): string[] {
  const { paint } = context;
  if (files.length === 0) return [...renderState(state, context), "  No transcripts have been read yet."];
  return [
    ...renderState(state, context),
    "",
    paint.bold(`${count(total, "transcript")}, newest first`),
    ...files.flatMap((file) => indented(describeFile(file, context), context)),
  ];
}

function describeFile(
  { path, cwd, project, sessionId, bytes, at, problem }: CapturedFile,
  { now }: RenderContext,
): string {
  const where = project === undefined ? oneLine(cwd ?? path) : `${project}, ${oneLine(cwd ?? path)}`;
  const session = sessionId === undefined ? "" : `, session ${sessionId.slice(0, 8)}`;
  const said = `${where}: ${formatBytes(bytes)}, ${formatAge(at, now)}${session}`;
  return problem === undefined ? said : `${said}. ${oneLine(problem)}`;
}

async function catchUp(terminal: Terminal, host: Host): Promise<Answer> {
  const state = host.capture.state();
  if (state !== "on") throw new CommandFailure(states[state].join(" "), { exitCode: 1 });
  const bar = createProgressBar(terminal, "reading transcripts");
  const report = await host.capture
    .catchUp({ signal: terminal.stop, onProgress: (done, total) => bar.update(done, total) })
    .finally(() => bar.end());
  const filesPending = await flushFiles(terminal, host);
  const { files, bytes, thoughts, problems } = report;
  const said =
    thoughts === 0
      ? "Nothing new."
      : `Read ${count(files, "transcript")} (${formatBytes(bytes)}): ${count(thoughts, "new thought")}.`;
  return {
    data: { ...report, filesPending },
    lines: (context) => [
      ...renderStatement("good", said, context),
      ...(problems > 0
        ? indented(
            `${count(problems, "transcript")} could not be read. See thoughtbox capture status.`,
            context,
          )
        : []),
    ],
  };
}

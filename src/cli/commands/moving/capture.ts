import { count, figure } from "../../../kernel/numbers.ts";
import type { CapturedFile, CapturePage, CaptureState } from "../../../ports/capture.ts";
import { withStore } from "../../ask.ts";
import type { Answer, Command } from "../../command.ts";
import { CommandFailure, notUnderstood } from "../../failure.ts";
import { flushFiles } from "../../flush-files.ts";
import type { Host, Terminal } from "../../host.ts";
import { createProgressBar } from "../../rendering/progress.ts";
import type { RenderContext } from "../../rendering/render-context.ts";
import { indented, renderStatement } from "../../rendering/statement.ts";
import { formatAge, formatBytes, oneLine } from "../../rendering/words.ts";

const verbs = ["status", "pause", "resume"] as const;
type Verb = (typeof verbs)[number];

const shownFiles = 12;

export const capture: Command = {
  name: "capture",
  group: "Move",
  summary: "Record agents' sessions from the transcripts that their programs write.",
  words: ["[verb]"],
  options: {
    once: { describe: "Read what is new in all transcripts now, then end." },
  },
  details: [
    "Nothing is read until you say yes: thoughtbox connect asks, THOUGHTBOX_CAPTURE=on answers.",
    "thoughtbox serve follows transcripts by itself. pause stops every process within a second, resume continues.",
    "An empty .thoughtboxignore keeps a directory out, one with patterns the files that they name.",
  ],
  examples: [
    { line: "thoughtbox capture status", shows: "whether it is on, and what was read" },
    {
      line: "THOUGHTBOX_CAPTURE=on thoughtbox capture --once",
      shows: "read what is new, for cron or a hook",
    },
    { line: "thoughtbox capture pause", shows: "stop for a while" },
  ],

  async run({ terminal, flags, words: [word] }) {
    if (flags.has("once") && word !== undefined) throw notUnderstood("--once goes without a word.");
    const verb = word ?? "status";
    if (!isVerb(verb))
      throw notUnderstood(`capture does not know "${verb.slice(0, 40)}"; it knows ${verbs.join(", ")}.`);
    return withStore(terminal, (host) => (flags.has("once") ? catchUp(terminal, host) : act(host, verb)));
  },
};

const isVerb = (word: string): word is Verb => (verbs as readonly string[]).includes(word);

async function act({ capture }: Host, verb: Verb): Promise<Answer> {
  if (verb === "pause") capture.pause();
  if (verb === "resume") capture.resume();
  const state = capture.state();
  const page = await capture.list(shownFiles);
  return { data: { state, ...page }, lines: (context) => renderStatus(state, page, context) };
}

const states: Readonly<Record<CaptureState, string>> = {
  on: "Capture is on.",
  off: "Capture is off. Turn it on with: thoughtbox connect",
  paused: "Capture is paused. Continue with: thoughtbox capture resume",
  unasked: "Capture is off, because nobody said yes. Turn it on with: thoughtbox connect",
};

function renderStatus(state: CaptureState, { files, total }: CapturePage, context: RenderContext): string[] {
  const { paint } = context;
  if (files.length === 0)
    return [
      ...renderStatement(state === "on" ? "good" : "bad", states[state], context),
      "  No transcript was read yet.",
    ];
  return [
    ...renderStatement(state === "on" ? "good" : "bad", states[state], context),
    "",
    paint.bold(`${count(total, "transcript")}, the latest first`),
    ...files.flatMap((file) => indented(describeFile(file, context), context)),
  ];
}

function describeFile(
  { path, cwd, project, bytes, at, problem }: CapturedFile,
  { now }: RenderContext,
): string {
  const where = project === undefined ? oneLine(cwd ?? path) : `${project}, ${oneLine(cwd ?? path)}`;
  const said = `${where}: ${formatBytes(bytes)}, ${formatAge(at, now)}`;
  return problem === undefined ? said : `${said}. ${oneLine(problem)}`;
}

async function catchUp(terminal: Terminal, host: Host): Promise<Answer> {
  const state = host.capture.state();
  if (state !== "on") throw new CommandFailure(states[state], { exitCode: 1 });
  const bar = createProgressBar(terminal, "reading transcripts");
  const report = await host.capture
    .catchUp({ signal: terminal.stop, onProgress: (done, total) => bar.update(done, total) })
    .finally(() => bar.end());
  const filesPending = await flushFiles(terminal, host);
  const { files, bytes, thoughts, problems } = report;
  const said =
    files === 0
      ? "Nothing is new."
      : `Read ${count(files, "transcript")} (${formatBytes(bytes)}): ${count(thoughts, "new thought")}.`;
  return {
    data: { ...report, filesPending },
    lines: (context) => [
      ...renderStatement("good", said, context),
      ...(problems > 0
        ? indented(`${figure(problems)} could not be read. See thoughtbox capture status.`, context)
        : []),
    ],
  };
}

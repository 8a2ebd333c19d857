import { resolve } from "node:path";
import { clientTitles, type transcriptClients } from "../kernel/client-names.ts";
import { count, figure } from "../kernel/numbers.ts";
import { sessionUpdate } from "../operations/ledger/session/session.ts";
import {
  type FoundTranscripts,
  findTranscripts,
} from "../operations/memory/transcripts/finding/find-transcripts.ts";
import { transcriptsImport } from "../operations/memory/transcripts/transcripts-import.ts";
import { ask, flushFiles, withStore } from "./ask.ts";
import type { Answer, Flags } from "./command.ts";
import { CommandFailure, notUnderstood } from "./failure.ts";
import type { Host, Terminal } from "./host.ts";
import { readAgo } from "./operation-options.ts";
import { createProgressBar } from "./rendering/progress.ts";
import type { RenderContext } from "./rendering/render-context.ts";
import { indented, renderHint, renderShortList, renderStatement } from "./rendering/statement.ts";
import { formatBytes } from "./rendering/words.ts";

type Program = (typeof transcriptClients)[number];

type TranscriptReport = {
  program: Program;
  directory: string;
  /** The filters that were given. Empty if all transcripts were imported. */
  filters: ("since" | "only")[];
  into: string | undefined;
  dryRun: boolean;
  transcripts: number;
  bytes: number;
  imported: number;
  continued: number;
  unchanged: number;
  /** How many existing sessions moved to the project in `--into`. */
  moved: number;
  /** How many transcripts yielded no thoughts. */
  empty: number;
  thoughts: number;
  branches: number;
  observations: number;
  corrections: number;
  /** Skipped lines, by kind. */
  skipped: Record<string, number>;
  /** Transcripts that are too long for a session, or that became shorter while they were read. */
  cut: string[];
  refused: { path: string; reason: string }[];
  /** How many changes are not in the JSON files yet. */
  filesPending: number;
};

function renderTranscriptReport(report: TranscriptReport, context: RenderContext): string[] {
  const { refused, cut, skipped } = report;
  if (report.transcripts === 0) {
    const filters = report.filters.map((option) => `--${option}`).join(" and ");
    const which = filters === "" ? "" : ` that match ${filters}`;
    const said = `No transcripts from ${clientTitles[report.program]}${which} were found in ${report.directory}.`;
    return indented(said, context, 0);
  }
  const outcome = [
    ...(report.imported > 0 ? [`${figure(report.imported)} new`] : []),
    ...(report.continued > 0 ? [`${figure(report.continued)} continued`] : []),
    ...(report.unchanged > 0 ? [`${figure(report.unchanged)} already there`] : []),
    ...(report.moved > 0
      ? [`${figure(report.moved)} ${report.dryRun ? "to move" : "moved"} to ${report.into}`]
      : []),
    ...(report.empty > 0 ? [`${figure(report.empty)} without thoughts`] : []),
    ...(refused.length > 0 ? [`${figure(refused.length)} refused`] : []),
  ].join(", ");
  const read = `${count(report.transcripts, "transcript")} from ${clientTitles[report.program]} (${formatBytes(report.bytes)})`;
  const kinds = Object.entries(skipped).sort(([, a], [, b]) => b - a);
  const lines = kinds.reduce((sum, [, number]) => sum + number, 0);
  return [
    ...renderStatement(refused.length > 0 ? "bad" : "good", `${read}: ${outcome}.`, context),
    ...(report.dryRun ? indented("Nothing was stored.", context) : []),
    ...(report.thoughts > 0 ? indented(describeThoughts(report), context) : []),
    ...(lines > 0
      ? indented(
          `Skipped ${count(lines, "line")}: ${kinds.map(([kind, number]) => `${kind} ${figure(number)}`).join(", ")}.`,
          context,
        ).map(context.paint.dim)
      : []),
    ...(report.filesPending > 0
      ? indented(
          "Everything is stored. The next command or server on this machine writes the JSON files.",
          context,
        )
      : []),
    ...section(
      "Refused",
      refused.map(({ path, reason }) => `${path}: ${reason}`),
    ),
    ...section(
      "Imported only in part: too long for a session, or truncated while Thoughtbox was reading it",
      cut,
    ),
    ...(report.thoughts > 0 && !report.dryRun && !context.quiet
      ? ["", ...renderHint("List the sessions: thoughtbox ls --tag transcript", context)]
      : []),
  ];

  function section(title: string, items: readonly string[]): string[] {
    return items.length === 0 ? [] : ["", context.paint.bold(title), ...renderShortList(items, context)];
  }
}

function describeThoughts(report: TranscriptReport): string {
  const { thoughts, branches, observations, corrections, dryRun } = report;
  const among = [
    ...(branches > 0 ? [count(branches, "branch")] : []),
    ...(observations > 0 ? [count(observations, "failed command")] : []),
    ...(corrections > 0 ? [count(corrections, "correction")] : []),
  ];
  return `${count(thoughts, "thought")} ${dryRun ? "to add" : "added"}${among.length > 0 ? `, with ${among.join(", ")}` : ""}.`;
}

/** Imports all transcripts of a program, each in its own transaction. Existing sessions are kept. */
export async function importTranscripts(terminal: Terminal, program: Program, flags: Flags): Promise<Answer> {
  const since = readSince(flags.text("since"), terminal.now());
  const wanted = { format: program, since, project: readPlace(flags.text("only"), terminal) };
  const into = flags.text("into");
  const dryRun = flags.has("dry-run");
  const filters = (["since", "only"] as const).filter((option) => flags.has(option));
  const report = await withStore(
    terminal,
    async (host) => {
      const context = { clock: terminal.now, signal: terminal.stop };
      const found = await findTranscripts(host.transcripts, wanted, context);
      const report = emptyReport(
        { program, directory: found.directory, filters, into, dryRun },
        found.files.length,
      );
      await importAll(terminal, host, found, report);
      if (!dryRun) report.filesPending = await flushFiles(terminal, host);
      return report;
    },
    into === undefined ? {} : { THOUGHTBOX_PROJECT: into },
  );
  return {
    data: report,
    lines: (context) => renderTranscriptReport(report, context),
    failed: report.refused.length > 0,
  };
}

async function importAll(
  terminal: Terminal,
  host: Host,
  { directory, files }: FoundTranscripts,
  report: TranscriptReport,
): Promise<void> {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const [unit, size] = total < 1_000_000 ? ["KB", 1_000] : ["MB", 1_000_000];
  const bar = createProgressBar(terminal, `${report.dryRun ? "reading" : "importing"} transcripts, ${unit}`);
  let done = 0;
  const show = (now: number) =>
    bar.update(Math.round((done + now) / size), Math.max(1, Math.round(total / size)));
  try {
    for (const { path, bytes } of files) {
      terminal.stop.throwIfAborted();
      show(0);
      await importOne(path);
      done += bytes;
      report.bytes = done;
    }
  } finally {
    bar.end();
  }

  async function importOne(path: string): Promise<void> {
    const args = { ref: { path }, root_dir: directory, dry_run: report.dryRun };
    const asked = ask(host, transcriptsImport, args, { signal: terminal.stop, onProgress: show });
    const result = await asked.catch((thrown) => {
      if (!(thrown instanceof CommandFailure) || terminal.stop.aborted) throw thrown;
      report.refused.push({ path, reason: thrown.message });
    });
    if (!result) return;
    const { outcome, sessionId, session } = result;
    const wasThere = outcome === "unchanged" || outcome === "continued";
    const isElsewhere = wasThere && report.into !== undefined && session.project !== report.into;
    if (isElsewhere && !report.dryRun) await ask(host, sessionUpdate, { sessionId, project: report.into });
    report[isElsewhere && outcome === "unchanged" ? "moved" : outcome] += 1;
    for (const figure of ["branches", "observations", "corrections"] as const)
      if (result.outcome === "imported") report[figure] += result[figure];
    report.thoughts += result.added;
    if (!result.complete) report.cut.push(path);
    for (const [kind, lines] of Object.entries(result.skipped ?? {}))
      report.skipped[kind] = (report.skipped[kind] ?? 0) + lines;
  }
}

type Asked = Pick<TranscriptReport, "program" | "directory" | "filters" | "into" | "dryRun">;

const emptyReport = (asked: Asked, transcripts: number): TranscriptReport => ({
  ...asked,
  transcripts,
  bytes: 0,
  imported: 0,
  continued: 0,
  unchanged: 0,
  moved: 0,
  empty: 0,
  thoughts: 0,
  branches: 0,
  observations: 0,
  corrections: 0,
  skipped: {},
  cut: [],
  refused: [],
  filesPending: 0,
});

/** Resolves paths that start with `.` against the current directory. Returns other text unchanged. */
function readPlace(typed: string | undefined, { directory }: Terminal): string | undefined {
  return typed !== undefined && /^\.\.?(?:[\\/]|$)/.test(typed) ? resolve(directory, typed) : typed;
}

/** Parses a date, a time or an age: `2026-01-31`, `7d`, `12h`. */
function readSince(typed: string | undefined, now: Date): Date | undefined {
  if (typed === undefined) return undefined;
  const time = readAgo(typed, now) ?? new Date(typed);
  if (Number.isNaN(time.getTime()))
    throw notUnderstood(
      `--since is "${typed.slice(0, 40)}". It must be a day such as 2026-01-31, or a time ago such as 7d, 12h or 2w.`,
    );
  return time;
}

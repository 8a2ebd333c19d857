import { count, figure } from "../../../kernel/numbers.ts";
import type { RenderContext } from "../render-context.ts";
import { renderShortList } from "../short-list.ts";
import { indented, renderStatement } from "../statement.ts";
import { formatBytes } from "../words.ts";

export type TranscriptReport = {
  program: "claude-code" | "codex";
  directory: string;
  /** By what some of the transcripts were asked for; empty for all. */
  filters: ("since" | "only")[];
  /** Nothing was stored. */
  dryRun: boolean;
  transcripts: number;
  bytes: number;
  imported: number;
  continued: number;
  unchanged: number;
  /** Nothing in them became a thought. */
  empty: number;
  thoughts: number;
  branches: number;
  observations: number;
  corrections: number;
  /** Lines that were passed over, by kind. */
  skipped: Record<string, number>;
  /** Transcripts that hold more than one session takes in, or got shorter while they were read. */
  cut: string[];
  refused: { path: string; reason: string }[];
  /** Changes that the JSON files do not show yet. */
  filesPending: number;
};

export const programNames = { "claude-code": "Claude Code", codex: "Codex" } as const;

export function renderTranscriptReport(report: TranscriptReport, context: RenderContext): string[] {
  const { refused, cut, skipped } = report;
  if (report.transcripts === 0) {
    const filters = report.filters.map((option) => `--${option}`).join(" and ");
    const which = filters === "" ? "" : ` that fits ${filters}`;
    const said = `No transcript of ${programNames[report.program]}${which} was found in ${report.directory}.`;
    return indented(said, context, 0);
  }
  const outcome = [
    ...(report.imported > 0 ? [`${figure(report.imported)} new`] : []),
    ...(report.continued > 0 ? [`${figure(report.continued)} continued`] : []),
    ...(report.unchanged > 0 ? [`${figure(report.unchanged)} already there`] : []),
    ...(report.empty > 0 ? [`${figure(report.empty)} without thoughts`] : []),
    ...(refused.length > 0 ? [`${figure(refused.length)} refused`] : []),
  ].join(", ");
  const read = `${count(report.transcripts, "transcript")} of ${programNames[report.program]} (${formatBytes(report.bytes)})`;
  const kinds = Object.entries(skipped).sort(([, a], [, b]) => b - a);
  const lines = kinds.reduce((sum, [, number]) => sum + number, 0);
  return [
    ...renderStatement(refused.length > 0 ? "bad" : "good", `${read}: ${outcome}.`, context),
    ...(report.dryRun ? indented("Nothing was stored.", context) : []),
    ...(report.thoughts > 0 ? indented(describeThoughts(report), context) : []),
    ...(lines > 0
      ? indented(
          `Passed over ${count(lines, "line")}: ${kinds.map(([kind, number]) => `${kind} ${figure(number)}`).join(", ")}.`,
          context,
        ).map(context.paint.dim)
      : []),
    ...(report.filesPending > 0
      ? indented(
          "All is stored; its JSON files follow by themselves, by this machine's next command or server.",
          context,
        )
      : []),
    ...section(
      "Refused",
      refused.map(({ path, reason }) => `${path}: ${reason}`),
    ),
    ...section("Not taken in to the end: longer than a session may be, or cut while it was read", cut),
    ...(report.thoughts > 0 && !report.dryRun
      ? ["", `See them: ${context.paint.cyan("thoughtbox ls --tag transcript")}`]
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

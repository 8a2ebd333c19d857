import type { RenderContext } from "../render-context.ts";
import { renderShortList } from "../short-list.ts";
import { indented, renderStatement } from "../statement.ts";
import { count, figure, formatBytes } from "../words.ts";

export type TranscriptReport = {
  program: "claude-code" | "codex";
  directory: string;
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
  /** Lines that became nothing, by kind. */
  skipped: Record<string, number>;
  /** Transcripts that hold more than one session takes in, or got shorter while they were read. */
  cut: string[];
  refused: { path: string; reason: string }[];
};

const names = { "claude-code": "Claude Code", codex: "Codex" } as const;

export function renderTranscriptReport(report: TranscriptReport, context: RenderContext): string[] {
  const { refused, cut, skipped } = report;
  if (report.transcripts === 0)
    return [`No such transcripts of ${names[report.program]} were found in ${report.directory}.`];
  const outcome = [
    ...(report.imported > 0 ? [`${figure(report.imported)} new`] : []),
    ...(report.continued > 0 ? [`${figure(report.continued)} continued`] : []),
    ...(report.unchanged > 0 ? [`${figure(report.unchanged)} already there`] : []),
    ...(report.empty > 0 ? [`${figure(report.empty)} without thoughts`] : []),
    ...(refused.length > 0 ? [`${figure(refused.length)} refused`] : []),
  ].join(", ");
  const read = `${count(report.transcripts, "transcript")} of ${names[report.program]} (${formatBytes(report.bytes)})`;
  const kinds = Object.entries(skipped).sort(([, a], [, b]) => b - a);
  const lines = kinds.reduce((sum, [, number]) => sum + number, 0);
  return [
    ...renderStatement(refused.length > 0 ? "bad" : "good", `${read}: ${outcome}.`, context),
    ...(report.thoughts > 0 ? indented(describeThoughts(report), context) : []),
    ...(lines > 0
      ? indented(
          `${count(lines, "line")} became nothing: ${kinds.map(([kind, number]) => `${kind} ${figure(number)}`).join(", ")}.`,
          context,
        ).map(context.paint.dim)
      : []),
    ...section(
      "Refused",
      refused.map(({ path, reason }) => `${path}: ${reason}`),
    ),
    ...section("Not taken in to the end: longer than a session may be, or cut while it was read", cut),
    ...(report.thoughts > 0 ? ["", `See them: ${context.paint.cyan("thoughtbox ls --tag transcript")}`] : []),
  ];

  function section(title: string, items: readonly string[]): string[] {
    return items.length === 0 ? [] : ["", context.paint.bold(title), ...renderShortList(items, context)];
  }
}

function describeThoughts({ thoughts, branches, observations, corrections }: TranscriptReport): string {
  const among = [
    ...(branches > 0 ? [count(branches, "branch")] : []),
    ...(observations > 0 ? [count(observations, "failed command")] : []),
    ...(corrections > 0 ? [count(corrections, "correction")] : []),
  ];
  return `${count(thoughts, "thought")} added${among.length > 0 ? `, with ${among.join(", ")}` : ""}.`;
}

import { count, figure } from "../../../kernel/numbers.ts";
import { describeImportRefusal } from "../../../operations/pipeline/recoveries/ledger.ts";
import type { ImportReport } from "../../../ports/ledger-import.ts";
import type { NotebookReport } from "../../../ports/notebook/notebook-archive.ts";
import type { RenderContext } from "../render-context.ts";
import { type Mark, renderShortList, renderStatement } from "../statement.ts";

export type ShownReport = Pick<
  ImportReport,
  "sessions" | "imported" | "continued" | "unchanged" | "thoughts" | "refused" | "warnings"
> & {
  /** Files or lines that could not be used. */
  passedOver: readonly { path: string; problem: string }[];
  /** How many skipped files or lines `passedOver` leaves out. */
  morePassedOver?: number;
};

/** Renders the report for every command that imports sessions. */
export function renderImportReport(report: ShownReport, context: RenderContext): string[] {
  const { imported, continued, unchanged, refused, passedOver, warnings } = report;
  const outcome = [
    ...(imported > 0 ? [`${figure(imported)} new`] : []),
    ...(continued > 0 ? [`${figure(continued)} continued`] : []),
    ...(unchanged > 0 ? [`${figure(unchanged)} already there`] : []),
    ...(refused.length > 0 ? [`${figure(refused.length)} refused`] : []),
  ].join(", ");
  const summary = `${count(report.sessions, "session")}: ${outcome}. ${count(report.thoughts, "thought")} added.`;
  return [
    ...(report.sessions === 0
      ? ["No sessions were found there."]
      : renderStatement(judge(report), summary, context)),
    ...section(
      "Refused: the store has different contents under these IDs",
      refused.map(({ path, refusal }) => `${path}: ${describeImportRefusal(refusal)}`),
    ),
    ...section(
      "Skipped",
      passedOver.map(({ path, problem }) => `${path} ${problem}`),
      report.morePassedOver,
    ),
    ...section(
      "Worth knowing",
      warnings.map(({ path, message }) => `${path}: ${message}`),
    ),
  ];

  function section(title: string, items: readonly string[], notKept = 0): string[] {
    return items.length === 0
      ? []
      : ["", context.paint.bold(title), ...renderShortList(items, context, notKept)];
  }
}

function judge({ refused, passedOver }: ShownReport): Mark {
  if (refused.length > 0) return "bad";
  return passedOver.length > 0 ? "look" : "good";
}

/** Renders the result for imported notebooks. Returns no lines if there were none. */
export function renderNotebookReport(
  { added, kept, refused }: NotebookReport,
  context: RenderContext,
): string[] {
  const total = added + kept + refused.length;
  if (total === 0) return [];
  const outcome = [
    ...(added > 0 ? [`${figure(added)} new`] : []),
    ...(kept > 0 ? [`${figure(kept)} already there`] : []),
    ...(refused.length > 0 ? [`${figure(refused.length)} refused`] : []),
  ].join(", ");
  const mark = refused.length > 0 ? "bad" : "good";
  return [
    ...renderStatement(mark, `${count(total, "notebook")}: ${outcome}.`, context),
    ...(refused.length > 0
      ? [
          "",
          context.paint.bold("Refused: these notebooks were not changed"),
          ...renderShortList(
            refused.map(({ notebookId, reason }) => `${notebookId}: ${reason}`),
            context,
          ),
        ]
      : []),
  ];
}

import { count, figure } from "../../../kernel/numbers.ts";
import type { RestoreReport } from "../../../ports/ledger-dump.ts";
import type { WorkspaceOutcome } from "../../../ports/memory/memory-dump.ts";
import type { RenderContext } from "../render-context.ts";
import { renderShortList } from "../short-list.ts";
import { renderStatement } from "../statement.ts";
import { renderImportReport } from "./import-report.ts";
import { renderNotebookReport } from "./notebook-report.ts";

/** Sessions first, as after any import; then knowledge and memory, where there was some. */
export function renderRestore(report: RestoreReport, context: RenderContext): string[] {
  const { sessions, notes, keptNotes, notebooks, workspaces, badLines, moreBadLines } = report;
  const passedOver = badLines.map(({ line, problem }) => ({ path: `line ${line}`, problem }));
  const onlyMemory = sessions === 0 && workspaces.length > 0;
  return [
    ...(onlyMemory
      ? []
      : renderImportReport({ ...report, passedOver, morePassedOver: moreBadLines }, context)),
    ...(notes + keptNotes > 0 ? [`  ${count(notes, "note")} added, ${keptNotes} already there.`] : []),
    ...renderNotebookReport(notebooks, context),
    ...renderWorkspaces(workspaces, context),
    ...(onlyMemory && passedOver.length > 0
      ? section(
          "Passed over",
          passedOver.map(({ path, problem }) => `${path} ${problem}`),
          context,
          moreBadLines,
        )
      : []),
  ];
}

function renderWorkspaces(workspaces: readonly WorkspaceOutcome[], context: RenderContext): string[] {
  if (workspaces.length === 0) return [];
  const restored = workspaces.flatMap((one) => (one.outcome === "restored" ? [one] : []));
  const refused = workspaces.flatMap((one) => (one.outcome === "refused" ? [one] : []));
  const unchanged = workspaces.length - restored.length - refused.length;
  const sum = (amount: "entries" | "versions") => restored.reduce((all, one) => all + one[amount], 0);
  const outcome = [
    ...(restored.length > 0 ? [`${figure(restored.length)} new`] : []),
    ...(unchanged > 0 ? [`${figure(unchanged)} already there`] : []),
    ...(refused.length > 0 ? [`${figure(refused.length)} refused`] : []),
  ].join(", ");
  const added = `${count(sum("entries"), "entry")} and ${count(sum("versions"), "graph version")} added.`;
  return [
    ...renderStatement(
      refused.length > 0 ? "bad" : "good",
      `${count(workspaces.length, "workspace")}: ${outcome}. ${added}`,
      context,
    ),
    ...(refused.length > 0
      ? section(
          "Refused: nothing of these workspaces was changed",
          refused.map(({ workspace, reason }) => `${workspace}: ${reason}`),
          context,
        )
      : []),
  ];
}

function section(title: string, items: readonly string[], context: RenderContext, notKept = 0): string[] {
  return ["", context.paint.bold(title), ...renderShortList(items, context, notKept)];
}

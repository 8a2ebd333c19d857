import { count, figure } from "../../../kernel/numbers.ts";
import type { NotebookReport } from "../../../ports/notebook/notebook-archive.ts";
import type { RenderContext } from "../render-context.ts";
import { renderShortList } from "../short-list.ts";
import { renderStatement } from "../statement.ts";

/** What became of notebooks that were brought in; nothing where there were none. */
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
          context.paint.bold("Refused: nothing of these notebooks was changed"),
          ...renderShortList(
            refused.map(({ notebookId, reason }) => `${notebookId}: ${reason}`),
            context,
          ),
        ]
      : []),
  ];
}

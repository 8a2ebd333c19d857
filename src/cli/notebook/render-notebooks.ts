import { count } from "../../kernel/numbers.ts";
import type { notebookCreate } from "../../operations/ledger/notebook/notebook-create.ts";
import type { notebookList } from "../../operations/ledger/notebook/notebook-list.ts";
import type { ResultOf } from "../../operations/pipeline/operation.ts";
import type { RenderContext } from "../rendering/render-context.ts";
import { renderTable } from "../rendering/table.ts";
import { formatAge } from "../rendering/times.ts";
import { oneLine, shortId } from "../rendering/words.ts";

type Page = ResultOf<typeof notebookList>;

export function renderNotebooks({ notebooks, total }: Page, context: RenderContext): string[] {
  const { paint } = context;
  if (notebooks.length === 0)
    return ["No notebooks in this project.", paint.dim("Open one: thoughtbox notebook new 'My first'")];
  const left = total - notebooks.length;
  return [
    ...renderTable(
      context,
      [
        { title: "id", cell: ({ id }) => shortId(id), paint: paint.cyan },
        { title: "title", cell: ({ title }) => oneLine(title), flexible: 24 },
        { title: "cells", cell: ({ cellCount }) => String(cellCount), align: "right", expendable: 1 },
        { title: "language", cell: ({ language }) => language, paint: paint.dim, expendable: 2 },
        {
          title: "age",
          cell: ({ updatedAt }) => formatAge(new Date(updatedAt).toISOString(), context.now),
          align: "right",
        },
      ],
      notebooks,
    ),
    ...(left > 0 ? [paint.dim(`and ${count(left, "older notebook")}`)] : []),
  ];
}

type Notebook = ResultOf<typeof notebookCreate>["notebook"];

export function renderOpened({ id, title, cells }: Notebook, { paint }: RenderContext): string[] {
  const code = cells.flatMap(({ type, filename }) => (type === "code" && filename ? [filename] : []));
  return [
    `${paint.cyan(shortId(id))}  ${paint.bold(oneLine(title))}  ${paint.dim(count(cells.length, "cell"))}`,
    ...(code.length > 0 ? [`  ${code.join(", ")}`] : []),
    paint.dim(
      code.length > 0
        ? `Run it: thoughtbox notebook run ${shortId(id)}`
        : `Add code: thoughtbox call notebook.add_cell notebookId=${id} type=code content='1 + 1'`,
    ),
  ];
}

import type { NotebookInspection } from "../../../ports/notebook/notebook-archive.ts";
import type { Connection } from "../connection/open-database.ts";

const listed = 20;

/** Whether every notebook lists cells that are there and not deleted. */
export function inspectNotebooks({ sql }: Connection): NotebookInspection {
  const counts = sql(
    `SELECT count(*) FILTER (WHERE deleted_at IS NULL) AS notebooks,
       count(*) FILTER (WHERE deleted_at IS NOT NULL) AS trash FROM notebooks`,
  ).get();
  const unreadable = sql("SELECT id FROM notebooks WHERE NOT json_valid(cells) ORDER BY nid LIMIT ?").all(
    listed,
  );
  const lacking = sql(
    `SELECT notebook.id, count(*) AS cells FROM notebooks AS notebook, json_each(notebook.cells) AS listed
       LEFT JOIN notebook_cells AS cell ON cell.nid = notebook.nid
         AND cell.cell_id = listed.value ->> 0 AND cell.version = listed.value ->> 1
     WHERE json_valid(notebook.cells) AND cell.type IS NULL GROUP BY notebook.nid ORDER BY notebook.nid LIMIT ?`,
  ).all(listed);
  return {
    notebooks: Number(counts?.["notebooks"] ?? 0),
    inTrash: Number(counts?.["trash"] ?? 0),
    problems: [
      ...unreadable.map((row) => `the cells of notebook ${row["id"]} cannot be read`),
      ...lacking.map((row) => `notebook ${row["id"]} lacks ${row["cells"]} of its cells`),
    ],
  };
}

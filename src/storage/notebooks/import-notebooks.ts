import { statSync } from "node:fs";
import { join } from "node:path";
import { readPlainly } from "../../disk/read-plainly.ts";
import { adoptCells } from "../../domain/notebook/from-template.ts";
import { besideSchema } from "../../domain/notebook/record-schemas.ts";
import { decodeSrcMd } from "../../domain/notebook/src-md/decode.ts";
import type {
  NotebookArchive,
  NotebookReport,
  WholeNotebook,
} from "../../ports/notebook/notebook-archive.ts";
import { type FoundNotebook, findNotebooks } from "./find-notebooks.ts";
import { type Beside, besideSuffix, longestFile, textSuffix } from "./notebook-folder.ts";

type Options = { newId: () => string; signal?: AbortSignal | undefined };

/**
 * Brings notebooks in from a tree of files. Cells keep their ids, versions and outputs where the file beside the text
 * tells them; the older versions of a cell are in no file.
 */
export async function importNotebooks(
  archive: NotebookArchive,
  directory: string,
  { newId, signal }: Options,
): Promise<NotebookReport> {
  const report: NotebookReport = { added: 0, kept: 0, refused: [] };
  for (const found of findNotebooks(directory)) {
    signal?.throwIfAborted();
    try {
      const outcome = await archive.addWhole(readNotebook(found, newId));
      if (outcome === "refused")
        report.refused.push({
          notebookId: found.id,
          reason: "the store holds another notebook under this id",
        });
      else report[outcome] += 1;
    } catch (thrown) {
      if (!(thrown instanceof Error)) throw thrown;
      report.refused.push({ notebookId: found.id, reason: thrown.message });
    }
  }
  return report;
}

function readNotebook({ id, project, folder }: FoundNotebook, newId: () => string): WholeNotebook {
  const path = join(folder, id + textSuffix);
  const {
    language,
    tsconfig,
    cells: contents,
  } = decodeSrcMd(readPlainly(path, longestFile).toString("utf8"));
  const beside = readBeside(join(folder, id + besideSuffix), contents.length);
  const modified = statSync(path).mtime.toISOString();
  const { net = false, createdAt = modified, updatedAt = modified, deletedAt } = beside ?? {};
  const cells = adoptCells(contents, language, newId).map((cell, index) => ({
    ...cell,
    ...beside?.cells[index],
  }));
  const notebook = {
    ...{ id, project, language, net, createdAt, updatedAt },
    ...(tsconfig !== undefined && { tsconfig }),
    ...(deletedAt !== undefined && { deletedAt }),
    cells: cells.map(({ id: cellId, version }) => ({ id: cellId, version })),
  };
  const versions = cells.map(({ id: cellId, version, ...content }, position) => ({
    ...{ cellId, version, position, at: updatedAt, content },
  }));
  return { notebook, versions, runs: beside?.runs ?? [] };
}

/** `undefined` where the file is missing, damaged, or tells of another number of cells than the text has. */
function readBeside(path: string, cellCount: number): Beside | undefined {
  try {
    const beside = besideSchema.parse(JSON.parse(readPlainly(path, longestFile).toString("utf8")));
    return beside.cells.length === cellCount ? beside : undefined;
  } catch {
    return undefined;
  }
}

import { statSync } from "node:fs";
import { join } from "node:path";
import { readPlainly } from "../../disk/read-plainly.ts";
import { adoptCells } from "../../domain/notebook/from-template.ts";
import { notebookLimits } from "../../domain/notebook/limits.ts";
import { besideSchema } from "../../domain/notebook/record-schemas.ts";
import { decodeSrcMd } from "../../domain/notebook/src-md/decode.ts";
import { isHeavier } from "../../kernel/json/json-weight.ts";
import { parseJsonInSteps } from "../../kernel/json/parse-in-steps.ts";
import { runInTurns } from "../../kernel/steps.ts";
import type {
  NotebookArchive,
  NotebookReport,
  WholeNotebook,
} from "../../ports/notebook/notebook-archive.ts";
import { type FoundNotebook, findNotebooks } from "./find-notebooks.ts";
import { type Beside, besideSuffix, longestOutputs, longestText, textSuffix } from "./notebook-folder.ts";

const bytesACharacter = 3;
/** Cells, and what is known of every run of them. */
const mostValues = 500_000;

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
      const outcome = await archive.addWhole(await readNotebook(found, { newId, signal }));
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

async function readNotebook(
  { id, project, folder }: FoundNotebook,
  { newId, signal }: Options,
): Promise<WholeNotebook> {
  const path = join(folder, id + textSuffix);
  const text = readPlainly(path, bytesACharacter * longestText).toString("utf8");
  if (text.length > longestText) throw new TypeError("is too long");
  const { language, tsconfig, cells: contents } = decodeSrcMd(text);
  if (contents.length > notebookLimits.cells)
    throw new TypeError(`has more than ${notebookLimits.cells} cells`);
  const beside = await readBeside(join(folder, id + besideSuffix), contents.length, signal);
  const modified = statSync(path).mtime.toISOString();
  const { net = false, createdAt = modified, updatedAt = modified, deletedAt } = beside ?? {};
  const cells = adoptCells(contents, language, newId).map((cell, index) => ({
    ...cell,
    ...beside?.cells[index],
  }));
  const notebook = {
    id,
    project,
    language,
    net,
    createdAt,
    updatedAt,
    ...(tsconfig !== undefined && { tsconfig }),
    ...(deletedAt !== undefined && { deletedAt }),
    cells: cells.map(({ id: cellId, version }) => ({ id: cellId, version })),
  };
  const versions = cells.map(({ id: cellId, version, ...content }, position) => ({
    cellId,
    version,
    position,
    at: updatedAt,
    content,
  }));
  return { notebook, versions, runs: beside?.runs ?? [] };
}

/** `undefined` where the file is missing, damaged, or tells of another number of cells than the text has. */
async function readBeside(
  path: string,
  cellCount: number,
  signal: AbortSignal | undefined,
): Promise<Beside | undefined> {
  let text: string;
  try {
    text = readPlainly(path, longestOutputs).toString("utf8");
  } catch {
    return undefined;
  }
  const parsed = await runInTurns(parseJsonInSteps(text), signal);
  if (!parsed || isHeavier(parsed.value, { values: mostValues, characters: text.length })) return undefined;
  const beside = besideSchema.safeParse(parsed.value).data;
  return beside?.cells.length === cellCount ? beside : undefined;
}

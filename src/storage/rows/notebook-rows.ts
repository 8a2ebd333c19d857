import type { CellQueue } from "../../domain/notebook/cell-status.ts";
import { type CellVersion, versionOf } from "../../domain/notebook/change-cells.ts";
import { type Cell, type CellContent, filenameOf, textOf, titleOf } from "../../domain/notebook/notebook.ts";
import type { RunResult } from "../../ports/notebook/cell-runner.ts";
import type {
  CellRecord,
  NotebookRecord,
  RunRecord,
  WholeNotebook,
} from "../../ports/notebook/notebook-archive.ts";
import type {
  CellRun,
  DatedVersion,
  NotebookDraft,
  NotebookHead,
  StoredNotebook,
} from "../../ports/notebook/notebook-store.ts";
import { damagedRow, parseColumn, type Row, type SqlValue } from "./row.ts";

const encodeOrder = (cells: readonly Pick<Cell, "id" | "version">[]): string =>
  JSON.stringify(cells.map(({ id, version }) => [id, version]));

/** Returns the columns that change whenever the cells change. */
export const cellsColumns = (cells: readonly Cell[]) => ({
  cells: encodeOrder(cells),
  title: titleOf({ cells }),
});

const headColumns = (notebook: NotebookDraft | NotebookRecord) => ({
  id: notebook.id,
  project: notebook.project,
  language: notebook.language,
  tsconfig: notebook.tsconfig ?? null,
  net: notebook.net ? 1 : 0,
});

export const draftColumns = (draft: NotebookDraft) => ({
  ...headColumns(draft),
  ...cellsColumns(draft.cells),
  created_at: draft.at,
  updated_at: draft.at,
  deleted_at: null,
});

export const wholeColumns = (whole: WholeNotebook) => {
  const { cells, createdAt, updatedAt, deletedAt } = whole.notebook;
  return {
    ...headColumns(whole.notebook),
    cells: encodeOrder(cells),
    title: titleIn(whole),
    created_at: Date.parse(createdAt),
    updated_at: Date.parse(updatedAt),
    deleted_at: deletedAt === undefined ? null : Date.parse(deletedAt),
  };
};

export type NotebookColumns = ReturnType<typeof draftColumns | typeof wholeColumns>;

type Columns<Item> = { readonly [Column in string]: (item: Item) => SqlValue };

export type VersionRow = { nid: number; cellId: string; version: CellVersion; at: number };
export const versionColumns: Columns<VersionRow> = {
  nid: ({ nid }) => nid,
  cell_id: ({ cellId }) => cellId,
  version: ({ version }) => version.version,
  type: ({ version: { content } }) => content?.type ?? null,
  filename: ({ version: { content } }) => (content ? (filenameOf(content) ?? null) : null),
  text: ({ version: { content } }) => (content ? textOf(content) : null),
  position: ({ version }) => version.position,
  at: ({ at }) => at,
};

export const versionsOfDraft = (nid: number, { cells, at }: NotebookDraft): VersionRow[] =>
  cells.map((cell, position) => ({ nid, cellId: cell.id, at, version: versionOf(cell, position) }));

export const versionsOfWhole = (nid: number, { versions }: WholeNotebook): VersionRow[] =>
  versions.map(({ cellId, at, version, content, position }) => ({
    nid,
    cellId,
    at: Date.parse(at),
    version: { version, content, position },
  }));

export const runColumns: Columns<{ rid: number; nid: number; run: RunRecord }> = {
  rid: ({ rid }) => rid,
  nid: ({ nid }) => nid,
  cell_id: ({ run }) => run.cellId,
  version: ({ run }) => run.version,
  status: ({ run }) => run.status,
  result: ({ run }) => (run.result ? JSON.stringify(run.result) : null),
  started_at: ({ run }) => Date.parse(run.startedAt),
  expires_at: ({ run }) => Date.parse(run.endedAt),
  ended_at: ({ run }) => Date.parse(run.endedAt),
  is_evidence: ({ run }) => (run.isEvidence ? 1 : 0),
};

/** Decodes a notebook's row without the contents of the notebook. */
export function decodeNotebook(
  row: Row,
): Pick<StoredNotebook, "id" | "project" | "language" | "tsconfig" | "net"> {
  const tsconfig = row["tsconfig"];
  return {
    id: String(row["id"]),
    project: String(row["project"]),
    language: row["language"] === "javascript" ? "javascript" : "typescript",
    ...(typeof tsconfig === "string" && { tsconfig }),
    net: row["net"] === 1,
  };
}

export function decodeHead(row: Row): NotebookHead {
  const { id, language, net } = decodeNotebook(row);
  return {
    id,
    title: String(row["title"]),
    language,
    cellCount: Number(row["cell_count"]),
    net,
    createdAt: Number(row["created_at"]),
    updatedAt: Number(row["updated_at"]),
  };
}

export function decodeVersion(row: Row): DatedVersion {
  return {
    version: Number(row["version"]),
    content: decodeContent(row),
    position: Number(row["position"]),
    at: Number(row["at"]),
  };
}

export function decodeContent(row: Row): CellContent | undefined {
  const text = String(row["text"]);
  switch (row["type"]) {
    case "title":
    case "markdown":
      return { type: row["type"], text };
    case "package.json":
      return { type: "package.json", source: text };
    case "code":
      return { type: "code", filename: String(row["filename"]), source: text };
    default:
      return undefined;
  }
}

/** Decodes the listed cells, and when each was written. */
export function decodeCells(rows: readonly Row[]): Pick<StoredNotebook, "cells" | "changedAt"> {
  const cells = rows.map((row) => {
    const content = decodeContent(row);
    if (!content) throw damagedRow(new Error("a deleted cell is listed"));
    return { ...content, id: String(row["cell_id"]), version: Number(row["version"]) };
  });
  return { cells, changedAt: new Map(rows.map((row) => [String(row["cell_id"]), Number(row["at"])])) };
}

/**
 * Decodes a run. If a run is no longer renewed, its process has died, and no other process will end it, so it
 * is reported as failed.
 */
export function decodeRun(row: Row, now: number): CellRun {
  const expiresAt = Number(row["expires_at"]);
  const status = row["status"] === "running" && expiresAt < now ? "failed" : row["status"];
  return {
    version: Number(row["version"]),
    startedAt: Number(row["started_at"]),
    expiresAt,
    status: status === "completed" || status === "failed" ? status : "running",
    result: row["result"] === null ? undefined : parseColumn<RunResult>(row["result"]),
  };
}

export function decodeQueue(row: Row): CellQueue {
  return { cells: parseColumn<string[]>(row["cells"]), expiresAt: Number(row["expires_at"]) };
}

const toIso = (ms: unknown): string => new Date(Number(ms)).toISOString();

export function decodeRecord(row: Row): NotebookRecord {
  return {
    ...decodeNotebook(row),
    cells: parseColumn<[string, number][]>(row["cells"]).map(([id, version]) => ({ id, version })),
    createdAt: toIso(row["created_at"]),
    updatedAt: toIso(row["updated_at"]),
    ...(row["deleted_at"] !== null && { deletedAt: toIso(row["deleted_at"]) }),
  };
}

export function decodeCell(row: Row): CellRecord {
  const { version, position, content } = decodeVersion(row);
  return {
    cellId: String(row["cell_id"]),
    version,
    position,
    at: toIso(row["at"]),
    ...(content && { content }),
  };
}

export function decodeRunRecord(row: Row): RunRecord {
  return {
    cellId: String(row["cell_id"]),
    version: Number(row["version"]),
    status: row["status"] === "completed" ? "completed" : "failed",
    ...(row["result"] !== null && { result: parseColumn<Omit<RunResult, "status">>(row["result"]) }),
    startedAt: toIso(row["started_at"]),
    endedAt: toIso(row["ended_at"]),
    ...(row["is_evidence"] === 1 && { isEvidence: true }),
  };
}

function titleIn({ notebook, versions }: WholeNotebook): string {
  const contents = new Map(
    versions.map(({ cellId, version, content }) => [`${cellId} ${version}`, content] as const),
  );
  return titleOf({
    cells: notebook.cells.flatMap(({ id, version }) => contents.get(`${id} ${version}`) ?? []),
  });
}

/** True if a stored notebook has all versions of another. */
export function holdsAll(there: WholeNotebook, other: WholeNotebook): boolean {
  const known = new Set(there.versions.map((version) => JSON.stringify(version)));
  return (
    there.notebook.project === other.notebook.project &&
    other.versions.every((version) => known.has(JSON.stringify(version)))
  );
}

import { maskForExport } from "../../kernel/secrets/secrets-policy.ts";
import { clip, escapeInvisible } from "../../kernel/text.ts";

/** A thought's link to a cell: the cell's version, its run, and the session that determines the project. */
export type CellLink = {
  notebookId: string;
  cellId: string;
  version?: number | undefined;
  /** When the run began, in milliseconds since 1970. Omit for the latest run. */
  run?: number | undefined;
  sessionId?: string | undefined;
};

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const link = new RegExp(
  `thoughtbox://notebooks/(?<notebookId>${uuid})/cells/(?<cellId>${uuid})` +
    `(?:\\?version=(?<version>[1-9]\\d{0,6}))?(?:[?&]run=(?<run>[1-9]\\d{0,14}))?(?:[?&]sessionId=(?<sessionId>${uuid}))?`,
);

export function cellLink({ notebookId, cellId, version, run, sessionId }: CellLink): string {
  const query = [
    ...(version === undefined ? [] : [`version=${version}`]),
    ...(run === undefined ? [] : [`run=${run}`]),
    ...(sessionId === undefined ? [] : [`sessionId=${sessionId}`]),
  ].join("&");
  return `thoughtbox://notebooks/${notebookId}/cells/${cellId}${query === "" ? "" : `?${query}`}`;
}

/** Returns the first cell that a text links to. */
export function findCellLink(text: string): CellLink | undefined {
  const { notebookId = "", cellId = "", version, run, sessionId } = link.exec(text)?.groups ?? {};
  if (notebookId === "") return undefined;
  return {
    notebookId,
    cellId,
    ...(version !== undefined && { version: Number(version) }),
    ...(run !== undefined && { run: Number(run) }),
    ...(sessionId !== undefined && { sessionId }),
  };
}

/** A cell that a thought links to, and the run that was recorded. */
export type LinkedCell = {
  address: string;
  filename: string;
  version: number;
  source: string;
  run?: { facts: string; printed: readonly { title: string; text: string }[] } | undefined;
};

const longest = 20_000;

/** Renders the cells that thoughts link to, for readers without access to the notebooks. */
export function cellSection(cells: readonly LinkedCell[]): string {
  return ["## Notebook cells", ...cells.flatMap(renderCell), ""].join("\n");
}

function renderCell({ address, filename, version, source, run }: LinkedCell): string[] {
  const language = filename.endsWith(".json") ? "json" : filename.endsWith(".ts") ? "ts" : "js";
  return [
    ...["", `### \`${filename}\`, version ${version}`, "", `\`${address}\``, ""],
    ...fenced(source, language),
    ...(run ? ["", `${run.facts}.`] : ["", "The run of this cell was not kept."]),
    ...(run?.printed ?? []).flatMap(({ title, text }) => ["", `${title}:`, "", ...fenced(text, "text")]),
  ];
}

/** Encloses a text in a fence that is longer than any in the text, so the text cannot close it. */
function fenced(text: string, language: string): string[] {
  const shown = escapeInvisible(maskForExport(text.replaceAll("\r\n", "\n"))).trimEnd();
  const cut = shown.length > longest ? `${clip(shown, longest)}\n…` : shown;
  const ticks = Math.max(0, ...[...cut.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(Math.max(3, ticks + 1));
  return [fence + language, cut, fence];
}

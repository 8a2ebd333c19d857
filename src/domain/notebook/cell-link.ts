/** A cell as a thought refers to it: the version, its run, and the session that determines its project. */
export type CellLink = {
  notebookId: string;
  cellId: string;
  version?: number | undefined;
  /** When the run began, in milliseconds since 1970. Without it, the latest run. */
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

/** The first cell that a text links to. */
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

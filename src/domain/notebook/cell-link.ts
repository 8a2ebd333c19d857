/** A cell as a thought names it: which version, and by which session its project is found. */
export type CellLink = {
  notebookId: string;
  cellId: string;
  version?: number | undefined;
  sessionId?: string | undefined;
};

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const link = new RegExp(
  `thoughtbox://notebooks/(?<notebookId>${uuid})/cells/(?<cellId>${uuid})` +
    `(?:\\?version=(?<version>[1-9]\\d{0,6}))?(?:[?&]sessionId=(?<sessionId>${uuid}))?`,
);

export function cellLink({ notebookId, cellId, version, sessionId }: CellLink): string {
  const query = [
    ...(version === undefined ? [] : [`version=${version}`]),
    ...(sessionId === undefined ? [] : [`sessionId=${sessionId}`]),
  ].join("&");
  return `thoughtbox://notebooks/${notebookId}/cells/${cellId}${query === "" ? "" : `?${query}`}`;
}

/** The first cell that a text links to. */
export function findCellLink(text: string): CellLink | undefined {
  const { notebookId = "", cellId = "", version, sessionId } = link.exec(text)?.groups ?? {};
  if (notebookId === "") return undefined;
  return {
    ...{ notebookId, cellId },
    ...(version !== undefined && { version: Number(version) }),
    ...(sessionId !== undefined && { sessionId }),
  };
}

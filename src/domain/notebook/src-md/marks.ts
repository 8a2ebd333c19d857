/** Separates two markdown cells that would otherwise read as one. */
export const separator = "<!-- cell -->";

/** Opens a cell whose text stands verbatim until its end mark: what plain Markdown could not say. */
export const openingMark = /^<!-- cell:(\{.*\}) -->$/;

export const endMark = (end: number): string => `<!-- /cell:${end} -->`;
export const anyEndMark = /<!-- \/cell:(\d{1,6}) -->/g;

export const metadataLine = /^<!--\s*srcbook:(\{.*\})\s*-->$/;

const fencePattern = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;

/** The run of characters that opens a fenced block on this line. */
export function openingFence(line: string): string | undefined {
  return fencePattern.exec(line)?.[1];
}

export function closesFence(line: string, fence: string): boolean {
  const text = line.replace(/^ {0,3}/, "").trimEnd();
  return text.length >= fence.length && text === (fence[0] ?? "").repeat(text.length);
}

/** Two dashes would end the comment they stand in. JSON has them only inside strings. */
export function toCommentJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("--", "\\u002d\\u002d");
}

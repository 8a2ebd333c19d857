/** A Markdown file that begins with `key: value` lines between `---`. Values are JSON or plain words. */
export type FrontMatter = { head: Record<string, unknown>; body: string };

const fence = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?/;

export function parseFrontMatter(text: string): FrontMatter {
  const match = fence.exec(text);
  if (!match) return { head: {}, body: text };
  const lines = (match[1] ?? "").split(/\r?\n/);
  const head = Object.fromEntries(
    lines.flatMap((line) => {
      const pair = /^([A-Za-z][\w-]*):\s*(.*)$/.exec(line);
      return pair?.[1] === undefined ? [] : [[pair[1], parseValue(pair[2] ?? "")]];
    }),
  );
  return { head, body: text.slice(match[0].length) };
}

function parseValue(text: string): unknown {
  const value = text.trim();
  try {
    return JSON.parse(value);
  } catch {
    // Not JSON: plain words, or a list of plain words.
  }
  const list = /^\[(.*)\]$/.exec(value);
  if (!list) return value;
  return (list[1] ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter(Boolean);
}

/** Strings are written as JSON, so that titles can contain quotes, colons and line breaks. */
export function formatFrontMatter({ head, body }: FrontMatter): string {
  const lines = Object.entries(head).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}: ${JSON.stringify(value)}`],
  );
  return ["---", ...lines, "---", body].join("\n");
}

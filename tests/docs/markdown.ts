/** The Markdown parsing that the documentation tests need. */

type Block = { line: number; language: string; text: string; marked: boolean; served: boolean };

/** Returns fenced code in order. `marked`: a comment above asks to run it. `served`: it needs a server. */
function allBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  const lines = markdown.split("\n");
  let open: Block | undefined;
  for (const [index, line] of lines.entries()) {
    const fence = /^```(\S*)/.exec(line);
    if (open && line === "```") {
      blocks.push(open);
      open = undefined;
    } else if (open) open.text += `${line}\n`;
    else if (fence) {
      const mark = /^<!-- run( beside a server)? -->$/.exec(lines[index - 1]?.trim() ?? "");
      const [marked, served] = [mark !== null, mark?.[1] !== undefined];
      open = { line: index + 1, language: fence[1] ?? "", text: "", marked, served };
    }
  }
  return blocks;
}

export function fencedBlocks(markdown: string, language: string): Block[] {
  return allBlocks(markdown).filter((block) => block.language === language);
}

/** Returns the TypeScript blocks in a page, each with the `text` block after it as its expected output. */
export function programIn(
  markdown: string,
): { code: string; output: string; marked: boolean; line: number }[] {
  const blocks = allBlocks(markdown);
  return blocks.flatMap(({ language, text, marked, line }, index) => {
    if (language !== "ts") return [];
    const next = blocks[index + 1];
    return [{ code: text, output: next?.language === "text" ? next.text.trimEnd() : "", marked, line }];
  });
}

function withoutCode(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`\n]*`/g, "");
}

export function relativeLinks(markdown: string): string[] {
  return [...withoutCode(markdown).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^[a-z][a-z0-9+.-]*:/i.test(link));
}

/** Returns the anchors that code forges generate from headings. */
export function headingSlugs(markdown: string): string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, "");
  return [...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-"),
  );
}

/** Returns the `$ ` lines in the marked transcripts, each with the output shown below it. */
export function commandsIn(markdown: string): { command: string; output: string; served: boolean }[] {
  return fencedBlocks(markdown, "console")
    .filter(({ marked }) => marked)
    .flatMap(({ text, served }) =>
      text
        .split(/^\$ /m)
        .slice(1)
        .map((entry) => {
          const end = entry.indexOf("\n");
          return { command: entry.slice(0, end), output: entry.slice(end + 1).trimEnd(), served };
        }),
    );
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/**
 * Returns whether the real output has the same form as the shown output. Times and hashes may differ, and `…`
 * matches anything. An ID in the shown output matches any new ID in its place, which `ids` remembers.
 */
export function matchOutput(shown: string, real: string, ids: Map<string, string>): boolean {
  const known = new Set(ids.values());
  const arrived = (real.match(uuid) ?? []).filter((id) => !known.has(id));
  for (const id of shown.match(uuid) ?? []) {
    const next = arrived.find((candidate) => !known.has(candidate));
    if (ids.has(id) || next === undefined) continue;
    ids.set(id, next);
    ids.set(id.slice(0, 8), next.slice(0, 8));
    known.add(next);
  }
  const expected = [...ids].reduce((text, [one, other]) => text.replaceAll(one, other), shown);
  const pattern = settle(expected)
    .split("…")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("[\\s\\S]*?");
  return new RegExp(`^${pattern}$`).test(settle(real));
}

const settle = (text: string): string =>
  text
    .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, "<time>")
    .replace(/\b[0-9a-f]{64}\b/g, "<hash>")
    .replace(/"score": [\d.]+/g, '"score": <score>');

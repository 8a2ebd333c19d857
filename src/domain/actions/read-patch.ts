import { actionLimits, type Change, type EditLine, hashLine, splitText, toEditLine } from "./action.ts";
import { mapLines } from "./line-diff.ts";

/** Reads the lines of hunks. Each line begins with a space, `+` or `-`. */
export function readHunks(hunks: readonly (readonly string[])[]): Pick<Change, "lines" | "removed"> {
  const lines: EditLine[] = [];
  const removed: string[] = [];
  for (const hunk of hunks) {
    let begins = true;
    for (const line of hunk) {
      const [mark, text] = [line[0], line.slice(1)];
      if (mark === "-") {
        if (removed.length < actionLimits.lines) removed.push(hashLine(text));
      } else if (mark !== "\\" && lines.length < actionLimits.lines) {
        // Some programs drop the leading space on an empty context line.
        lines.push(toEditLine(text, mark === "+", begins));
        begins = false;
      }
    }
  }
  return { lines, removed };
}

/** Returns the hunks of a one-file diff, without the headers. */
export function readUnifiedDiff(diff: string): string[][] {
  const hunks: string[][] = [];
  for (const line of diff.split(/\r\n|\n/)) {
    if (line.startsWith("@@")) hunks.push([]);
    else if (/^[-+ \\]/.test(line)) hunks.at(-1)?.push(line);
  }
  return hunks;
}

/** Returns the lines that change if `now` replaces `old`. */
export function compareTexts(old: string, now: string): Pick<Change, "lines" | "removed"> {
  const [before, after] = [splitText(old), splitText(now)].map((text) => text.slice(0, actionLimits.lines));
  if (!before || !after) return { lines: [], removed: [] };
  const map = mapLines(before, after);
  const kept = new Set(map);
  return {
    lines: after.map((line, index) => toEditLine(line, map[index] === -1, index === 0)),
    removed: before.flatMap((line, index) => (kept.has(index) ? [] : [hashLine(line)])),
  };
}

type FileChange = Change & { change: "edit" | "create" | "delete" };

const begin = "*** Begin Patch";
const headings = {
  "*** Add File: ": "create",
  "*** Delete File: ": "delete",
  "*** Update File: ": "edit",
} as const;
const moveTo = "*** Move to: ";

/** Returns the changes in a Codex patch, or `[]` if the text contains no patch. */
export function readApplyPatch(text: string): FileChange[] {
  const start = text.indexOf(begin);
  if (start === -1) return [];
  const files: FileChange[] = [];
  let open: { change: FileChange["change"]; path: string; from?: string; hunks: string[][] } | undefined;
  for (const line of text.slice(start + begin.length).split(/\r\n|\n/)) {
    if (line.startsWith("*** End Patch") || files.length >= actionLimits.parts) break;
    const heading = headingOf(line);
    if (heading) {
      close();
      open = { ...heading, hunks: [[]] };
    } else if (line.startsWith(moveTo) && open)
      open = { ...open, from: open.path, path: line.slice(moveTo.length) };
    else if (line.startsWith("@@")) open?.hunks.push([]);
    else if (!line.startsWith("***")) open?.hunks.at(-1)?.push(line);
  }
  close();
  return files;

  function close(): void {
    if (!open) return;
    const { hunks, ...file } = open;
    files.push({ ...file, ...readHunks(hunks) });
    open = undefined;
  }
}

function headingOf(line: string): { change: FileChange["change"]; path: string } | undefined {
  for (const [mark, change] of Object.entries(headings))
    if (line.startsWith(mark)) return { change, path: line.slice(mark.length).trim() };
  return undefined;
}

const heredoc = /<<-?\s*(?:'([\w.-]{1,64})'|"([\w.-]{1,64})"|([\w.-]{1,64}))/;
const target = /(?:>>?\s*|\btee\s+(?:-a\s+)?)("[^"\n]{1,1024}"|'[^'\n]{1,1024}'|[^\s"'|&;<>]{1,1024})/;

/** Returns the files that a shell command writes from a heredoc: `cat > file <<'EOF'`. */
export function readHeredocs(command: string): FileChange[] {
  const files: FileChange[] = [];
  const lines = command.split("\n");
  for (let at = 0; at < lines.length && files.length < actionLimits.parts; at += 1) {
    const line = lines[at] ?? "";
    const found = heredoc.exec(line.slice(0, 4_096));
    const word = found?.[1] ?? found?.[2] ?? found?.[3];
    if (!found || word === undefined) continue;
    const end = lines.findIndex((text, index) => index > at && text.trim() === word);
    if (end === -1) break;
    const path = /(?:^|[\s;&|(])(?:cat|tee)\b/.test(line)
      ? target.exec(line.replace(found[0], " "))?.[1]?.replaceAll(/^["']|["']$/g, "")
      : undefined;
    if (path !== undefined && path !== "/dev/null" && !path.startsWith("&"))
      files.push({
        path,
        change: />>|\btee\s+-a/.test(line) ? "edit" : "create",
        ...readHunks([lines.slice(at + 1, end).map((text) => `+${text}`)]),
      });
    at = end;
  }
  return files;
}

import { bareLine, hashBareLine } from "../domain/actions/action.ts";
import type { AddedLine, BlameLine, Commit } from "../ports/repository.ts";

/** Parses the porcelain format: a heading per line, details once per commit, and the line's text after a tab. */
export function parseBlame(printed: string): BlameLine[] {
  const lines: BlameLine[] = [];
  const paths = new Map<string, string>();
  let [commit, line] = ["", 0];
  for (const row of printed.split("\n")) {
    if (row.startsWith("\t")) {
      const text = row.slice(1).replace(/\r$/, "");
      const bare = bareLine(text);
      const path = paths.get(commit) ?? "";
      lines.push({ text, commit, path, line, hash: hashBareLine(bare), chars: bare.length });
      continue;
    }
    const heading = /^([0-9a-f]{40}(?:[0-9a-f]{24})?) (\d+) \d+/.exec(row);
    if (heading) {
      commit = heading[1] ?? "";
      line = Number(heading[2]);
      // Lines of one commit may come from several files. Git repeats the file name only if it changes.
    } else if (row.startsWith("filename ")) paths.set(commit, unquote(row.slice("filename ".length)));
  }
  return lines;
}

/**
 * `moved` is the output of `blame -M`, and `plain` is the output without `-M`. Git also follows a copied line to its
 * original. If the original still exists, the copy belongs to the commit that copied it.
 */
export function keepCopies(moved: readonly BlameLine[], plain: readonly BlameLine[]): BlameLine[] {
  if (moved.length !== plain.length) return [...moved];
  const originOf = ({ commit, path, line }: BlameLine): string => `${commit} ${line} ${path}`;
  const unmoved = new Set<string>();
  const isMoved = moved.map((line, at) => {
    const here = plain[at];
    const isElsewhere = here === undefined || originOf(here) !== originOf(line);
    if (!isElsewhere) unmoved.add(originOf(line));
    return isElsewhere;
  });
  return moved.map((line, at) => {
    const here = plain[at];
    if (!here || !isMoved[at] || !unmoved.has(originOf(line))) return line;
    return { ...here, copyOf: line.commit };
  });
}

/** Decodes a name. Git quotes names with special characters in the same way as C quotes strings. */
function unquote(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"')) return name;
  const short: Record<string, number> = { n: 10, t: 9, r: 13, a: 7, b: 8, f: 12, v: 11 };
  const bytes: number[] = [];
  for (const [text, octal, sign] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|[^\\]/gsu)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (sign !== undefined)
      bytes.push(...(short[sign] === undefined ? Buffer.from(sign) : [short[sign]]));
    else bytes.push(...Buffer.from(text));
  }
  return Buffer.from(bytes).toString("utf8");
}

export type GitObject = { id: string; type: string; text: string };

/**
 * Parses the output of `cat-file --batch`: a heading with the size, the object, a line break. `undefined` for a missing
 * object.
 */
export function parseObjects(printed: Buffer): (GitObject | undefined)[] {
  const objects: (GitObject | undefined)[] = [];
  for (let at = 0; at < printed.length; ) {
    const end = printed.indexOf(10, at);
    if (end === -1) break;
    const heading = printed.toString("utf8", at, end);
    const [, id = "", type = "", size] = /^([0-9a-f]+) (\w+) (\d+)$/.exec(heading) ?? [];
    at = end + 1;
    if (size === undefined) {
      objects.push(undefined);
      continue;
    }
    objects.push({ id, type, text: printed.toString("utf8", at, at + Number(size)) });
    at += Number(size) + 1;
  }
  return objects;
}

export const parseCommits = (printed: Buffer): Map<string, Commit> =>
  new Map(
    parseObjects(printed).flatMap((object) =>
      object?.type === "commit" ? [[object.id, parseCommit(object.id, object.text)] as const] : [],
    ),
  );

function parseCommit(id: string, text: string): Commit {
  const body = text.indexOf("\n\n");
  const headers = (body === -1 ? text : text.slice(0, body)).split("\n");
  const of = (name: string) =>
    headers.flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []));
  const [author = ""] = of("author");
  const [committer = author] = of("committer");
  return {
    id,
    parents: of("parent"),
    authored: timeOf(author),
    committed: timeOf(committer),
    author: author.replace(/ <[^>]*> .*$/s, ""),
    subject: body === -1 ? "" : (text.slice(body).trim().split("\n")[0] ?? ""),
    body: body === -1 ? "" : bodyOf(text.slice(body)),
    trailers: body === -1 ? [] : trailersOf(text.slice(body)),
  };
}

const longestBody = 8_000;
const trailer = /^[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)+:\s*\S/;

/** Returns the message without its subject and trailers. */
function bodyOf(message: string): string {
  const lines = message.trim().split("\n").slice(1);
  while (lines.length > 0 && (lines.at(-1)?.trim() === "" || trailer.test(lines.at(-1) ?? ""))) lines.pop();
  return lines.join("\n").trim().slice(0, longestBody);
}

/**
 * Reads the trailers from the last paragraph, unless that is the subject. Lines that are not trailers are
 * ignored.
 */
function trailersOf(message: string): { key: string; value: string }[] {
  const paragraphs = message.trim().split(/\n\s*\n/);
  if (paragraphs.length < 2) return [];
  return (paragraphs.at(-1) ?? "").split("\n").flatMap((line) => {
    const { key, value } =
      /^(?<key>[A-Za-z][A-Za-z0-9-]{0,63}):\s*(?<value>\S.{0,499})$/.exec(line.trim())?.groups ?? {};
    return key !== undefined && value !== undefined ? [{ key, value: value.trim() }] : [];
  });
}

/** A commit can have any date, but stored years have four digits. */
const lastSecond = Date.UTC(9999, 11, 31) / 1_000;

const timeOf = (person: string): number =>
  Math.min(Number(/> (\d{1,12}) [+-]\d{4}$/.exec(person)?.[1] ?? 0), lastSecond) * 1_000;

/** Returns the added lines of a patch that was made without context lines. */
export function parseAdded(printed: string): AddedLine[] {
  const added: AddedLine[] = [];
  let [path, line, left]: [string | undefined, number, number] = [undefined, 0, 0];
  for (const row of printed.split("\n")) {
    if (left > 0 && (row.startsWith("+") || row.startsWith("-"))) {
      if (!row.startsWith("+")) continue;
      if (path !== undefined) added.push({ path, line, text: row.slice(1) });
      line += 1;
      left -= 1;
    } else if (row.startsWith("+++ ")) path = row === "+++ /dev/null" ? undefined : nameOf(row.slice(4));
    else if (row.startsWith("@@ ")) {
      const [, from = "0", count = "1"] = /\+(\d+)(?:,(\d+))? @@/.exec(row) ?? [];
      [line, left] = [Number(from), Number(count)];
    }
  }
  return added;
}

/** Removes what a patch adds to a name: a prefix for its side, and a tab at the end if it contains spaces. */
const nameOf = (written: string): string => unquote(written.replace(/\t$/, "")).replace(/^b\//, "");

/** Returns one result per requested object, or `undefined` if the object is missing. */
export const parseChecked = (printed: string): ({ type: string; id: string } | undefined)[] =>
  printed.split("\n").map((line) => {
    const [, type, id] = /^(\w+) ([0-9a-f]{40,64})$/.exec(line) ?? [];
    return type !== undefined && id !== undefined ? { type, id } : undefined;
  });

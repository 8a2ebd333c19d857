import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { connectRefusal } from "./client-files.ts";

const byteOrderMark = "\ufeff";

/** Text that is inserted into a file at an offset. Every other character stays the same. */
export type Insertion = { offset: number; text: string };

/** Returns the line ending that the file uses. */
const lineEndOf = (text: string): string => (/\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n");

/** Allows comments and trailing commas, as the clients that read such files do. */
function parse(text: string): Node | undefined {
  const content = text.replace(byteOrderMark, " ");
  if (content.trim() === "") return undefined;
  const errors: ParseError[] = [];
  const root = parseTree(content, errors, { allowTrailingComma: true });
  if (errors.length > 0) throw connectRefusal("it is not valid JSON");
  if (root?.type !== "object") throw connectRefusal("it contains no JSON object");
  return root;
}

/**
 * Compares the content of two parsed files. Ignores prototypes, because the parsers create different kinds of objects.
 */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return Object.is(one, other);
  if (one instanceof Date || other instanceof Date) return String(one) === String(other);
  const [names, others] = [Object.keys(one), Object.keys(other)];
  if (Array.isArray(one) !== Array.isArray(other) || names.length !== others.length) return false;
  const [a, b] = [one as Record<string, unknown>, other as Record<string, unknown>];
  return names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]));
}

const readValue = (text: string): unknown => {
  const root = parse(text);
  return root === undefined ? undefined : getNodeValue(root);
};

export const hasMember = (text: string, path: readonly string[]): boolean => {
  const root = parse(text);
  return root !== undefined && findNodeAtLocation(root, [...path]) !== undefined;
};

/**
 * Finds where to insert `path` and its value. Refuses the file if the insertion would change anything else.
 */
export function insertMember(text: string, path: readonly string[], value: unknown): Insertion {
  const insertion = placeMember(text, path, value);
  const before = readValue(text) ?? {};
  if (!isSame(readValue(insertInto(text, insertion)), withMember(before, path, value)))
    throw connectRefusal("adding an entry would change other entries in it");
  return insertion;
}

export const insertInto = (text: string, { offset, text: added }: Insertion): string =>
  text.slice(0, offset) + added + text.slice(offset);

function withMember(object: unknown, [name = "", ...rest]: readonly string[], value: unknown): unknown {
  const members = object as Record<string, unknown>;
  return { ...members, [name]: rest.length === 0 ? value : withMember(members[name] ?? {}, rest, value) };
}

function placeMember(text: string, path: readonly string[], value: unknown): Insertion {
  const root = parse(text);
  const eol = lineEndOf(text);
  if (root === undefined) {
    const whole = JSON.stringify(nest(path, value), undefined, 2).replaceAll("\n", eol);
    return { offset: text.length, text: `${whole}${eol}` };
  }
  let [holder, depth] = [root, 0];
  for (; depth < path.length - 1; depth += 1) {
    const inner = findNodeAtLocation(root, path.slice(0, depth + 1));
    if (inner === undefined) break;
    if (inner.type !== "object") throw connectRefusal(`"${path[depth]}" in it is not an object`);
    holder = inner;
  }
  const [name = "", ...rest] = path.slice(depth);
  return placeIn(text, holder, name, nest(rest, value));
}

const nest = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight((inner, name) => ({ [name]: inner }), value);

function placeIn(text: string, holder: Node, name: string, value: unknown): Insertion {
  const eol = lineEndOf(text);
  const outer = indentAt(text, holder.offset);
  const step = outer.includes("\t") || /^\t/m.test(text) ? "\t" : "  ";
  const members = holder.children ?? [];
  const [first, last] = [members[0], members.at(-1)];
  const print = (indent: string) =>
    `"${name}": ${JSON.stringify(value, undefined, step).replaceAll("\n", eol + indent)}`;
  if (!first || !last) {
    const indent = outer + step;
    const inside = text.slice(holder.offset + 1, holder.offset + holder.length - 1);
    const close = /\n[ \t]*$/.test(inside) ? "" : eol + outer;
    // A comment in an empty object stays before the new member.
    const offset = holder.offset + 1 + inside.trimEnd().length;
    return { offset, text: eol + indent + print(indent) + close };
  }
  const end = last.offset + last.length;
  const isOnOwnLine = /^[ \t]*$/.test(lineBefore(text, last.offset));
  if (!isOnOwnLine) return { offset: end, text: `, "${name}": ${JSON.stringify(value)}` };
  const indent = indentAt(text, last.offset);
  // A comment after the last member belongs to that member.
  const hasComment = /^[^\r\n]*\/[/*]/.test(text.slice(end));
  return hasComment
    ? {
        offset: first.offset,
        text: `${print(indentAt(text, first.offset))},${eol}${indentAt(text, first.offset)}`,
      }
    : { offset: end, text: `,${eol}${indent}${print(indent)}` };
}

const lineBefore = (text: string, offset: number): string =>
  text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);

const indentAt = (text: string, offset: number): string =>
  /^[ \t]*/.exec(lineBefore(text, offset))?.[0] ?? "";

/** Removes a member from a file that has changed since the insertion. `undefined` if the member is not there. */
export function removeMember(text: string, path: readonly string[]): string | undefined {
  const root = parse(text);
  const member = root && findNodeAtLocation(root, [...path])?.parent;
  const siblings = member?.parent?.children;
  if (!member || !siblings) return undefined;
  const at = siblings.indexOf(member);
  const [previous, next] = [siblings[at - 1], siblings[at + 1]];
  const end = member.offset + member.length;
  const cut =
    previous !== undefined
      ? [previous.offset + previous.length, end]
      : next !== undefined
        ? [member.offset, next.offset]
        : [member.offset, end + (/^\s*,/.exec(text.slice(end))?.[0].length ?? 0)];
  const after = text.slice(0, cut[0]) + text.slice(cut[1]);
  if (hasMember(after, path)) throw connectRefusal(`it contains "${path.join(".")}" more than once`);
  return after;
}

const opening = "# Added by thoughtbox connect, up to the next table that is not named here.";

type Table = Record<string, unknown>;

function read(text: string): Table {
  try {
    return parseToml(text.replace(byteOrderMark, ""));
  } catch {
    throw connectRefusal("it is not valid TOML");
  }
}

export const hasTable = (text: string, [outer = "", inner = ""]: readonly string[]): boolean => {
  const table = read(text)[outer];
  return typeof table === "object" && table !== null && inner in table;
};

/**
 * Appends lines to a file. Refuses the file if the lines would change the file's other tables. There is no
 * closing mark, because Codex adds tables before a comment at the end of a file, and those would look like
 * ours.
 */
export function appendBlock(text: string, lines: readonly string[]): Insertion {
  const eol = lineEndOf(text);
  const content = text.replace(byteOrderMark, "");
  const gap = content === "" ? "" : content.endsWith("\n") ? eol : eol + eol;
  const block = [opening, ...lines, ""].join(eol);
  const insertion = { offset: text.length, text: gap + block };
  const [before, ours] = [read(text), read(block)];
  let after: Table;
  try {
    after = read(insertInto(text, insertion));
  } catch {
    throw connectRefusal(`it defines ${Object.keys(ours).join(" or ")} in a way that cannot be extended`);
  }
  if (!isSame(after, merge(before, ours)))
    throw connectRefusal("adding a table would change other tables in it");
  return insertion;
}

function merge(before: Table, ours: Table): Table {
  const merged: Table = { ...before };
  for (const [name, value] of Object.entries(ours)) {
    const there = merged[name];
    merged[name] =
      there === undefined
        ? value
        : Array.isArray(there) && Array.isArray(value)
          ? [...there, ...value]
          : merge(there as Table, value as Table);
  }
  return merged;
}

/**
 * Removes our lines from a file in which some of them were changed. `undefined` if our lines cannot be
 * identified.
 */
export function removeBlock(text: string, inserted: string): string | undefined {
  const start = text.indexOf(opening);
  if (start < 0 || text.indexOf(opening, start + 1) >= 0) return undefined;
  const ours = new Set(inserted.split(/\r?\n/).map((line) => line.trim()));
  const lines = text.slice(start).split(/(?<=\n)/);
  const foreign = lines.findIndex((line) => !ours.has(line.trim()));
  const rest = foreign < 0 ? "" : lines.slice(foreign).join("");
  const after = text.slice(0, start) + rest;
  return isSame(merge(read(after), read(inserted)), read(text)) ? after : undefined;
}

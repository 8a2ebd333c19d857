import { parse } from "smol-toml";
import { connectRefusal } from "./client-files.ts";
import { type Insertion, insertInto, isSame, lineEndOf } from "./edit-settings.ts";

const byteOrderMark = "\ufeff";
const opening = "# Added by thoughtbox connect, up to the next table that is not named here.";

type Table = Record<string, unknown>;

function read(text: string): Table {
  try {
    return parse(text.replace(byteOrderMark, ""));
  } catch {
    throw connectRefusal("it is not valid TOML");
  }
}

export const hasTable = (text: string, [outer = "", inner = ""]: readonly string[]): boolean => {
  const table = read(text)[outer];
  return typeof table === "object" && table !== null && inner in table;
};

/**
 * Appends lines to a file. Refuses a file if they would change its other tables. There is no closing mark, because
 * Codex adds tables before a comment at the end of a file, and those would look like ours.
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
    throw connectRefusal(`it defines ${Object.keys(ours).join(" or ")} in a way that cannot be added to`);
  }
  if (!isSame(after, merge(before, ours))) throw connectRefusal("its tables cannot be distinguished");
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

/** Removes our lines from a file in which some of them were changed. `undefined` if they cannot be identified. */
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

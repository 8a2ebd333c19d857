import { parse } from "smol-toml";
import { connectRefusal } from "./client-files.ts";
import { type Insertion, insertInto, isSame, lineEndOf } from "./edit-json.ts";

const byteOrderMark = "\ufeff";
const [opening, closing] = ["# thoughtbox connect: begin", "# thoughtbox connect: end"];

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

/** Lines that go to the end of a file, between marks. Refuses a file whose other tables they would change. */
export function appendBlock(text: string, lines: readonly string[]): Insertion {
  const eol = lineEndOf(text);
  const content = text.replace(byteOrderMark, "");
  const gap = content === "" ? "" : content.endsWith("\n") ? eol : eol + eol;
  const block = [opening, ...lines, closing, ""].join(eol);
  const insertion = { offset: text.length, text: gap + block };
  const [before, ours] = [read(text), read(block)];
  let after: Table;
  try {
    after = read(insertInto(text, insertion));
  } catch {
    throw connectRefusal(`it defines ${Object.keys(ours).join(" or ")} in a way that cannot be added to`);
  }
  if (!isSame(after, merge(before, ours))) throw connectRefusal("its tables cannot be told apart");
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

/** Cuts the marked block out; `undefined` if it is not there once. */
export function removeBlock(text: string): string | undefined {
  const start = text.indexOf(opening);
  const end = text.indexOf(closing, start);
  if (start < 0 || end < 0 || text.indexOf(opening, start + 1) >= 0) return undefined;
  const after = end + closing.length;
  const rest = text.slice(after).replace(/^\r?\n/, "");
  const kept = text.slice(0, start);
  // The empty line in front of the block was ours.
  return (rest === "" ? kept.replace(/\r?\n$/, "") : kept) + rest;
}

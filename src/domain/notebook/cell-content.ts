import { notebookFailure } from "./failures.ts";
import {
  type Cell,
  type CellContent,
  type CellType,
  checkFilename,
  checkSize,
  filenameOf,
  freeFilename,
  type Language,
  notebookLimits,
} from "./notebook.ts";

export const blankPackageJson = JSON.stringify({ type: "module", dependencies: {} }, null, 2);

/** Only packages in these fields are installed. The runner ignores the rest of the cell. */
const installed = ["dependencies", "devDependencies"] as const;

function parseObject(source: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(source);
  } catch (thrown) {
    const because = thrown instanceof Error ? thrown.message : "it cannot be read";
    throw notebookFailure("invalid_package_json", { problem: `is not valid JSON: ${because}` });
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw notebookFailure("invalid_package_json", { problem: "is not a JSON object" });
  return parsed as Record<string, unknown>;
}

export type PackageSpec = { name: string; range: string };

const longestName = 214;
const longestRange = 100;
const namePattern = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/** Matches one comparator: `1.2.3`, `^1.2`, `>=2.0.0-beta.1`, `1.x`, `*`. */
const comparator =
  /^(?:\^|~|[<>]=?|=)?v?(?:\*|[xX]|\d{1,10}(?:\.(?:\d{1,10}|[xX*])){0,2})(?:[-+][0-9A-Za-z.+-]+)?$/;

/**
 * True if the range contains only comparators, or is `latest`. Anything npm would fetch from outside the
 * registry (`file:`, `link:`, git, URLs, `npm:` aliases, folders, tarballs) is not a range.
 */
function isRange(range: string): boolean {
  if (range === "latest") return true;
  if (range.length > longestRange) return false;
  return range.split("||").every((part) => {
    const words = part.trim().split(/\s+/);
    const isHyphenRange = words.length === 3 && words[1] === "-";
    return (isHyphenRange ? [words[0] ?? "", words[2] ?? ""] : words).every((word) => comparator.test(word));
  });
}

function isPackageName(name: string): boolean {
  return name.length <= longestName && namePattern.test(name);
}

/** Reads a package specification: `name`, `name@range` or `@scope/name@range`. */
export function parsePackageSpec(spec: string): PackageSpec {
  const at = spec.indexOf("@", 1);
  const name = at === -1 ? spec : spec.slice(0, at);
  const range = at === -1 ? "latest" : spec.slice(at + 1);
  return checkPackage(name, range);
}

function checkPackage(name: string, range: unknown): PackageSpec {
  if (isPackageName(name) && typeof range === "string" && isRange(range)) return { name, range };
  throw notebookFailure("not_a_package", { spec: typeof range === "string" ? `${name}@${range}` : name });
}

function readDependencies(parsed: Record<string, unknown>): Map<string, PackageSpec> {
  const found = new Map<string, PackageSpec>();
  for (const field of installed) {
    const listed = Object.hasOwn(parsed, field) ? parsed[field] : undefined;
    if (listed === undefined) continue;
    if (typeof listed !== "object" || listed === null || Array.isArray(listed))
      throw notebookFailure("invalid_package_list", { field });
    for (const [name, range] of Object.entries(listed)) found.set(name, checkPackage(name, range));
  }
  return found;
}

/** Returns the packages in a package.json cell. Refuses the cell if a package is not from the registry. */
export function dependenciesOf(source: string): PackageSpec[] {
  return [...readDependencies(parseObject(source)).values()];
}

/** Adds packages to the cell's dependencies and changes nothing else. */
export function withDependencies(source: string, added: readonly PackageSpec[]): string {
  const parsed = parseObject(source);
  readDependencies(parsed);
  const dependencies = { ...(parsed["dependencies"] as Record<string, string> | undefined) };
  for (const { name, range } of added) dependencies[name] = range;
  const sorted = Object.fromEntries(Object.entries(dependencies).sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify({ ...parsed, dependencies: sorted }, null, 2);
}

/** What a caller wants to add. The notebook can assign the filename. */
export type CellDraft = {
  type: CellType;
  content: string;
  filename?: string | undefined;
  language?: Language | undefined;
};

export type CellRevision = { [Field in "content" | "filename"]?: string | undefined };

type Surroundings = {
  /** The other cells of the notebook. */
  others: readonly CellContent[];
  language: Language;
};

/** Refuses a draft that is invalid or conflicts with the other cells. */
export function composeContent(draft: CellDraft, { others, language }: Surroundings): CellContent {
  const { type, content } = draft;
  if (type !== "code" && draft.language !== undefined)
    throw notebookFailure("cell_has_no_language", { type });
  const names = others.flatMap((cell) => filenameOf(cell) ?? []);
  if (type === "code") {
    const filename =
      draft.filename === undefined
        ? freeFilename(names, draft.language ?? language)
        : checkFilename(draft.filename, draft.language);
    checkFree(filename, names);
    return { type, filename, source: content };
  }
  if (type === "package.json") {
    if (draft.filename !== undefined && draft.filename !== "package.json")
      throw notebookFailure("cell_has_no_filename", { type });
    checkFree("package.json", names);
    dependenciesOf(content);
    return { type, source: content };
  }
  if (draft.filename !== undefined) throw notebookFailure("cell_has_no_filename", { type });
  return type === "title" ? { type, text: checkTitle(content) } : { type, text: content };
}

/** Refuses a filename in use. Ignores case, because some file systems treat such names as one file. */
function checkFree(filename: string, names: readonly string[]): void {
  const same = names.find((name) => name.toLowerCase() === filename.toLowerCase());
  if (same !== undefined) throw notebookFailure("filename_taken", { filename: same });
}

export function checkTitle(text: string): string {
  if (text.trim() === "" || /[\r\n]/.test(text) || text.length > notebookLimits.name)
    throw notebookFailure("invalid_title", { max: notebookLimits.name });
  return text;
}

export function reviseContent(cell: Cell, draft: CellRevision, surroundings: Surroundings): CellContent {
  const keptName = cell.type === "code" ? cell.filename : undefined;
  return composeContent(
    {
      type: cell.type,
      content: draft.content ?? ("text" in cell ? cell.text : cell.source),
      filename: draft.filename ?? keptName,
    },
    surroundings,
  );
}

type NewNotebook = { name: string; language: Language };

/** Returns a template's cells for a new notebook with the requested title and language. */
export function fromTemplate(
  template: readonly CellContent[],
  { name, language }: NewNotebook,
  newId: () => string,
): Cell[] {
  const title = checkTitle(name);
  return adoptCells(
    template.map((cell): CellContent => {
      if (cell.type === "title") return { type: "title", text: title };
      if (cell.type !== "code") return cell;
      const extension = language === "typescript" ? ".ts" : ".js";
      return { ...cell, filename: cell.filename.replace(/\.[jt]s$/, extension) };
    }),
    language,
    newId,
  );
}

/** Applies the rules for new cells to imported cells, in order. */
export function adoptCells(
  contents: readonly CellContent[],
  language: Language,
  newId: () => string,
): Cell[] {
  const cells: Cell[] = [];
  for (const content of contents) {
    const draft = {
      type: content.type,
      content: "text" in content ? content.text : content.source,
      ...(content.type === "code" && { filename: content.filename }),
    };
    cells.push({ ...composeContent(draft, { others: cells, language }), id: newId(), version: 1 });
  }
  checkSize(cells);
  return cells;
}

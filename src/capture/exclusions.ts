import { readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";

const fileName = ".thoughtboxignore";
const longest = 64 * 1024;
const mostLevels = 40;

/**
 * Returns why a session in a directory is not captured, or `undefined` if it is captured. A directory can be excluded
 * by name, or by a `.thoughtboxignore` without patterns.
 */
export function findExclusion(cwd: string, excluded: readonly string[]): string | undefined {
  const named = excluded.find((pattern) => isNamed(cwd, pattern));
  if (named !== undefined) return `${named} is excluded`;
  const found = findIgnoreFile(cwd);
  return found?.patterns.length === 0 ? `${join(found.directory, fileName)} excludes it` : undefined;
}

/** True if the `.thoughtboxignore` nearest to this directory excludes a file that an agent changed. */
export function isIgnored(cwd: string, path: string): boolean {
  const found = findIgnoreFile(cwd);
  if (!found) return false;
  const full = isAbsolute(path) ? path : join(cwd, path);
  const below = relative(found.directory, full);
  if (below.startsWith("..") || isAbsolute(below)) return false;
  return found.patterns.some((pattern) => matches(below.split(sep).join("/"), pattern));
}

/** True if the pattern names the directory or one of its parents. `*` matches any name. */
function isNamed(cwd: string, pattern: string): boolean {
  const wanted = toExpression(pattern.replace(/[\\/]+$/, ""));
  for (let [at, level] = [cwd, 0]; level < mostLevels; [at, level] = [dirname(at), level + 1]) {
    if (wanted.test(at)) return true;
    if (dirname(at) === at) return false;
  }
  return false;
}

/** Matches like `.gitignore`, without negation. A pattern without a slash matches at any depth. */
function matches(path: string, pattern: string): boolean {
  const trimmed = pattern.replace(/\/$/, "");
  const wanted = toExpression(trimmed.replace(/^\//, ""));
  const names = path.split("/");
  const starts = names.map((_, index) => names.slice(0, index + 1).join("/"));
  return trimmed.includes("/")
    ? starts.some((start) => wanted.test(start))
    : names.some((name) => wanted.test(name));
}

function toExpression(pattern: string): RegExp {
  const source = pattern
    .split(/(\*\*|\*)/)
    .map((part) =>
      part === "**" ? ".*" : part === "*" ? "[^/\\\\]*" : part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"),
    )
    .join("");
  return new RegExp(`^${source}$`);
}

type IgnoreFile = { directory: string; patterns: readonly string[] };

function findIgnoreFile(cwd: string): IgnoreFile | undefined {
  if (!isAbsolute(cwd)) return undefined;
  for (
    let [directory, level] = [cwd, 0];
    level < mostLevels;
    [directory, level] = [dirname(directory), level + 1]
  ) {
    const file = join(directory, fileName);
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat) return { directory, patterns: readPatterns(file, stat.isFile() ? stat.size : longest + 1) };
    if (dirname(directory) === directory) return undefined;
  }
  return undefined;
}

/**
 * Excludes everything if the file cannot be read, because its existence shows that someone wanted to exclude
 * something.
 */
function readPatterns(file: string, bytes: number): string[] {
  if (bytes > longest) return [];
  try {
    const lines = readFileSync(file, "utf8")
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== "" && !line.startsWith("#"));
    return lines.some((line) => line === "*" || line === "/" || line === ".") ? [] : lines;
  } catch {
    return [];
  }
}

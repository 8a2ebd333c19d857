import { sha256Hex } from "../../kernel/sha256.ts";
import { escapeInvisible } from "../../kernel/text.ts";
import { messageText, type TranscriptLine } from "./entry.ts";
import { transcriptLimits } from "./limits.ts";

export type ProjectHint = { path: string; confidence: "high" | "medium" };

export type TranscriptProject = { id: string; name: string; confidence: "high" | "medium" | "low" };

const searched = 64 * 1024;
const maxHints = 32;
const patterns = [
  { before: "<cwd>", after: "</cwd>" },
  { before: "AGENTS.md instructions for ", after: "\n" },
];

/** Returns directories in which the session may have run: recorded by the program or mentioned in messages. */
export function hintsOf({ session, entry }: TranscriptLine): ProjectHint[] {
  const stated = session?.cwd !== undefined && isPath(session.cwd) ? [session.cwd] : [];
  const texts = [...(session?.hintTexts ?? []), ...(entry ? [messageText(entry)] : [])];
  return [
    ...stated.map((path) => ({ path, confidence: "high" as const })),
    ...texts.flatMap(pathsIn).map((path) => ({ path, confidence: "medium" as const })),
  ].slice(0, maxHints);
}

function pathsIn(text: string): string[] {
  const early = text.slice(0, searched);
  return patterns.flatMap(({ before, after }) => {
    const start = early.indexOf(before);
    if (start === -1) return [];
    const rest = early.slice(start + before.length, start + before.length + transcriptLimits.path);
    const end = rest.indexOf(after);
    const path = (end === -1 ? rest : rest.slice(0, end)).trim();
    return isPath(path) ? [path] : [];
  });
}

const isPath = (text: string): boolean =>
  text.length <= transcriptLimits.path && /^(?:\/|~|[A-Za-z]:[\\/])/.test(text) && !/\p{Cc}/u.test(text);

/** True if the path is the directory or is inside it. */
export function isWithin(path: string, directory: string): boolean {
  const prefix = directory.replace(/[\\/]+$/, "");
  return path.startsWith(prefix) && ["", "/", "\\"].includes(path.charAt(prefix.length));
}

/** Returns directories that the program recorded or, if there are none, paths in messages. */
export function sureHints(hints: readonly ProjectHint[]): readonly ProjectHint[] {
  const stated = hints.filter(({ confidence }) => confidence === "high");
  return stated.length > 0 ? stated : hints;
}

/** Chooses the project by the best hint. If `cwdPrefix` is set, uses only hints inside that directory. */
export function chooseProject(hints: readonly ProjectHint[], cwdPrefix?: string): TranscriptProject {
  const fitting = cwdPrefix === undefined ? hints : hints.filter(({ path }) => isWithin(path, cwdPrefix));
  const best = fitting.find(({ confidence }) => confidence === "high") ?? fitting[0];
  if (!best) return { id: "proj_unknown", name: "unknown", confidence: "low" };
  const root = cwdPrefix ?? best.path;
  return { id: `proj_${sha256Hex(root).slice(0, 12)}`, name: nameOf(root), confidence: best.confidence };
}

const nameOf = (path: string): string =>
  escapeInvisible(
    path
      .split(/[\\/]/)
      .findLast((part) => part !== "")
      ?.slice(0, 80) ?? "root",
  );

/** True if a session belongs to the project that a person specified, as a path or the last part of one. */
export function matchesProject(hints: readonly ProjectHint[], asked: string): boolean {
  return /[\\/]/.test(asked)
    ? hints.some(({ path }) => isWithin(path, asked))
    : hints.some(({ path }) => path.split(/[\\/]/).includes(asked));
}

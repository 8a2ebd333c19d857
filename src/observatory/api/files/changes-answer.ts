import { splitText } from "../../../domain/actions/action.ts";
import { withoutNotation } from "../../../domain/recall/standing-remarks.ts";
import { refusedWords } from "../../../operations/memory/why/given-up.ts";
import type { PinnedCard, WhyAnswer } from "../../../operations/memory/why/why.ts";
import { citeCard, escapeAroundCode, inCode } from "../../../operations/memory/why/why-markdown.ts";
import type { Repository } from "../../../ports/repository.ts";
import type {
  ChangedFileAnswer,
  ChangedHunk,
  ChangesAnswer,
  CommentAnswer,
  CommentSection,
  FileAnswer,
} from "../../wire-files.ts";
import { invalid, wholeAnswer } from "../answer.ts";
import { explain, type WhySource } from "./explain.ts";
import { type FoundHunk, findHunks } from "./find-hunks.ts";

const mostFiles = 50;
/** How many added lines a file may have before it counts as large. */
const manyLines = 5_000;
/** The most hunks shown and explained per file, and the most lines per hunk, even if the page asks for more. */
const most = { hunks: 200, explained: 60, lines: 300, asked: 500 } as const;

type Range = {
  repository: Repository;
  from: string;
  to: string;
  range: string;
  commits: readonly string[];
  paths: readonly string[];
};

/** Returns a range's commits and the files they changed. A single commit is the range from its parent. */
async function openRange({ openRepository }: WhySource, named: string): Promise<Range> {
  const repository = await openRepository();
  if (!repository) throw invalid("The server was not started in a git repository.");
  const [start = "", end] = named.split(/\.{2,3}/);
  const from = await resolve(repository, end === undefined ? `${start}^` : start || "HEAD");
  const to = await resolve(repository, end === undefined ? start : end || "HEAD");
  return { repository, from, to, range: `${from}..${to}`, ...(await repository.readRange(from, to)) };
}

async function resolve(repository: Repository, name: string): Promise<string> {
  const id = await repository.resolve(name);
  if (id === undefined) throw invalid(`There is no commit ${JSON.stringify(name)} in this repository.`);
  return id;
}

export async function answerChanges(source: WhySource, commit: string): Promise<ChangesAnswer> {
  const { repository, from, to, commits, paths } = await openRange(source, commit);
  const counts = await repository.countAdded(from, to);
  const files = [...paths].sort().slice(0, mostFiles);
  const large = files
    .map((file) => ({ file, added: counts.get(file) ?? 0 }))
    .filter(({ added }) => added > manyLines);
  return {
    commits: commits.length,
    files,
    ...(paths.length > mostFiles && { moreFiles: paths.length - mostFiles }),
    ...(large.length > 0 && { large }),
  };
}

export async function answerComment({ askHere }: WhySource, commit: string): Promise<CommentAnswer> {
  const answer = await askHere("why", { commit, ...wholeAnswer });
  const pinned = (answer["pinned"] ?? []) as PinnedCard[];
  return { sections: writeSections(answer["answers"] as WhyAnswer[], pinned, Number(answer["more"] ?? 0)) };
}

/**
 * Returns all sections, from which the user chooses on the page. Reasons are sorted by certainty, then by the number of
 * lines that they explain.
 */
function writeSections(
  answers: readonly WhyAnswer[],
  pinned: readonly PinnedCard[],
  more: number,
): CommentSection[] {
  const explained = answers
    .filter(({ by }) => by)
    .sort((a, b) => rankOf(a) - rankOf(b) || linesOf(b) - linesOf(a));
  const placeOf = ({ file, lines }: WhyAnswer) => inCode(`${file}:${lines}`);
  const given = explained.flatMap(({ given_up = [] }) => given_up.map(({ what }) => what));
  const reasonOf = ({ because, commit, asked, by }: WhyAnswer) =>
    withoutNotation(because?.text ?? commit?.message ?? asked?.text ?? by?.title ?? "");
  const list = (kind: CommentSection["kind"], title: string, items: readonly string[]): CommentSection[] =>
    items.length === 0 ? [] : [{ kind, title, items: [...new Set(items)] }];
  const reasons = explained.map((one) => `**${placeOf(one)}** ${escapeAroundCode(reasonOf(one))}`);
  return [
    ...list("reasons", "", reasons).map((one) => ({ ...one, ...(more > 0 && { more }) })),
    ...list("given_up", "**Given up**", given.filter((what) => !isRefusal(what)).map(escapeAroundCode)),
    ...list("refusals", "**Refused**", given.filter(isRefusal).map(escapeAroundCode)),
    ...list(
      "asked",
      "**Asked**",
      explained.flatMap(({ asked }) => (asked ? [escapeAroundCode(asked.text)] : [])),
    ),
    ...list("unexplained", "**No reason known**", answers.filter(({ by }) => !by).map(placeOf)),
    ...list("cards", "**Decisions and cards about these files**", pinned.map(citeCard)),
  ];
}

const isRefusal = (what: string): boolean => what.startsWith(refusedWords);

const rankOf = ({ by }: WhyAnswer): number => ["sure", "likely", "by-commit"].indexOf(by?.how ?? "");

/** Counts the lines in text such as `4-8, 14`. */
const linesOf = ({ lines }: WhyAnswer): number =>
  [...lines.matchAll(/(\d+)(?:-(\d+))?/g)].reduce(
    (total, [, from, to = from]) => total + Number(to) - Number(from) + 1,
    0,
  );

/**
 * Returns the lines that a range added to a file and that still exist, and the lines that it removed. `to` is the last
 * line to read.
 */
export async function answerChangedFile(
  source: WhySource,
  commit: string,
  file: string,
  to: number | undefined,
): Promise<ChangedFileAnswer> {
  const { repository, range, commits } = await openRange(source, commit);
  const pages = await readPages(source, file, range, to);
  const texts = await readLines(repository, file);
  const found = findHunks(pages, new Set(commits.map((id) => id.slice(0, 12))), texts);
  const count = (of: (hunk: FoundHunk) => number) => found.reduce((sum, hunk) => sum + of(hunk), 0);
  const hunks: ChangedHunk[] = [];
  for (const { edit, lines, ...hunk } of found.slice(0, most.hunks)) {
    const shown = lines.slice(0, Math.min(to ?? most.lines, most.asked));
    const masked = source.mask(shown.map(({ text }) => text).join("\n")).split("\n");
    const isExplained = edit.by !== undefined && hunks.length < most.explained;
    hunks.push({
      ...hunk,
      ...edit,
      lines: shown.map((line, at) => ({ ...line, text: masked[at] ?? "" })),
      ...(lines.length > shown.length && { moreLines: lines.length - shown.length }),
      ...(isExplained && (await reasonsOf(source, file, hunk))),
    });
  }
  const deleted = pages[0]?.deleted;
  return {
    file,
    ...(deleted && { deleted }),
    added: count(({ added }) => added),
    removed: count(({ lines }) => lines.filter((one) => one.now === undefined).length),
    explained: count(({ added, edit }) => (edit.by ? added : 0)),
    hunks,
    ...(found.length > hunks.length && { moreHunks: found.length - hunks.length }),
  };
}

/** Reads who wrote each line, without the text. The first page contains the removed lines. */
async function readPages(
  { askHere }: WhySource,
  file: string,
  since: string,
  to: number | undefined,
): Promise<FileAnswer[]> {
  const pages: FileAnswer[] = [];
  for (let from: number | undefined = 1; from !== undefined; from = pages.at(-1)?.next)
    pages.push(
      (await askHere("why_file", { file, from, to, since, ...wholeAnswer })) as unknown as FileAnswer,
    );
  return pages;
}

async function readLines(repository: Repository, path: string): Promise<readonly string[]> {
  const name = `${repository.head}:${path}`;
  const text =
    (await repository.readWorkingFile(path)) ?? (await repository.readTexts([name])).get(name) ?? "";
  return splitText(text);
}

async function reasonsOf(source: WhySource, file: string, { from, to }: Pick<FoundHunk, "from" | "to">) {
  const { asked, because } = (await explain(source, file, { line: from, to })).answers[0] ?? {};
  return { ...(asked && { asked }), ...(because && { because }) };
}

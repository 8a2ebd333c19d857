import { count } from "../../kernel/numbers.ts";
import { type PinnedCard, refusedWords, type WhyAnswer } from "../../operations/memory/why/why.ts";
import { citeCard, escapeMarkdown, inCode } from "../../operations/memory/why/why-markdown.ts";
import { maxAnswerChars } from "../../operations/pipeline/fit/budget.ts";
import type { ChangesAnswer, CommentSection } from "../wire-files.ts";
import { type Ask, invalid, type Query } from "./answer.ts";

const lastLine = 10_000_000;
const budget = { max_chars: maxAnswerChars };

/**
 * `?session=` shows which lines from a session still exist. `?thought=` explains the lines from one thought. `?commit=`
 * explains a commit or a range. `?file=` shows a file with the writer of each line, starting at `from`. With `since`, it
 * also shows removed lines. With `line`, it explains why that line exists.
 */
export function answerWhy(ask: Ask, query: Query): Promise<Record<string, unknown>> {
  const [file, session, thought, commit] = (["file", "session", "thought", "commit"] as const).map(
    query.text,
  );
  if ([file, session, thought, commit].filter((one) => one !== undefined).length !== 1)
    throw invalid("Name one of file, session, thought and commit.");
  const line = (name: string) => query.number(name, { min: 1, max: lastLine, standard: 1 });
  if (session !== undefined) return ask("why_session", { sessionId: session, ...budget });
  if (thought !== undefined) return ask("why", { id: thought, ...budget });
  if (commit !== undefined) return answerChanges(ask, commit);
  if (query.text("line") === undefined)
    return ask("why_file", {
      file,
      from: line("from"),
      since: query.text("since"),
      text: query.text("text") !== "false",
      ...budget,
    });
  const to = query.text("to") === undefined ? {} : { to: line("to") };
  return ask("why", { file, line: line("line"), ...to, ...budget });
}

async function answerChanges(ask: Ask, commit: string): Promise<Record<string, unknown>> {
  const answer = await ask("why", { commit, ...budget });
  const pinned = (answer["pinned"] ?? []) as PinnedCard[];
  return {
    ...answer,
    comment: comment(answer["answers"] as WhyAnswer[], pinned, Number(answer["more"] ?? 0)),
  };
}

/** The reader of the page chooses the sections. Reasons begin with those that are most certain and explain most. */
function comment(answers: readonly WhyAnswer[], pinned: readonly PinnedCard[], more: number): Comment {
  const explained = answers
    .filter(({ by }) => by)
    .sort((a, b) => rankOf(a) - rankOf(b) || linesOf(b) - linesOf(a));
  const sum = (some: readonly WhyAnswer[]) => some.reduce((total, one) => total + linesOf(one), 0);
  const placeOf = ({ file, lines }: WhyAnswer) => inCode(`${file}:${lines}`);
  const given = explained.flatMap(({ given_up = [] }) => given_up.map(({ what }) => what));
  const reasonOf = ({ because, asked, by }: WhyAnswer) => because?.text ?? asked?.text ?? by?.title ?? "";
  const list = (kind: CommentSection["kind"], title: string, items: readonly string[]): CommentSection[] =>
    items.length === 0 ? [] : [{ kind, title, items: [...new Set(items)] }];
  const reasons = explained.map((one) => `**${placeOf(one)}** ${escapeMarkdown(reasonOf(one))}`);
  return {
    intro: `### Why these lines\n\n${sum(explained)} of ${count(sum(answers), "added line")} have a reason.`,
    sections: [
      ...list("reasons", "", reasons).map((one) => ({ ...one, ...(more > 0 && { more }) })),
      ...list("given_up", "**Given up**", given.filter((what) => !isRefusal(what)).map(escapeMarkdown)),
      ...list("refusals", "**Refused**", given.filter(isRefusal).map(escapeMarkdown)),
      ...list(
        "asked",
        "**Asked**",
        explained.flatMap(({ asked }) => (asked ? [escapeMarkdown(asked.text)] : [])),
      ),
      ...list("unexplained", "**No reason known**", answers.filter(({ by }) => !by).map(placeOf)),
      ...list("cards", "**Decisions and cards about these files**", pinned.map(citeCard)),
    ],
  };
}

type Comment = ChangesAnswer["comment"];

const isRefusal = (what: string): boolean => what.startsWith(refusedWords);

const rankOf = ({ by }: WhyAnswer): number => ["sure", "likely", "by-commit"].indexOf(by?.how ?? "");

/** Counts `4-8, 14`. */
const linesOf = ({ lines }: WhyAnswer): number =>
  [...lines.matchAll(/(\d+)(?:-(\d+))?/g)].reduce(
    (total, [, from, to = from]) => total + Number(to) - Number(from) + 1,
    0,
  );

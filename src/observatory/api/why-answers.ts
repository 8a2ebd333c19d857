import type { PinnedCard, WhyAnswer } from "../../operations/memory/why/why.ts";
import { toMarkdown } from "../../operations/memory/why/why-markdown.ts";
import { maxAnswerChars } from "../../operations/pipeline/fit/budget.ts";
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

/** A comment in a pull request is read only if it is short. */
const longestComment = 1_200;

async function answerChanges(ask: Ask, commit: string): Promise<Record<string, unknown>> {
  const answer = await ask("why", { commit, ...budget });
  const answers = answer["answers"] as WhyAnswer[];
  const more = Number(answer["more"] ?? 0);
  const explained = answers.filter(({ by }) => by);
  let [shown, pinned] = [explained.length, (answer["pinned"] ?? []) as PinnedCard[]];
  const write = () =>
    toMarkdown(explained.slice(0, shown), {
      more: more + explained.length - shown || undefined,
      pinned,
    }).join("\n");
  while (shown > 1 && write().length > longestComment) shown -= 1;
  while (pinned.length > 0 && write().length > longestComment) pinned = pinned.slice(0, -1);
  return { ...answer, comment: write() };
}

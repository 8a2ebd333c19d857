import type { WhyAnswer } from "../../operations/memory/why/why.ts";
import { toMarkdown } from "../../operations/memory/why/why-markdown.ts";
import { maxAnswerChars } from "../../operations/pipeline/fit/budget.ts";
import { type Ask, invalid, type Query } from "./answer.ts";

const lastLine = 10_000_000;
const budget = { max_chars: maxAnswerChars };

/**
 * `?session=` shows the lines of a session that still exist. `?thought=` explains those of one thought. `?commit=` those
 * of a commit or a range. `?file=` shows a file with the writer of each line, from `from` on, and with `line` why that line
 * exists.
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
    return ask("why_file", { file, from: line("from"), text: true, ...budget });
  const to = query.text("to") === undefined ? {} : { to: line("to") };
  return ask("why", { file, line: line("line"), ...to, ...budget });
}

/** What people paste into a pull request is read there only if it is short. */
const longestComment = 1_200;

async function answerChanges(ask: Ask, commit: string): Promise<Record<string, unknown>> {
  const answer = await ask("why", { commit, ...budget });
  const answers = answer["answers"] as WhyAnswer[];
  const more = Number(answer["more"] ?? 0);
  const explained = answers.filter(({ by }) => by);
  const write = (shown: number) =>
    toMarkdown(explained.slice(0, shown), more + explained.length - shown || undefined).join("\n");
  let shown = explained.length;
  while (shown > 1 && write(shown).length > longestComment) shown -= 1;
  return { ...answer, comment: write(shown) };
}

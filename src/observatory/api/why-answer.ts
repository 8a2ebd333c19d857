import { maxAnswerChars } from "../../operations/pipeline/fit/budget.ts";
import { type Ask, invalid, type Query } from "./answer.ts";

const lastLine = 10_000_000;

/**
 * `?session=` shows the lines of a session that still exist. `?thought=` explains those of one thought. `?file=` shows a
 * file with the writer of each line, from `from` on, and with `line` why that line exists.
 */
export function answerWhy(ask: Ask, query: Query): Promise<Record<string, unknown>> {
  const [file, session, thought] = [query.text("file"), query.text("session"), query.text("thought")];
  if ([file, session, thought].filter((one) => one !== undefined).length !== 1)
    throw invalid("Name one of file, session and thought.");
  const line = (name: string) => query.number(name, { min: 1, max: lastLine, standard: 1 });
  const budget = { max_chars: maxAnswerChars };
  if (session !== undefined) return ask("why_session", { sessionId: session, ...budget });
  if (thought !== undefined) return ask("why", { id: thought, ...budget });
  if (query.text("line") === undefined)
    return ask("why_file", { file, from: line("from"), text: true, ...budget });
  const to = query.text("to") === undefined ? {} : { to: line("to") };
  return ask("why", { file, line: line("line"), ...to, ...budget });
}

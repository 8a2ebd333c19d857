import type { BlocksAnswer } from "../../wire-files.ts";
import { invalid, type Query, wholeAnswer } from "../answer.ts";
import { answerChangedFile, answerChanges, answerComment } from "./changes-answer.ts";
import { explain, type WhySource } from "./explain.ts";

const lastLine = 10_000_000;
const mostBlocks = 60;

/**
 * `?session=` shows which lines from a session still exist. `?thought=` explains the lines from one thought.
 * `?commit=` describes a commit or a range. If `file` is given too, shows what changed in that file. If
 * `comment` is given, returns a comment for a pull request. `?file=` shows a file with the writer of each
 * line, starting at `from`. If `line` is given, explains why that line exists. If `blocks` is given, explains
 * several ranges. If `at` is given, uses the file as it was in that commit.
 */
export async function answerWhy(source: WhySource, query: Query): Promise<unknown> {
  const { askHere } = source;
  const [file, session, thought, commit] = (["file", "session", "thought", "commit"] as const).map(
    query.text,
  );
  const subjects = [commit === undefined ? file : undefined, session, thought, commit];
  if (subjects.filter((one) => one !== undefined).length !== 1)
    throw invalid("Send one of file, session, thought or commit.");
  const line = (name: string) => query.number(name, { min: 1, max: lastLine, standard: 1 });
  const last: { to?: number } = query.text("to") === undefined ? {} : { to: line("to") };
  if (session !== undefined) return askHere("why_session", { sessionId: session, ...wholeAnswer });
  if (thought !== undefined) return askHere("why", { id: thought, ...wholeAnswer });
  if (commit !== undefined && file !== undefined) return answerChangedFile(source, commit, file, last.to);
  if (commit !== undefined && query.text("comment") === "true") return answerComment(source, commit);
  if (commit !== undefined) return answerChanges(source, commit);
  const blocks = query.text("blocks");
  const at = query.text("at");
  if (file !== undefined && blocks !== undefined) return answerBlocks(source, file, blocks, at);
  if (file !== undefined && query.text("line") !== undefined)
    return explain(source, file, { line: line("line"), ...last, commit: at });
  return askHere("why_file", {
    file,
    at,
    from: line("from"),
    ...last,
    since: query.text("since"),
    text: query.text("text") !== "false",
    writers: query.text("writers") !== "false",
    ...wholeAnswer,
  });
}

async function answerBlocks(
  source: WhySource,
  file: string,
  named: string,
  commit: string | undefined,
): Promise<BlocksAnswer> {
  const blocks: BlocksAnswer["blocks"] = [];
  for (const [, first, end = first] of [...named.matchAll(/(\d{1,7})(?:-(\d{1,7}))?/g)].slice(
    0,
    mostBlocks,
  )) {
    const [from, to] = [Number(first), Number(end)];
    const { asked, because } = (await explain(source, file, { line: from, to, commit })).answers[0] ?? {};
    blocks.push({ from, to, ...(asked && { asked }), ...(because && { because }) });
  }
  return { blocks };
}

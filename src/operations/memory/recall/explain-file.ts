import { join } from "node:path";
import { nodeId } from "../../../domain/ledger/thought.ts";
import { fileOfNow, findNow } from "../../../domain/memory/ground.ts";
import { shorten, withoutNarration } from "../../../domain/recall/compose-recall.ts";
import { idOfThought } from "../../../domain/recall/remarks.ts";
import { standingThoughts, withoutNotation } from "../../../domain/recall/standing-remarks.ts";
import { ThoughtboxError } from "../../../kernel/errors.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { findOwnRepository, openFile } from "../why/find-subject.ts";
import type { Explained } from "../why/fit-answers.ts";
import { explainLines } from "../why/why.ts";
import { thoughtsOfSession } from "./read-sessions.ts";

const mostAnswers = 3;

type WhyRow = { file: string; lines: string; sessionId?: string; at?: string; text: string };

/** Returns the reasons for a file's edits, newest first. A file outside git has no reasons. */
export async function explainFile(memory: MemoryContext, file: string, isNamed: boolean): Promise<WhyRow[]> {
  const { failure, answers } = await explain(memory, file);
  if (failure !== undefined && isNamed) memory.warn({ code: "FILE_NOT_EXPLAINED", message: failure });
  const rows = await Promise.all(
    answers.slice(0, mostAnswers).map(async (explained) => {
      const text = await reasonOf(memory, explained);
      return text === undefined ? [] : [toRow(explained, text)];
    }),
  );
  return mergeAlike(rows.flat());
}

/**
 * Explains a change to a pinned line, whose current state `now` describes. If no session gives a reason, the
 * row reports that there is none.
 */
export async function explainChange(memory: MemoryContext, now: string): Promise<WhyRow[]> {
  const path = fileOfNow(now);
  const repository = path && (await findOwnRepository(memory));
  if (!repository) return [];
  const { answers } = await explain(memory, join(repository.root, path), (lines) => findNow(now, lines));
  return Promise.all(
    answers.slice(0, 1).map(async (explained) => {
      const { commit, by } = explained.answer;
      const unexplained = by
        ? "The session that changed this line contains no reason."
        : "No recorded session explains the change.";
      const named = commit ? ` See commit ${commit.sha.slice(0, 7)}: ${commit.subject}` : "";
      const reason = await reasonOf(memory, explained);
      return toRow(explained, reason ?? shorten(`${unexplained}${named}`));
    }),
  );
}

/** Explains one line or all of them. Returns a refusal, such as for a missing file, as `failure`. */
async function explain(
  memory: MemoryContext,
  file: string,
  lineIn?: (lines: readonly string[]) => number | undefined,
): Promise<{ answers: readonly Explained[]; failure?: string }> {
  try {
    const failing = memory as MemoryContext as MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID">;
    const opened = await openFile(failing, file);
    const line = lineIn?.(opened.parts.flatMap(({ lines }) => lines.map(({ text }) => text)));
    return lineIn && line === undefined ? { answers: [] } : await explainLines(memory, opened, { line });
  } catch (thrown) {
    if (!(thrown instanceof ThoughtboxError) || thrown.code === "STORAGE_ERROR") throw thrown;
    return { answers: [], failure: thrown.message };
  }
}

async function reasonOf(
  memory: MemoryContext,
  { reasons: { asked, because } }: Explained,
): Promise<string | undefined> {
  const reason = because && (await standingText(memory, because));
  const told = withoutNarration(reason ?? "") || asked?.text;
  return told === undefined ? undefined : shorten(told);
}

const toRow = ({ answer: { file, lines, by, commit } }: Explained, text: string): WhyRow => ({
  file,
  lines,
  ...(by ? { sessionId: by.sessionId, at: by.at } : commit && { at: commit.at }),
  text,
});

function mergeAlike<Row extends { text: string; lines: string }>(rows: readonly Row[]): Row[] {
  const byText = new Map<string, Row>();
  for (const row of rows) {
    const known = byText.get(row.text);
    byText.set(row.text, known ? { ...known, lines: `${known.lines}, ${row.lines}` } : row);
  }
  return [...byText.values()];
}

/** Replaces an outdated reason with the current one. `undefined` if the reason was rejected. */
async function standingText(
  { ledger }: MemoryContext,
  { text, place }: { text: string; place: string },
): Promise<string | undefined> {
  const sessionId = place.slice(0, place.indexOf(":"));
  const thoughts = await ledger.readLatest(sessionId, undefined, thoughtsOfSession);
  const said = thoughts.find((one) => nodeId(sessionId, one.data) === place);
  if (!said || standingThoughts(thoughts).includes(said)) return text;
  const reviser = thoughts.findLast(({ data }) => data.revises && nodeId(sessionId, data.revises) === place);
  return reviser && standingThoughts(thoughts).some((one) => idOfThought(one) === idOfThought(reviser))
    ? withoutNotation(reviser.data.thought)
    : undefined;
}

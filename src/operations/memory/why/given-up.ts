import type { KeptAction } from "../../../domain/actions/kept-action.ts";
import type { Undone } from "../../../domain/why/answer.ts";
import { clipWords } from "../../../domain/why/cut-reason.ts";
import type { KnownEdit } from "../../../domain/why/known-edits.ts";
import { announcesChange, hasCause, isNarration, splitSentences } from "../../../domain/why/reason-words.ts";
import type { Reasons } from "../../../domain/why/reasons.ts";
import { count } from "../../../kernel/numbers.ts";
import { visible } from "../../../kernel/text.ts";
import type { StoredAction } from "../../../ports/actions.ts";
import type { BaseContext } from "../../pipeline/context.ts";
import { findOrigin } from "./find-origin.ts";
import { toTime } from "./writer.ts";

/** The first words of an abandoned attempt that the user refused. */
export const refusedWords = "the user refused";

type Refused = StoredAction & { action: Extract<KeptAction, { type: "refusal" }> };
type Chosen = { path: string; known: KnownEdit; reasons: Reasons };

const most = 3;
const longestWords = 140;

/** Returns earlier attempts as they were described at the time. Omits any without a description. */
export async function describeGivenUp(
  context: BaseContext,
  chosen: Chosen,
  tried: readonly (Undone | Refused)[],
): Promise<{ at: string; what: string }[]> {
  const given: { at: string; what: string }[] = [];
  for (const one of tried.slice(-most)) {
    if ("action" in one) given.push({ at: one.action.at, what: describeRefusal(one, chosen) });
    else {
      const said = await readWords(context, one.known, chosen);
      const lines = count(one.lines, "line");
      if (said !== undefined)
        given.push({ at: toTime(one.known.time), what: `“${said}” (${lines}, replaced by this edit)` });
    }
  }
  return given;
}

/** Describes a refusal without another person's absolute path, and words that the request already quotes. */
function describeRefusal({ action }: Refused, { path, reasons }: Chosen): string {
  const written = action.change?.path;
  const named = written === undefined ? action.command : action.command.replaceAll(written, path);
  const command = clipWords(visible(named.replaceAll(/(?<![\w.])(?:\/[\w.@+-]+){3,}(?=\/)/g, "…")), 80);
  const said = visible(action.said).trim();
  const quoted = [reasons.asked, reasons.earlier, reasons.because].flatMap((one) => one?.text ?? []);
  const isQuoted = quoted.some((text) => text.includes(said.slice(0, 40)));
  if (said === "") return `${refusedWords} ${command}`;
  return isQuoted
    ? `${refusedWords} ${command} and then asked for the above`
    : `${refusedWords} ${command}: ${clipWords(said, longestWords)}`;
}

/** True if a sentence states the purpose of an edit. */
const isAbout = (sentence: string): boolean =>
  !/:$|^(?:[-*•]|\d{1,2}[.)])\s/.test(sentence) &&
  !isNarration(sentence) &&
  (hasCause(sentence) || announcesChange(sentence));

/** Returns the agent's words right before an earlier edit, unless the answer already quotes them. */
async function readWords(
  context: BaseContext,
  known: KnownEdit,
  { reasons }: Chosen,
): Promise<string | undefined> {
  const { sessionId = "", after } = (await findOrigin(context, known)) ?? {};
  if (!after) return undefined;
  const { branchId, thoughtNumber: to } = after;
  const from = Math.max(1, to - 1);
  const rows = await context.ledger.readThoughts(sessionId, {
    branchId,
    select: "range",
    from,
    to,
    count: 2,
  });
  const told = rows.map(({ data }) => data).filter(({ agentId }) => agentId !== "user" && agentId !== "tool");
  const quoted = [reasons.because, reasons.context].flatMap((one) => one?.text ?? []).join("\n");
  const sentence = told
    .flatMap(({ thought }) => splitSentences(thought.replaceAll(/```[\s\S]*?(?:```|$)/g, " ")))
    .map((one) => visible(one.replaceAll("**", "").trim()))
    .findLast((one) => one.length >= 40 && isAbout(one));
  return sentence === undefined || quoted.includes(sentence.slice(0, 40))
    ? undefined
    : clipWords(sentence, longestWords);
}

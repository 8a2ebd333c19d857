import { clipWords } from "../../../domain/why/cut-reason.ts";
import type { Reason, Reasons } from "../../../domain/why/reasons.ts";
import { visible } from "../../../kernel/text.ts";
import type { WhyAnswer } from "./why.ts";

/**
 * An answer and its full reasons. An excerpt that is shortened once to the right length reads better than a
 * longer excerpt that is clipped later.
 */
export type Explained = {
  answer: WhyAnswer;
  reasons: Reasons;
  /** Returns an excerpt of the part of the commit's message that is about the lines. */
  message?: ((chars: number) => string) | undefined;
};

type Level = {
  asked: number;
  /** The maximum length of the proposal, and of the earlier request. */
  more: number;
  because: number;
  context: number;
  message: number;
  given: number;
  since: number;
  title: boolean;
  subject: number;
};

const widest: Level = {
  asked: 400,
  more: 260,
  because: 400,
  context: 300,
  message: 300,
  given: 3,
  since: 3,
  title: true,
  subject: 200,
};

/** Levels of detail, from everything to the essentials. Reasons are shortened last. */
const levels: readonly Level[] = [
  widest,
  {
    ...widest,
    asked: 300,
    more: 160,
    because: 320,
    context: 200,
    message: 200,
    given: 2,
    since: 1,
    subject: 120,
  },
  {
    ...widest,
    asked: 240,
    more: 120,
    because: 300,
    context: 140,
    message: 140,
    given: 1,
    since: 1,
    title: false,
    subject: 100,
  },
  ...[
    { asked: 200, more: 100, because: 280, context: 120, message: 100 },
    { asked: 180, more: 100, because: 260, context: 100, message: 0 },
    { asked: 160, more: 80, because: 240, context: 0, message: 0 },
    { asked: 140, more: 60, because: 220, context: 0, message: 0 },
    { asked: 160, more: 0, because: 240, context: 0, message: 0 },
  ].map((cut) => ({ ...cut, given: 0, since: 0, title: false, subject: 72 })),
  {
    asked: 100,
    more: 0,
    because: 160,
    context: 0,
    message: 0,
    given: 0,
    since: 0,
    title: false,
    subject: 48,
  },
];

/**
 * Keeps as many answers as fit with their reasons, each with as many details as fit. If no answer fits,
 * returns them all in full, and they are later reduced to stubs.
 */
export function fitAnswers(
  answers: readonly Explained[],
  isWithin: (answers: readonly WhyAnswer[]) => boolean,
): readonly WhyAnswer[] {
  const [last] = levels.slice(-1);
  for (let kept = answers.length; kept > 0; kept -= 1) {
    const some = answers.slice(0, kept);
    if (last && !isWithin(some.map((answer) => reduce(answer, last)))) continue;
    for (const level of levels) {
      const reduced = some.map((answer) => reduce(answer, level));
      if (isWithin(reduced)) return reduced;
    }
  }
  return answers.map((answer) => reduce(answer, widest));
}

function reduce({ answer, reasons, message }: Explained, level: Level): WhyAnswer {
  const { commit, by, given_up = [], since = [], ...rest } = answer;
  const { asked, proposal, earlier, because, context } = reasons;
  const [given, later] = [
    given_up.slice(-level.given || given_up.length),
    since.slice(-level.since || since.length),
  ];
  const { title, ...writer } = by ?? {};
  // If the session gives no reason, the commit's message is the only reason.
  const inMessage = because ? level.message : Math.max(level.message, level.because);
  const told = message && inMessage > 0 ? visible(message(inMessage)) : "";
  return {
    ...rest,
    ...(commit && {
      commit: {
        ...commit,
        subject: clipWords(commit.subject, level.subject),
        ...(told !== "" && { message: told }),
      },
    }),
    ...(by && { by: level.title ? by : (writer as typeof by) }),
    ...show("asked", asked, level.asked),
    ...show("proposal", proposal, level.more),
    ...show("earlier", earlier, level.more),
    ...show("because", because, level.because),
    ...show("context", context, level.context),
    ...(level.given > 0 && given.length > 0 && { given_up: given }),
    ...(level.since > 0 && later.length > 0 && { since: later }),
  };
}

function show<Name extends string>(
  name: Name,
  reason: Reason | undefined,
  chars: number,
): { [Key in Name]?: { text: string; thought: string } } {
  if (!reason || chars === 0) return {};
  return { [name]: { text: reason.cut(chars), thought: reason.place } } as ReturnType<typeof show<Name>>;
}

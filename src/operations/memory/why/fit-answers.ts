import type { Reasons } from "../../../domain/why/reasons.ts";
import { clipWhole } from "../../../kernel/secrets/secrets-policy.ts";
import type { WhyAnswer } from "./why.ts";

/** The reasons are not cut yet. Cutting once to the right length reads better than clipping a longer cut. */
export type Explained = { answer: WhyAnswer; reasons: Reasons };

type Level = {
  asked: number;
  because: number;
  given: number;
  since: number;
  title: boolean;
  subject: number;
};

const widest: Level = { asked: 400, because: 400, given: 3, since: 3, title: true, subject: 120 };

/** Levels from all details to the essentials. Reasons are cut last. The session and commit are always kept. */
const levels: readonly Level[] = [
  widest,
  { asked: 300, because: 320, given: 2, since: 1, title: true, subject: 100 },
  { asked: 280, because: 320, given: 1, since: 1, title: false, subject: 72 },
  ...[
    { asked: 260, because: 320 },
    { asked: 230, because: 290 },
    { asked: 200, because: 270 },
    { asked: 160, because: 240 },
  ].map((cut) => ({ ...cut, given: 1, since: 0, title: false, subject: 60 })),
  { asked: 100, because: 160, given: 0, since: 0, title: false, subject: 48 },
];

/**
 * Keeps as many answers as fit with their reasons, each with as many details as fit. If none fit, they become stubs.
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

function reduce({ answer, reasons: { asked, because } }: Explained, level: Level): WhyAnswer {
  const { commit, by, given_up = [], since = [], ...rest } = answer;
  const [given, later] = [
    given_up.slice(-level.given || given_up.length),
    since.slice(-level.since || since.length),
  ];
  const { title, ...writer } = by ?? {};
  return {
    ...rest,
    ...(commit && { commit: { ...commit, subject: clip(commit.subject, level.subject) } }),
    ...(by && { by: level.title ? by : (writer as typeof by) }),
    ...(asked && { asked: { text: asked.cut(level.asked), thought: asked.place } }),
    ...(because && { because: { text: because.cut(level.because), thought: because.place } }),
    ...(level.given > 0 && given.length > 0 && { given_up: given }),
    ...(level.since > 0 && later.length > 0 && { since: later }),
  };
}

const clip = (text: string, chars: number): string =>
  text.length <= chars ? text : `${clipWhole(text, chars - 1).trimEnd()}…`;

import { millisecondsTo95 } from "../figures.ts";
import { p50 } from "../measure/samples.ts";
import { openRecallStore } from "../recall/ask-set.ts";
import { type Figures, type Judgement, summarise } from "../recall/judge.ts";
import { loadData } from "../recall/load-data.ts";
import { floodSessions, plantConversation } from "../recall/planted.ts";
import type { Conversation, RecallSet } from "../recall/recall-set.ts";
import type { Bench, Line, Row } from "../row.ts";

/** Thoughts per newer session, 200,000 in total on real data. No question is about them. */
const floodThoughts = 40;
const floodSize = ({ quick, data }: Bench) => (quick || data === undefined ? 100 : 5_000);

type Asked = { judged: Judgement[]; times: number[] };

export const recall: Row = {
  id: "recall",
  about: "which sessions and thoughts session.search finds for questions with known answers (--data)",

  async run(bench) {
    const set = readSet(bench);
    const alone = await askAlone(bench, set);
    const { pooled, flooded, newest } = await askPooled(bench, set);
    return [
      ...linesOf("alone", `${set.name}, each conversation in a separate store`, alone),
      ...linesOf("pooled", `${set.name}, all in one store`, pooled),
      ...linesOf(
        "flooded",
        `${set.name}, under ${(floodSize(bench) * floodThoughts).toLocaleString("en")} newer thoughts`,
        flooded,
      ),
      {
        id: "recall.time",
        what: "session.search of the flooded store",
        ours: millisecondsTo95([flooded.times]),
        against: { name: "newest first", figure: millisecondsTo95([newest.times]) },
        ratio: p50([flooded.times]) / p50([newest.times]),
      },
    ];
  },
};

/**
 * Reads the questions, or generates them if `--data` is not given. Generated questions test the program but
 * show little about real ones.
 */
function readSet({ data }: Bench): RecallSet {
  if (data !== undefined) return loadData(data);
  process.stderr.write(
    "\nbench: without --data the questions are generated; bench/README.md says where sets are described\n",
  );
  const planted = plantConversation({ sessions: 60, thoughts: 12, questions: 120, seed: 11 });
  return { name: "generated questions", conversations: [planted] };
}

async function askAlone(bench: Bench, { conversations }: RecallSet): Promise<Asked> {
  const all: Asked = { judged: [], times: [] };
  for (const conversation of conversations) {
    const store = openRecallStore(bench.stores.freshDirectory());
    try {
      await store.bringIn(conversation.sessions);
      const { judged, times } = await store.ask(conversation);
      all.judged.push(...judged);
      all.times.push(...times);
    } finally {
      await store.close();
    }
  }
  return all;
}

async function askPooled(bench: Bench, { conversations }: RecallSet) {
  const store = openRecallStore(bench.stores.freshDirectory());
  const everything: Conversation = {
    sessions: conversations.flatMap(({ sessions }) => sessions),
    questions: conversations.flatMap(({ questions }) => questions),
  };
  try {
    await store.bringIn(everything.sessions);
    const pooled = await store.ask(everything);
    await store.bringIn(floodSessions(floodSize(bench), floodThoughts, 3));
    const flooded = await store.ask(everything);
    return { pooled, flooded, newest: await store.ask(everything, "newest") };
  } finally {
    await store.close();
  }
}

const measured = [
  ["hit1", "right session first"],
  ["hit5", "right session among the first five"],
  ["mrr", "mean reciprocal rank of the right session"],
  ["sessions", "sessions with the answer among the first ten sessions"],
  ["thoughts", "thoughts with the answer among the first ten hits"],
] as const satisfies readonly (readonly [keyof Figures, string])[];

function linesOf(part: string, where: string, { judged }: Asked): Line[] {
  const categories = [...new Set(judged.map(({ category }) => category))].sort();
  const whole = summarise(judged);
  const line = (id: string, what: string, value: number): Line => ({
    id: `recall.${part}.${id}`,
    what: `${where}: ${what}`,
    ours: { value, unit: "score" },
  });
  return [
    ...measured
      .filter(([figure]) => figure !== "thoughts" || judged.some(({ thoughts }) => thoughts !== undefined))
      .map(([figure, what]) => line(figure, `${what} (${whole.questions} questions)`, whole[figure])),
    ...(categories.length < 2 ? [] : categories).map((category) => {
      const { questions, sessions } = summarise(judged.filter((one) => one.category === category));
      return line(
        `category-${category.replaceAll(" ", "-")}`,
        `evidence among the first ten, category ${category} (${questions})`,
        sessions,
      );
    }),
  ];
}

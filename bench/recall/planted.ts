import { createRandom, wordAt as shortWordAt } from "../stores/prose.ts";
import type { Conversation, RecallQuestion, RecallSession } from "./recall-set.ts";

type Planted = { sessions: number; thoughts: number; questions: number; seed: number };

const day = 86_400_000;
const fillers = "the of and to in that was it for on with as at by from but not or which there then".split(
  " ",
);
const verbs = ["moved", "broke", "checked", "replaced", "measured", "found", "lost", "painted"];

/**
 * The number of words, about as many as a person knows. Of 200,000 thoughts, between a few and several
 * thousand contain a given word of a question.
 */
const vocabulary = 65_536;
const wordAt = (number: number): string =>
  shortWordAt(number & 4_095) + shortWordAt(number >> 12).slice(0, 2);

/** Generates texts. As in any language, a few words occur everywhere and many occur rarely. */
function createSpeech(random: () => number) {
  const word = () => wordAt(Math.floor(vocabulary ** random()) - 1);
  const filler = () => fillers[Math.floor(random() * fillers.length)] ?? "the";
  return (words: number) =>
    Array.from({ length: words }, () => (random() < 0.4 ? filler() : word())).join(" ");
}

/**
 * Generates sessions with facts. Each fact is a sentence with three fairly rare words that occur together
 * nowhere else. A question names two of these words and uses other words for the rest.
 */
export function plantConversation({ sessions, thoughts, questions, seed }: Planted): Conversation {
  const random = createRandom(seed);
  const speak = createSpeech(random);
  const pick = (from: number, to: number) => wordAt(from + Math.floor(random() * (to - from)));
  const verb = () => verbs[Math.floor(random() * verbs.length)] ?? "found";
  const asked: RecallQuestion[] = [];
  const planted = Array.from({ length: sessions }, (_, n): RecallSession => {
    const key = `old-${seed}-${n}`;
    const created = new Date(Date.UTC(2023, 0, 1) + n * day).toISOString();
    const facts = new Map<number, string>();
    for (let fact = 0; fact < Math.ceil(questions / sessions); fact += 1) {
      let at = Math.floor(random() * thoughts);
      while (facts.has(at)) at = (at + 1) % thoughts;
      const [one, other, third] = [pick(100, 3_000), pick(1_000, 10_000), pick(8_000, 60_000)];
      facts.set(at, `${one} ${other} ${third}`);
      if (asked.length >= questions) continue;
      const text = [
        `what did they do to the ${one} when the ${other} was there?`,
        `who ${verb()} the ${other} beside the ${third}`,
        `why was ${one} ${other} so ${speak(2)}?`,
      ][asked.length % 3];
      asked.push({
        text: text ?? "",
        category: `form ${asked.length % 3}`,
        thoughts: [`${key}:${at}`],
        sessions: [key],
      });
    }
    const texts = Array.from({ length: thoughts }, (_, at) => {
      const fact = facts.get(at);
      const [one, other, third] = (fact ?? "").split(" ");
      const text =
        fact === undefined
          ? speak(12 + Math.floor(random() * 20))
          : `${speak(6)} ${verb()} the ${one} and the ${other} ${speak(3)} ${third} ${speak(6)}`;
      return { key: `${key}:${at}`, text, at: created };
    });
    return { key, created, thoughts: texts };
  });
  return { sessions: planted, questions: asked };
}

/** Generates newer sessions about random subjects, with the same vocabulary. */
export function* floodSessions(sessions: number, thoughts: number, seed: number): Generator<RecallSession> {
  const speak = createSpeech(createRandom(seed));
  for (let n = 0; n < sessions; n += 1) {
    const created = new Date(Date.UTC(2025, 0, 1) + n * 60_000).toISOString();
    const key = `new-${seed}-${n}`;
    const texts = Array.from({ length: thoughts }, (_, at) => ({
      key: `${key}:${at}`,
      text: speak(20),
      at: created,
    }));
    yield { key, created, thoughts: texts };
  }
}

import { expect, test } from "vitest";
import { rarity, scoreTexts } from "./score-texts.ts";

const texts = (...all: string[]) =>
  all.map((text) => ({ fields: [{ text, weight: 1 }], length: text.length }));
const terms = (...phrases: string[]) => phrases.map((phrase) => ({ phrase, weight: 1 }));

/** Which text is best, second best … by its place in the list. */
function order(all: string[], phrases: string[], least: 0 | 1 = 1): number[] {
  const scores = scoreTexts(texts(...all), terms(...phrases), least);
  return scores
    .map((score, n) => ({ score, n }))
    .sort((a, b) => b.score - a.score)
    .map(({ n }) => n);
}

test("who says it more often comes first, and among those who say it as often the shorter one", () => {
  expect(order(["a pool and more", "pool, pool, pool"], ["pool"])).toEqual([1, 0]);
  expect(order(["a pool, and a very long sentence after it", "a pool"], ["pool"])).toEqual([1, 0]);
});

test.each([
  ["connections", "connecting", "unrelated"],
  ["dropped", "it drops", "it stays"],
  ["happily", "happy", "unhappy"],
  ["creme", "Crème brûlée", "brûlée alone"],
  ["Überlauf", "der überlauf", "der unterlauf"],
  ["out of time", "we are out of time", "time is out of joint"],
])("%s is seen in %j and not in %j", (phrase, present, absent) => {
  const [seen = 0, unseen = 0] = scoreTexts(texts(present, absent), terms(phrase), 0);
  expect(seen).toBeGreaterThan(0);
  expect(unseen).toBe(0);
});

test("a rare word says more than a common one", () => {
  const weighted = [
    { phrase: "common", weight: rarity(900, 1_000) },
    { phrase: "rare", weight: rarity(3, 1_000) },
  ];
  const [common = 0, rare = 0] = scoreTexts(texts("it is common", "this is rare"), weighted, 0);
  expect(rare).toBeGreaterThan(common);
  expect(rarity(1_000, 1_000)).toBeGreaterThan(0);
});

test("words in a weightier field count for more", () => {
  const inTitle = { fields: [{ text: "pool", weight: 4 }], length: 4 };
  const inText = { fields: [{ text: "pool", weight: 1 }], length: 4 };
  const [title = 0, text = 0] = scoreTexts([inTitle, inText], terms("pool"), 1);
  expect(title).toBeGreaterThan(text);
});

test("a text that was not read counts as holding each required word once", () => {
  const [unread = 0] = scoreTexts([{ fields: [], length: 100_000 }], terms("pool"), 1);
  expect(unread).toBeGreaterThan(0);
});

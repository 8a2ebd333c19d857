import { describe, expect, test } from "vitest";
import { parseQuestion } from "../question.ts";
import { toStems, wordsIn } from "./words.ts";

const words = (text: string) => [...wordsIn(text)].map(({ word }) => word);

describe("words of a text", () => {
  test.each([
    ["are lower case without accents", "Crème BRÛLÉE", ["creme", "brulee"]],
    ["have no combining accents", "cafe\u0301s", ["cafes"]],
    ["keep accents in Greek, with one form of sigma", "Λόγος", ["λόγοσ"]],
    ["can mix digits and letters", "S12 v2.1", ["s12", "v2", "1"]],
    ["are pairs of neighbours in a run without spaces", "日本語", ["日本", "本語"]],
    ["can be a single character", "池", ["池"]],
    ["end where the script changes", "react日本x", ["react", "日本", "x"]],
    ["are pairs of neighbours in Korean", "서울에서", ["서울", "울에", "에서"]],
    ["do not include symbols", " … !? 👩‍🚀", []],
  ])("%s", (_what, text, expected) => expect(words(text)).toEqual(expected));

  test("have a start and an end", () => {
    const text = "the 接続池 pool";
    expect([...wordsIn(text)].map(({ start, end }) => text.slice(start, end))).toEqual([
      "the",
      "接続",
      "続池",
      "pool",
    ]);
  });

  test("are indexed by their stems, and runs without spaces by single characters and pairs", () => {
    expect(toStems("The pools, Running!")).toBe("the pool run");
    expect(toStems("Crèmes of cafe\u0301s")).toBe("creme of cafe");
    expect(toStems("日本語 x")).toBe("日 日本 本 本語 語 x");
  });
});

describe("words of a question", () => {
  const terms = (query: string) => parseQuestion(query).terms.map(({ text }) => text);

  test.each([
    ["do not include stop words", "why did the pool run dry", ["pool", "run", "dry"]],
    ["include stop words if there are no others", "to be or not to be", ["to", "be", "or", "not"]],
    ["contain each word once, whatever its forms", "pools pool pooled", ["pools"]],
    ["contain a phrase as one term", '"out of time" pool', ["out of time", "pool"]],
    ["are separate after an unclosed quotation mark", '"pool dry', ["pool", "dry"]],
    ["treat index syntax as words", "NEAR(pool*) AND title:dry", ["NEAR", "pool", "title", "dry"]],
    ["are pairs of characters in a run without spaces", "接続池", ["接続", "続池"]],
    ["are not split at combining marks", "हिन्दी", ["हिन्दी"]],
    ["can be empty", "… \0 !?", []],
  ])("%s", (_what, query, expected) => expect(terms(query)).toEqual(expected));

  test("are limited to sixteen", () => {
    const query = Array.from({ length: 10_000 }, (_, n) => `word${n}x`).join(" ");
    expect(terms(query)).toHaveLength(16);
    expect(parseQuestion(`"${query}"`).terms[0]?.stems).toHaveLength(16);
  });

  test("are neighbours even with stop words between them", () => {
    expect(parseQuestion("the pool of the gateway").neighbours).toEqual([[0, 1]]);
  });
});

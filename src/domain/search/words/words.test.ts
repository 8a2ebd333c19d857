import { describe, expect, test } from "vitest";
import { parseQuestion } from "../question.ts";
import { toStems, wordsIn } from "./words.ts";

const words = (text: string) => [...wordsIn(text)].map(({ word }) => word);

describe("words of a text", () => {
  test.each([
    ["small letters without accents", "Crème BRÛLÉE", ["creme", "brulee"]],
    ["an accent written after its letter", "cafe\u0301s", ["cafes"]],
    ["Greek keeps its accents and has one sigma", "Λόγος", ["λόγοσ"]],
    ["digits and letters together", "S12 v2.1", ["s12", "v2", "1"]],
    ["each two neighbours of a run without spaces", "日本語", ["日本", "本語"]],
    ["a single character", "池", ["池"]],
    ["scripts that meet", "react日本x", ["react", "日本", "x"]],
    ["Korean", "서울에서", ["서울", "울에", "에서"]],
    ["nothing", " … !? 👩‍🚀", []],
  ])("%s", (_what, text, expected) => expect(words(text)).toEqual(expected));

  test("come with their place", () => {
    const text = "the 接続池 pool";
    expect([...wordsIn(text)].map(({ start, end }) => text.slice(start, end))).toEqual([
      "the",
      "接続",
      "続池",
      "pool",
    ]);
  });

  test("are indexed by their stems, runs without spaces character by character and pair by pair", () => {
    expect(toStems("The pools, Running!")).toBe("the pool run");
    expect(toStems("Crèmes of cafe\u0301s")).toBe("creme of cafe");
    expect(toStems("日本語 x")).toBe("日 日本 本 本語 語 x");
  });
});

describe("words of a question", () => {
  const terms = (query: string) => parseQuestion(query).terms.map(({ text }) => text);

  test.each([
    ["stop words are left out", "why did the pool run dry", ["pool", "run", "dry"]],
    ["nothing but stop words is all there is", "to be or not to be", ["to", "be", "or", "not"]],
    ["a word in several forms is one", "pools pool pooled", ["pools"]],
    ["a phrase is one", '"out of time" pool', ["out of time", "pool"]],
    ["a quote that never ends is no phrase", '"pool dry', ["pool", "dry"]],
    ["syntax of the index is words", "NEAR(pool*) AND title:dry", ["NEAR", "pool", "title", "dry"]],
    ["each two characters of a run without spaces", "接続池", ["接続", "続池"]],
    ["what marks split is one", "हिन्दी", ["हिन्दी"]],
    ["nothing at all", "… \0 !?", []],
  ])("%s", (_what, query, expected) => expect(terms(query)).toEqual(expected));

  test("ten thousand words are sixteen", () => {
    const query = Array.from({ length: 10_000 }, (_, n) => `word${n}x`).join(" ");
    expect(terms(query)).toHaveLength(16);
    expect(parseQuestion(`"${query}"`).terms[0]?.stems).toHaveLength(16);
  });

  test("neighbours come without the stop words between them", () => {
    expect(parseQuestion("the pool of the gateway").neighbours).toEqual([[0, 1]]);
  });
});

import { describe, expect, test } from "vitest";
import { isWellFormed } from "../../kernel/text.ts";
import { cutSnippet } from "./describe-hits.ts";
import { createTermFinder } from "./find-terms.ts";
import { parseQuestion } from "./question.ts";

const cut = (text: string, query: string) => cutSnippet(text, createTermFinder(parseQuestion(query).terms));

describe("a snippet", () => {
  test("marks the words in all their forms", () => {
    expect(cut("the Pools were drying", "pool dry")).toBe("the «Pools» were «drying»");
  });

  test("is the part of a long text that contains most of the words", () => {
    const text = `pool ${"and so on ".repeat(60)}then the pool of the gateway ran dry ${"in the end ".repeat(60)}`;
    const snippet = cut(text, "pool gateway dry");
    expect(snippet).toContain("«pool» of the «gateway» ran «dry»");
    expect(snippet).toMatch(/^….*…$/);
    expect(snippet.length).toBeLessThan(220);
  });

  test("consists of whole sentences and includes the one that gives the reason", () => {
    const before =
      "Yesterday we looked at the gateway and its logs. Nothing was wrong there, and the day ended early. ";
    const said =
      "The catalogue is cached in the process. Redis was left out because operations cannot run it.";
    const after =
      " Next week the team looks at search. Later comes the checkout, which is a subject for another day.";
    expect(cut(before + said + after, "catalogue cached")).toBe(
      "…The «catalogue» is «cached» in the process. Redis was left out because operations cannot run it.…",
    );
  });

  test("is the beginning if no word matches", () => {
    expect(cut("nothing of the kind", "pool")).toBe("nothing of the kind");
    expect(cut("x".repeat(500), "pool")).toBe(`${"x".repeat(180)}…`);
  });

  test("marks a phrase as a whole, and only if it matches exactly", () => {
    expect(cut("time is out of time", '"out of time"')).toBe("time is «out of time»");
  });

  test("marks adjacent matches without spaces together", () => {
    expect(cut("新しい接続池が空", "接続池")).toBe("新しい«接続池»が空");
    expect(cut("新しい接続池が空", "池")).toBe("新しい接続«池»が空");
  });

  test("never splits a character", () => {
    const snippet = cut("👩🏽‍🚀".repeat(200), "pool");
    expect(isWellFormed(snippet)).toBe(true);
    expect(cut(`${"🚀".repeat(300)} pool ${"🚀".repeat(300)}`, "pool")).toContain("«pool»");
  });

  // A quadratic algorithm would take minutes for these texts and run into the test's timeout.
  test.each(["pool ", "a ", "日", "é", "x", " ", "«", "pool pool dry "])(
    "is cut from half a mebibyte of %j",
    (unit) => {
      expect(
        cut(unit.repeat(524_288 / unit.length), 'pool "a a a a a a a a b" dry 日本').length,
      ).toBeLessThan(1_200);
    },
  );
});

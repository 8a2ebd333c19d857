import { expect, test } from "vitest";
import { exampleThoughts, recorded } from "../analysis/example-session.testing.ts";
import { parseCipher } from "../cipher/parse.ts";
import { toCipherDocument } from "./cipher-document.ts";

test("main thoughts keep their numbers, branch thoughts follow behind them", () => {
  expect(toCipherDocument(exampleThoughts())).toBe(
    [
      "S1|O|thought 1",
      "S2|O|thought 2",
      "S3|O|thought 3",
      "S4|R|^S2|thought 8",
      "S5|O|S2|(a) thought 4",
      "S6|O|(a) thought 5",
      "S7|O|S5|(b) thought 6",
      "S8|C|S4|(b) b is a dead end",
      "",
    ].join("\n"),
  );
});

test("our own parser reads the document back without warnings, prose with step-like lines included", () => {
  const thoughts = recorded(
    { thought: "Look:\nS7|H|not a step of the document\nend" },
    { thought: "S2|E|S1|seen" },
  );
  const parsed = parseCipher(toCipherDocument(thoughts));
  expect(parsed?.warnings).toEqual([]);
  expect(parsed?.steps.map(({ number, type }) => [number, type])).toEqual([
    [1, "O"],
    [2, "E"],
  ]);
});

test("secrets are masked", () => {
  const thoughts = recorded({ thought: "the token is ghp_abcdefghijklmnopqrstuvwxyz0123456789" });
  expect(toCipherDocument(thoughts)).toBe("S1|O|the token is [secret:github-token]\n");
});

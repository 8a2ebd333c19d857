import { expect, test } from "vitest";
import { tellStory } from "./told.ts";

const line = (type: "C" | "Q" | "X" | "P" | "N" | "E", text: string) => ({ type, thoughtNumber: 9, text });

test.each([
  [
    "a question if that came last",
    { stands: line("C", "S1|C|Settled"), last: line("Q", "S9|Q|Why?") },
    "Asked Why?",
  ],
  ["its conclusion", { stands: line("C", "S1|C|Settled"), last: line("E", "S9|E|seen") }, " Settled"],
  ["the rejected idea", { last: line("X", "S9|X|Too slow") }, "Gave up Too slow"],
  ["its plan", { last: line("P", "S9|P|Try it") }, "Plans Try it"],
  [
    "the last sentence of prose",
    { last: line("N", "I did it. Two are left.") },
    "Ended with “Two are left.”",
  ],
  [
    "the last sentence of a long text, not of its beginning",
    {
      last: {
        ...line("N", "I looked at"),
        ending: "at every file.\n\n```\ncode.\n```\n\n- Two are **left**.\n",
      },
    },
    "Ended with “Two are left.”",
  ],
  [
    "a long last sentence, shortened after a whole word",
    { last: line("N", `I did ${"every one of them and ".repeat(20)}`) },
    `Ended with “I did ${"every one of them and ".repeat(7)} …”`.replace("and  …", "and …"),
  ],
  [
    "where it stopped without a conclusion",
    { last: line("E", "S9|E|seen") },
    "No conclusion stopped at Evidence 9",
  ],
])("the story of a session shows %s", (_, story, words) => {
  const { lead = "", text } = tellStory(story, false);
  expect(`${lead} ${text}`).toBe(words);
});

test.each([
  ["its last statement", { last: line("N", "I did it. Two are left.") }, "Last statement “Two are left.”"],
  [
    "where it is now without a conclusion",
    { last: line("E", "S9|E|seen") },
    "No conclusion yet now at Evidence 9",
  ],
  ["its conclusion", { stands: line("C", "S1|C|Settled"), last: line("E", "S9|E|seen") }, " Settled"],
])("the story of a session at work shows %s", (_, story, words) => {
  const { lead = "", text } = tellStory(story, true);
  expect(`${lead} ${text}`).toBe(words);
});

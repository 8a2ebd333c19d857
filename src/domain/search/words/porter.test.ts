import { describe, expect, test } from "vitest";
import { stem } from "./porter.ts";

describe("stems", () => {
  test.each([
    ["connections", "connect"],
    ["caresses", "caress"],
    ["ponies", "poni"],
    ["agreed", "agre"],
    ["plastered", "plaster"],
    ["hopping", "hop"],
    ["hoping", "hope"],
    ["falling", "fall"],
    ["sized", "size"],
    ["happy", "happi"],
    ["sky", "sky"],
    ["relational", "relat"],
    ["vietnamization", "vietnam"],
    ["adjustment", "adjust"],
    ["adoption", "adopt"],
    ["controlling", "control"],
    ["rate", "rate"],
    ["is", "is"],
  ])("reduce %s to %s", (word, expected) => expect(stem(word)).toBe(expected));

  test.each(["", "a", "日本", "x".repeat(65), `${"x".repeat(70)}ing`])("leave %j unchanged", (word) =>
    expect(stem(word)).toBe(word),
  );
});

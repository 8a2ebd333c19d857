import { expect, test } from "vitest";
import fc from "../../tests/support/fast-check.ts";
import { nearest } from "./nearest.ts";

const operations = [
  "start_new",
  "load_context",
  "thought",
  "read_thoughts",
  "get_structure",
  "session",
  "id",
];

test.each([
  ["thuoght", "thought"],
  ["Thought", "thought"],
  ["readThoughts", "read_thoughts"],
  ["read-thoughts", "read_thoughts"],
  ["start", "start_new"],
  ["load_contex", "load_context"],
  ["get_strcuture", "get_structure"],
  ["sessions_of_mine", "session"],
])("corrects %s to %s", (word, meant) => {
  expect(nearest(word, operations)).toBe(meant);
});

test.each([["banana"], [""], ["__"], ["xy"], ["zz_top"]])("has no correction for %j", (word) => {
  expect(nearest(word, operations)).toBeUndefined();
});

test("prefers the smaller change, and the earlier candidate on a tie", () => {
  expect(nearest("brnch", ["bench", "branch"])).toBe("bench");
  expect(nearest("branches", ["branch", "branched"])).toBe("branched");
  expect(nearest("start", ["start_new_session", "start_new"])).toBe("start_new");
});

test("corrects a name that is spelled in another convention", () => {
  const name = fc.stringMatching(/^[a-z]{3,10}(_[a-z]{1,10}){0,3}$/);
  fc.assert(
    fc.property(name, fc.array(name), (meant, others) => {
      const camel = meant.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      const found = nearest(camel, [...others, meant]);
      expect(found?.replaceAll("_", "")).toBe(meant.replaceAll("_", ""));
    }),
  );
});

test("ignores long words and candidates", () => {
  expect(nearest("a".repeat(65), ["a".repeat(65)])).toBeUndefined();
  expect(nearest("a".repeat(64), ["b".repeat(1_000_000), "a".repeat(63)])).toBe("a".repeat(63));
});

import { expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import { noteIdPattern, slugify } from "./note.ts";

test.each([
  ["Check the pool", "check-the-pool"],
  ["  Look, twice!  ", "look-twice"],
  ["Naïve café", "naive-cafe"],
  ["…", "untitled"],
  ["x".repeat(100), "x".repeat(64)],
])("%j becomes %j", (title, id) => {
  expect(slugify(title)).toBe(id);
});

test("titles in other scripts get distinct IDs, and the same title always gets the same ID", () => {
  const titles = ["Передача", "Вопросы", "Передача 2", "Вопросы 2", "引き継ぎ", "メモ"];
  expect(new Set(titles.map(slugify)).size).toBe(titles.length);
  expect(slugify("передача ")).toBe(slugify("Передача"));
});

test("any title becomes a valid ID, and an ID stays the same", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 120 }), (title) => {
      const id = slugify(title);
      expect(id).toMatch(noteIdPattern);
      expect(slugify(id)).toBe(id);
    }),
  );
});

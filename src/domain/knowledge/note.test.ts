import { expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import {
  decideCreateNote,
  decidePutNote,
  decideReplaceNote,
  type Note,
  noteIdPattern,
  revisionOf,
  slugify,
} from "./note.ts";

const note = (content: string, at: string): Note => ({
  kind: "pattern",
  id: "pool",
  title: "Check the pool",
  description: "",
  tags: [],
  content,
  derivedFromSessions: [],
  createdAt: at,
  updatedAt: at,
});
const [there, next] = [note("one", "2026-11-01"), note("two", "2026-11-02")];

test("a note is created only under a free ID", () => {
  expect(decideCreateNote(undefined, next)).toEqual(next);
  expect(decideCreateNote(there, next)).toBeUndefined();
});

test("a note that replaces another one keeps the time of its creation", () => {
  expect(decidePutNote(undefined, next)).toEqual(next);
  expect(decidePutNote(there, next)).toEqual({ ...next, createdAt: "2026-11-01" });
});

test("a note is replaced only if it still has the revision that the caller read", () => {
  expect(decideReplaceNote(there, next, revisionOf(there))).toEqual({ ...next, createdAt: "2026-11-01" });
  expect(decideReplaceNote(there, next, revisionOf(next))).toBeUndefined();
  expect(decideReplaceNote(undefined, next, revisionOf(next))).toBeUndefined();
});

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

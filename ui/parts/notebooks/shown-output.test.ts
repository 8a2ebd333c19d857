import { expect, test } from "vitest";
import { toRows } from "./shown-output.tsx";

test("an array of objects is a table, and anything else is text", () => {
  expect(toRows('[{"a":1},{"b":"<b>"}]')).toEqual([{ a: 1 }, { b: "<b>" }]);
  for (const text of ["[1]", '[{"a":1},2]', '[{"a":1}', '{"a":1}', ""]) expect(toRows(text)).toBeUndefined();
});

test("a table that would block the page is text", () => {
  const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`c${at}`, at]));
  expect(toRows(JSON.stringify([wide, ...Array(99).fill({})]))).toBeUndefined();
  expect(toRows(JSON.stringify(Array.from({ length: 60 }, (_, at) => ({ [`c${at}`]: 1 }))))).toBeUndefined();
  expect(toRows(JSON.stringify(Array(200_000).fill({})))).toBeUndefined();
  expect(toRows(JSON.stringify(Array(5_000).fill({ a: 1 })))).toHaveLength(5_000);
});

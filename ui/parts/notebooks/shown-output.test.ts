import { expect, test } from "vitest";
import { labelOf, toRows } from "./shown-output.tsx";

test("reads an array of objects as a table, and anything else as text", () => {
  expect(toRows('[{"a":1},{"b":"<b>"}]')).toEqual([{ a: 1 }, { b: "<b>" }]);
  for (const text of ["[1]", '[{"a":1},2]', '[{"a":1}', '{"a":1}', ""]) expect(toRows(text)).toBeUndefined();
});

test("shows a table that would block the page as text", () => {
  const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`c${at}`, at]));
  expect(toRows(JSON.stringify([wide, ...Array(99).fill({})]))).toBeUndefined();
  expect(toRows(JSON.stringify(Array.from({ length: 60 }, (_, at) => ({ [`c${at}`]: 1 }))))).toBeUndefined();
  expect(toRows(JSON.stringify(Array(200_000).fill({})))).toBeUndefined();
  expect(toRows(JSON.stringify(Array(5_000).fill({ a: 1 })))).toHaveLength(5_000);
});

test("describes a picture by its label or its title", () => {
  const svg = (more: string, inner = "") => `<svg xmlns="http://www.w3.org/2000/svg"${more}>${inner}</svg>`;
  expect(labelOf(svg(' role="img" aria-label="A &#38; &#34;B&#34; &lt;c&gt;"'))).toBe('A & "B" <c>');
  expect(labelOf(svg("", "<title>Waits</title>"))).toBe("Waits");
  expect(labelOf(svg("", '<g aria-label="inner"/>'))).toBeUndefined();
  expect(labelOf("")).toBeUndefined();
});

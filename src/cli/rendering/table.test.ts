import { expect, test } from "vitest";
import { createPaint } from "./render-context.ts";
import { type Column, renderTable } from "./table.ts";
import { textWidth } from "./width.ts";

type Row = { name: string; kind: string; size: number };
const columns: Column<Row>[] = [
  { title: "name", cell: ({ name }) => name, flexible: 12 },
  { title: "kind", cell: ({ kind }) => kind, expendable: 1 },
  { title: "size", cell: ({ size }) => String(size), align: "right" },
];
const rows: Row[] = [
  { name: "short", kind: "plain", size: 5 },
  { name: "日本語 and a name that goes on", kind: "mixed", size: 12_000 },
];
const draw = (width: number) =>
  renderTable({ width, paint: createPaint(undefined), now: new Date(0) }, columns, rows);

test("aligns columns, with figures on the right", () => {
  expect(draw(60)).toEqual([
    "name                            kind    size",
    "short                           plain      5",
    "日本語 and a name that goes on  mixed  12000",
  ]);
});

test("cuts the flexible column first if space is short, then drops the expendable one", () => {
  expect(draw(30)).toEqual([
    "name              kind    size",
    "short             plain      5",
    "日本語 and a na…  mixed  12000",
  ]);
  expect(draw(22)[2]).toBe("日本語 and a n…  12000");
  for (let width = 20; width < 60; width += 1)
    for (const line of draw(width)) expect(textWidth(line)).toBeLessThanOrEqual(width);
});

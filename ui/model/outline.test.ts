import { expect, test } from "vitest";
import { NOW } from "./beliefs.ts";
import { NONE } from "./columns.ts";
import { compareLines, lineOf, wholeSide } from "./compare.ts";
import { outlineRows } from "./outline.ts";
import { sampleSession, writeSession } from "./session.testing.ts";

const rowsOf = (closed: string[], moment = NOW) => {
  const { columns } = sampleSession();
  return outlineRows(columns, new Set(closed), moment).map((row) =>
    row.kind === "thought"
      ? `${"  ".repeat(row.depth)}${row.thought}`
      : `${"  ".repeat(row.depth)}${columns.chains[row.chain]?.id}${row.isOpen ? "" : " …"}`,
  );
};

test("lists a branch after its fork, indented by one level", () => {
  expect(rowsOf([])).toEqual([
    "0",
    "1",
    "  a",
    "  3",
    "  4",
    "2",
    "5",
    "  b",
    "  7",
    "    c",
    "    10",
    "  8",
    "6",
    "9",
  ]);
});

test("shows only the title of a closed branch, and hides the branches inside", () => {
  expect(rowsOf(["b"])).toEqual(["0", "1", "  a", "  3", "  4", "2", "5", "  b …", "6", "9"]);
});

test("leaves out later thoughts and branches at an earlier moment", () => {
  expect(rowsOf([], 3)).toEqual(["0", "1", "  a", "  3", "2"]);
});

test("numbers the positions in the tree for screen readers", () => {
  const { columns, think } = sampleSession();
  think("d", "O", { fork: 1 });
  const rows = outlineRows(columns, new Set(), NOW);
  expect(rows[2]).toMatchObject({ kind: "branch", level: 2, position: 1, setSize: 2 });
  expect(rows[3]).toMatchObject({ kind: "thought", level: 3, position: 1, setSize: 2, isLast: false });
  expect(rows[5]).toMatchObject({ kind: "branch", level: 2, position: 2, setSize: 2 });
});

test("lists every thought once, however deep branches nest", () => {
  const { columns, think } = writeSession();
  think("", "O");
  for (let i = 0; i < 20_000; i++) think(`b${i}`, "O", { fork: i });
  for (let i = 0; i < 20_000; i++) think(`s${i}`, "O", { fork: 0 });
  const rows = outlineRows(columns, new Set(), NOW).filter((row) => row.kind === "thought");
  expect(new Set(rows.map((row) => row.thought)).size).toBe(columns.size);
  expect(rows.length).toBe(columns.size);
});

test("lists a branch with an unknown fork below the main line", () => {
  const { columns, think } = writeSession();
  think("", "O");
  think("lost", "O", { fork: NONE });
  expect(outlineRows(columns, new Set(), NOW).map(({ kind, depth }) => [kind, depth])).toEqual([
    ["thought", 0],
    ["branch", 1],
    ["thought", 1],
  ]);
});

test("compares two lines from the last thought they share", () => {
  const { columns } = sampleSession();
  expect(lineOf(columns, 3, NOW)).toEqual([0, 1, 2, 5, 7, 10]);
  const result = compareLines(columns, 0, 2, NOW);
  expect(result.fork).toBe(5);
  expect(result.rows).toEqual([
    { left: 6, right: 7 },
    { left: 9, right: 8 },
  ]);
  expect(result.left).toMatchObject({ fate: NONE, evidence: [], revised: 1, took: 4000 });
  expect(result.right).toMatchObject({ fate: 8, evidence: [7], revised: 0, took: 3000 });
  expect(result.shared).toEqual([5]);
});

test("compares a branch with one inside it from where the inner one forks", () => {
  const { columns } = sampleSession();
  const { fork, rows } = compareLines(columns, 2, 3, NOW);
  expect(fork).toBe(7);
  expect(rows).toEqual([{ left: 8, right: 10 }]);
});

test("ends a comparison at an earlier moment there", () => {
  const { columns } = sampleSession();
  expect(compareLines(columns, 0, 2, 7).rows).toEqual([{ left: 6, right: 7 }]);
});

test("concludes a line with what still applies, not with what was contradicted or rejected later", () => {
  const { columns, think } = writeSession();
  think("", "C", { text: "holds" });
  think("", "C", { text: "contradicted" });
  think("", "C", { text: "rejected" });
  think("", "E", { links: [{ relation: "contradicts", thought: 1 }] });
  think("", "E", { links: [{ relation: "rejects", thought: 2 }] });
  expect(wholeSide(columns, 0, NOW).fate).toBe(0);
  expect(wholeSide(columns, 0, 3).fate).toBe(2);
});

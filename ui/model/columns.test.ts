import { describe, expect, test } from "vitest";
import { MAIN, MARKS, NONE } from "./columns.ts";
import { sampleSession, writeSession } from "./session.testing.ts";
import { TYPES, typeCode, typeLetter } from "./thought-types.ts";

describe("the columns of a session", () => {
  test("keep the appended data, however often they grow", () => {
    const { columns, think } = writeSession();
    for (let i = 0; i < 1000; i++) think("", TYPES[i % 10] ?? "");
    expect(columns.size).toBe(1000);
    for (let i = 0; i < 1000; i++) {
      expect([columns.number[i], columns.parent[i], columns.type[i]]).toEqual([i + 1, i - 1, i % 10]);
      expect([columns.revises[i], columns.revisedBy[i], columns.rejectedBy[i]]).toEqual([NONE, NONE, NONE]);
    }
  });

  test("contain the chains, their forks and their thoughts", () => {
    const { columns } = sampleSession();
    expect(columns.chains.map(({ id, fork, parentChain }) => [id, fork, parentChain])).toEqual([
      ["", NONE, NONE],
      ["a", 1, MAIN],
      ["b", 5, MAIN],
      ["c", 7, 2],
    ]);
    expect(columns.chains[MAIN]?.thoughts).toEqual([0, 1, 2, 5, 6, 9]);
    expect(columns.forksOf(5)).toEqual([2]);
    expect(columns.forksOf(6)).toEqual([]);
    expect(columns.chainOf("c")).toBe(3);
    expect(columns.find(2, 6)).toBe(8);
    expect(columns.find(2, 99)).toBe(NONE);
  });

  test("keep the first thought that replaced or rejected another", () => {
    const { columns, think } = sampleSession();
    think("", "R", { revises: 2 });
    think("", "X", { links: [{ relation: "rejects", thought: 1 }] });
    expect(columns.revisedBy[2]).toBe(6);
    expect(columns.rejectedBy[1]).toBe(4);
  });

  test("list links from both ends, in order", () => {
    const { columns, think } = sampleSession();
    think("", "E", { links: [{ relation: "contradicts", thought: 2 }] });
    expect(columns.links.from(5)).toEqual([{ relation: "supports", thought: 2 }]);
    expect(columns.links.to(2)).toEqual([
      { relation: "supports", thought: 5 },
      { relation: "contradicts", thought: 11 },
    ]);
    expect(columns.links.to(0)).toEqual([]);
  });

  test("ignore links, parents and revisions that point forward", () => {
    const { columns } = writeSession();
    columns.append({
      chain: MAIN,
      number: 1,
      parent: 7,
      type: 0,
      revises: 0,
      time: 0,
      links: [{ relation: "rejects", thought: 3 }],
    });
    expect([columns.parent[0], columns.revises[0]]).toEqual([NONE, NONE]);
    expect(columns.links.from(0)).toEqual([]);
  });

  test("accept texts and marks that arrive later", () => {
    const { columns } = sampleSession();
    columns.setText(3, "late words");
    columns.setMark(3, MARKS.critique, true);
    columns.setMark(3, MARKS.unseen, true);
    columns.setMark(3, MARKS.unseen, false);
    columns.setText(99, "nowhere");
    expect(columns.text[3]).toBe("late words");
    expect(columns.marks[3]).toBe(MARKS.critique);
    expect(columns.text.length).toBe(columns.size);
  });
});

test("reads an unknown type as prose", () => {
  expect(typeLetter(typeCode("Z"))).toBe("N");
  expect(typeLetter(typeCode("OE"))).toBe("N");
  expect(typeLetter(typeCode("X"))).toBe("X");
});
